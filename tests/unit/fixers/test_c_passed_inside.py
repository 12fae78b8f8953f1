"""What a callee puts into something of its own and passes on from there is in doubt as if it had passed it itself (C), though others pass
texts there."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = (
    "#include <stdlib.h>\nint unk(char *); struct buf { char *p; int n; }; void shown(void) { unk(\"x\"); }"
)


@pytest.mark.parametrize(
    "body",
    [
        "unk(p);",
        "struct buf t; t.p = p; unk(t.p);",
        "struct buf t, *u = &t; u->p = p; unk(t.p);",
        "char *v[2]; v[0] = p; unk(v[0]);",
        "struct { struct buf b; } t; t.b.p = p; unk(t.b.p);",
        "struct buf a, t; a.p = p; t = a; unk(t.p);",
        "char *q, **w = &q; *w = p; unk(q);",
        "struct buf *t = malloc(sizeof *t); if (t) { t->p = p; unk(t->p); free(t); }",
    ],
    ids=["itself", "a member", "by its address", "an array", "a struct in a struct", "a copy", "by a pointer to it", "a block"],
)
def test_passed_on_from_inside(body: str) -> None:
    text = f"{HEAD} static void own(char *p) {{ {body} }} int f(int m) {{ char *p = malloc(4); if (!p) return 1; own(p); return m; }}"
    assert "safe" not in verdict(text).split("; ")


def test_only_filled() -> None:
    body = "struct buf t; t.p = p; t.n = 3; t.p[0] = 1; unk(\"y\");"
    text = f"{HEAD} static void own(char *p) {{ {body} }} int f(int m) {{ char *p = malloc(4); if (!p) return 1; own(p); return m; }}"
    assert verdict(text) == "safe"
