"""What others release behind a call without source was only lent to it."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers, mended

HEAD = """#include <stdlib.h>
#include <string.h>
struct box;
int known(int n);
"""
LEAKING = """int f(const char *text, int n)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return -1;
    show(copy, 0);
    if (n > 9)
        return -1;
    return 0;
}
"""
USER = "int u{n}(const char *text)\n{{\n    char *t = strdup(text);\n    if (t == NULL)\n        return -1;\n{body}    return 0;\n}}\n"


def _users(*bodies: str) -> str:
    return "".join(USER.format(n=n, body=body) for n, body in enumerate(bodies))


LENDING = "    show(t, 0);\n    free(t);\n"


@pytest.mark.parametrize(("others", "is_safe"), [
    ("", False),
    (_users(LENDING), False),
    (_users(LENDING, LENDING), True),
    (_users(LENDING, LENDING.replace("0", "1")), False),
    (_users(LENDING, "    if (show(t, 0) < 0)\n        free(t);\n"), False),
    (_users(LENDING, LENDING, "    if (t != text)\n        show(t, 0);\n    if (t != text)\n        free(t);\n"), False),
])  # fmt: skip
def test_what_others_release_afterwards_was_lent(others: str, is_safe: bool) -> None:
    before = f"{HEAD}{others}{LEAKING}".encode()
    assert (mended("x.c", before) != before) is is_safe


def test_what_lies_in_it_is_another_matter() -> None:
    others = _users(LENDING, LENDING)
    body = LEAKING.replace("    show(copy, 0);\n", "    char *held[2] = { copy, 0 };\n    show(held, 0);\n")
    before = f"{HEAD}{others}{body}".encode()
    assert mended("x.c", before) == before


BEGUN = """#include <errno.h>
struct text { char *words; int count; };
int get(int n);
int g(int n)
{
    struct text t;
    text_init(&t);
    text_free(&t);
    return n;
}
int h(int n)
{
    struct text t;
    text_init(&t);
    text_free(&t);
    return n;
}
int f(int n)
{
    struct text t;
    text_init(&t);
    if (get(n) < 0)
        return -1;
    return n;
}
"""


def test_what_is_begun_in_a_struct_is_ended_there() -> None:
    assert mended("x.c", BEGUN.encode()).decode().count("text_free(&t);") >= 3


NAMED = """#include <stdlib.h>
static void *kept;
static int configure(void *b, int n)
{
    if (odd(n))
        return BOX_ODD;
    kept = b;
    return BOX_FINE;
}
int f(int n)
{
    void *b = malloc(8);
    if (b == NULL)
        return -1;
    int rc = configure(b, n);
    if (rc)
        return -1;
    return 0;
}
"""


def test_a_constant_of_which_there_is_but_the_name_is_no_number() -> None:
    edits = [edit.text for each in answers("x.c", NAMED.encode()) if isinstance(each, Fix) for edit in each.edits]
    assert not any("rc ==" in text for text in edits)


def test_what_is_released_behind_its_successor_was_not_lent() -> None:
    others = _users("    t = show(t, 0);\n    free(t);\n", "    t = show(t, 0);\n    free(t);\n")
    before = f"{HEAD}{others}{LEAKING.replace('    show(copy', '    text = show(copy')}".encode()
    assert b"free(copy)" not in mended("x.c", before)
