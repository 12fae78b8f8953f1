"""The address of an object that a variable is itself, in a member of a struct: who uses the member uses the object."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """#include <regex.h>
struct choice {{ int inverted; regex_t *wanted; }};
int more(void);
int choose(const char *text)
{{
    struct choice choice{zero};
    regex_t compiled;

    if (regcomp(&compiled, text, 0))
        return 1;
    choice.wanted = &compiled;
    if (more())
        return regexec(choice.wanted, text, 0, 0, 0);
    regfree({released});
    return 0;
}}
"""


@pytest.mark.parametrize("zero", ["", " = { 0, 0 }"])
@pytest.mark.parametrize("released", ["choice.wanted", "&compiled"])
def test_it_is_released_behind_the_last_use_by_the_member(zero: str, released: str) -> None:
    text = mended("a.c", TEXT.format(zero=zero, released=released).encode()).decode()
    assert text.index("regexec(") < text.index("regfree(&compiled);")
    assert "int result = regexec(choice.wanted, text, 0, 0, 0);\n        regfree(&compiled);\n        return result;" in text
