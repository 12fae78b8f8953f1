"""Who is given the place of a member may go to the struct around it, and use what lies there by then (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = (
    "#include <stdlib.h>\n#include <string.h>\nstruct base { int kind; }; struct box { struct base base; char *text; }; "
    "void told(struct base *); static void counted(struct base *one) { one->kind++; } "
)


@pytest.mark.parametrize(
    ("body", "is_safe"),
    [
        ("struct box *b = calloc(1, sizeof *b); if (n) b->text = strdup(name); done(&b->base);", False),
        ("struct box *b = calloc(1, sizeof *b); b->text = strdup(name); if (n) done(&b->base);", False),
        ("struct box *b = calloc(1, sizeof *b); if (!b) return; b->text = strdup(name); counted(&b->base); free(b);", True),
    ],
    ids=["a function that was given", "on some ways", "a known one that only counts"],
)
def test_given_the_first_member(body: str, is_safe: bool) -> None:
    text = f"{HEAD}void f(const char *name, int n, void (*done)(struct base *)) {{ {body} }}"
    assert ("safe" in verdict(text).split("; ")) == is_safe
