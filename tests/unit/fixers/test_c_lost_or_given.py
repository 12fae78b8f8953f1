"""A function that loses what it made where it returns something else may give what is nobody's to release (C)."""

from __future__ import annotations

import pytest

from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct kind { int number; char *title; };
struct kind kinds[] = { { 1, "first" }, { 2, "second" } };
"""


def _title(other: str) -> str:
    return f"""char *title(int number) {{
    unsigned i;
    char *made = malloc(32);
    if (!made)
        exit(1);
    for (i = 0; i < 2; i++)
        if (number == kinds[i].number)
            {other}
    snprintf(made, 32, "kind %d", number);
    return made;
}}
"""


def _use(other: str) -> list[bool]:
    """Whether a patch of the caller is safe."""
    text = HEAD + _title(other) + 'void show(int number) {\n    printf("%s\\n", title(number));\n}\n'
    return [
        isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in answers("x.c", text.encode()) if "title" in each.finding.message.split("`")[1]
    ]


@pytest.mark.parametrize("other", ["return kinds[i].title;", 'return "known";'])
def test_a_result_that_may_be_a_text_of_the_program(other: str) -> None:
    assert _use(other) == [False]


@pytest.mark.parametrize("other", ["return strdup(kinds[i].title);", "return NULL;", "break;"])
def test_a_result_that_is_always_the_callers(other: str) -> None:
    assert _use(other) == [True]
