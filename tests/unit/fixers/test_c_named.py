"""A result that gets a name before the statement it stands in: only where nothing of that has to come first."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers

TEXT = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int size;
int next(void);
int f(const char *s, int n)
{{
    {line}

    return n;
}}
"""


@pytest.mark.parametrize(
    ("line", "is_mended"),
    [
        ("int k = 3, m = strlen(strdup(s)) > 5;", True),
        ("int size = strlen(s), m = strlen(strndup(s, size));", False),
        ("int k = strlen(s), m = strlen(strndup(s, k));", False),
        ("int k = n++, m = strlen(strndup(s, n));", False),
        ("int k = next(), m = strlen(strdup(s));", False),
        ("if (n > 3 && strlen(strdup(s)) > 5) n = 0;", False),
        ("if (strlen(strdup(s)) > 5 && n > 3) n = 0;", True),
        ("n = n > 3 ? strlen(strdup(s)) : 0;", False),
        ("n = 3 + strlen(strdup(s));", True),
    ],
)
def test_what_stands_before_it_is_not_overtaken(line: str, is_mended: bool) -> None:
    found = answers("case.c", TEXT.format(line=line).encode())
    assert [isinstance(each, Fix) and each.applicability.value == "safe" for each in found] == [is_mended]
