"""What is stored through pointers of other types is another object; a number of bytes may be any."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """#include <stdlib.h>
#include <string.h>
int ask(int mode, char **info, {other} *other)
{{
    *info = strdup("none");
    if (*info == NULL)
        return -1;
    *other = {value};
    if (mode == 1) {{
        *info = NULL;
        return -2;
    }}
    return 0;
}}
"""


@pytest.mark.parametrize(("other", "value", "is_safe"), [
    ("int", "0", True), ("unsigned", "7", True), ("size_t", "7", True), ("int *", "NULL", True), ("char **", "NULL", True),
    ("char *", "NULL", False), ("char", "'a'", False), ("unsigned char", "1", False), ("void *", "NULL", False), ("text", "NULL", False),
    ("struct box *", "NULL", False), ("unsigned char *", "NULL", False),
])  # fmt: skip
def test_another_type_is_another_place(other: str, value: str, is_safe: bool) -> None:
    found = mended("x.c", TEXT.format(other=other, value=value).encode()).decode()
    assert ("        free(*info);\n        *info = NULL;" in found) is is_safe
