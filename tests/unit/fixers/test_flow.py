"""A patch may add statements, and change nothing else about which statements run in which order."""

from __future__ import annotations

import pytest

from analyzers.facts import facts
from analyzers.source import Span
from fixers.edits import apply, minimal
from fixers.fix import Edit
from fixers.flow import changed_flow, lost_statement, unbalanced
from tests.unit.fixers.patching import program

HEAD = "void g(int);\nvoid h(int);\n"


def difference(body: str, *changes: tuple[str, str], may_jump: bool = False) -> tuple[str, str]:
    """What `changed_flow` and `lost_statement` say of some replacements in `int f(int a, int b)`."""
    data = f"{HEAD}int f(int a, int b)\n{{\n{body}\n}}\n".encode()
    edits: list[Edit] = []
    for old, new in changes:
        at = data.index(old.encode())
        edits.append(Edit(Span("x.c", at, at + len(old)), new))
    edits = list(minimal(data, edits))
    before, after = program("x.c", data), program("x.c", apply(data, edits))
    (one,) = [found for key in before.procedures_of("x.c") if (found := facts(before, key)) is not None]
    (other,) = [found for key in after.procedures_of("x.c") if (found := facts(after, key)) is not None]
    return (
        changed_flow(one.linked, other.linked, edits, may_jump=may_jump),
        lost_statement(one.linked, other.linked, edits),
    )


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ("g(a); return b;", "g(a);", "g(a); h(a);"),
        ("g(a); return b;", "g(a);", "g(a); if (b) h(a);"),
        ("if (a) g(a); return b;", "g(a);", "{ h(b); g(a); }"),
        ("if (a) { g(a); } return b;", "g(a); }", "g(a); } else { h(a); }"),
        ("int c; c = a; return c;", "int c;", "int c = 0;"),
        ("return a + b;", "return a + b;", "int c = a + b; h(a); return c;"),
        ("switch (a) { case 1: g(a); break; default: h(a); } return b;", "case 1:", "case 1: h(b);"),
    ],
)
def test_insertions_keep_the_flow(body: str, old: str, new: str) -> None:
    assert difference(body, (old, new)) == ("", "")


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ("if (a) g(a); return b;", "g(a);", "h(b); g(a);"),
        ("if (a) g(1); else g(a); return b;", "g(a);", "h(b); g(a);"),
        ("while (a) g(a); return b;", "g(a);", "h(b); g(a);"),
        ("g(a); h(b); return b;", "g(a);", "g(a); return a;"),
        ("for (;;) { g(a); if (b) break; } return b;", "g(a);", "g(a); break;"),
        ("switch (a) { case 1: g(a); default: h(a); } return b;", "g(a);", "g(a); break;"),
        ("g(a); h(b); out: h(a); return b;", "g(a);", "g(a); goto out;"),
    ],
)
def test_other_paths_are_seen(body: str, old: str, new: str) -> None:
    assert difference(body, (old, new))[0]


def test_statements_behind_a_new_return_are_missed() -> None:
    _, lost = difference("g(a); h(b); return b;", ("g(a);", "g(a); return a;"))
    assert lost == "a statement that could run no longer does"


def test_a_return_may_be_replaced_by_a_jump_where_that_is_asked_for() -> None:
    change = ("return -1;", "goto out;")
    body = "if (a) return -1; g(a); out: h(a); return b;"
    assert difference(body, change)[0] == "the paths through the patched text are others"
    assert difference(body, change, may_jump=True)[0] == ""


def test_braces_across_a_condition_of_the_preprocessor() -> None:
    data = b"if (a)\n#ifdef X\n  g(a);\n#else\n  h(a);\n#endif\n"
    opened, closed = data.index(b"\n"), data.index(b"#else")
    around = (Edit(Span("x.c", opened, opened), " {"), Edit(Span("x.c", closed, closed), "}\n"))
    assert unbalanced(data, around)
    assert not unbalanced(data, (Edit(Span("x.c", opened, opened), " { h(b); }"),))
