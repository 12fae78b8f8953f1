"""What a function of the program passes on to one that nobody knows: lent, where its caller owns it behind the call."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

PROGRAM = """#include <stdlib.h>
#include <string.h>
int {stranger}(char *text);
char *last;
int is_busy(void);
static int check(char *text)
{{
    if (*text == '#')
        return -1;
{inside}    return {stranger}(text);
}}

int f(const char *words, int own)
{{
    char *copy = strdup(words);
    if (copy == NULL)
        return -1;
    if (check(copy) != 0)
        return -1;
{behind}    return 0;
}}
"""


@pytest.mark.parametrize(("stranger", "inside", "behind", "is_safe"), [
    ("look_at", "", "    free(copy);\n", True),
    ("look_at", "", "    if (is_busy())\n        return -1;\n    free(copy);\n", True),
    ("register_it", "", "    free(copy);\n", False),  # By its name it keeps what it gets.
    ("look_at", "    last = text;\n", "    free(copy);\n", False),
    ("look_at", "", "    if (own)\n        free(copy);\n", False),  # The flag may say whether somebody has kept it.
    ("look_at", "", "", False),
])  # fmt: skip
def test_what_the_caller_owns_behind_the_call_was_lent(stranger: str, inside: str, behind: str, is_safe: bool) -> None:
    before = PROGRAM.format(stranger=stranger, inside=inside, behind=behind).encode()
    assert (mended("x.c", before) != before) is is_safe


def test_a_flag_tells_nothing_of_what_a_stranger_got() -> None:
    before = b"""#include <stdlib.h>
struct item { int a; };
int look_at(struct item *item);
int f(int own)
{
    struct item *item = malloc(sizeof *item);
    if (item == NULL)
        return -1;
    look_at(item);
    if (own)
        free(item);
    return 0;
}
"""
    assert mended("x.c", before) == before
