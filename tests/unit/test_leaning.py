"""Of a patch of C what its callees do is taken from the tree before it, unless they call what it changes."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program, ir
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.summaries import Effects
from tests.reach import ReachEngine

FILES = {
    "main.c": b'#include "x.h"\nint outer(int n) { return user(n); }\nint user(int n) { keep(n); return given(n) + back(n); }\n',
    "given.c": b"int given(int n) { return deep(n); }\nint deep(int n) { return n; }\n",
    "back.c": b"int back(int n) { return n ? user(n - 1) : 0; }\n",
    "x.h": b"int given(int n);\n",
}

USER = b"keep(n); return given(n)"


class BelievingEngine(ReachEngine):
    """What a function does follows from what its callers call, too: a look at the text of whoever calls it."""

    def summarise(self, linked: Linked, queries: Queries) -> Effects:
        found = super().summarise(linked, queries)
        callers = [queries.linked(key) for key in queries.callers(linked.key.name)]
        told = {(f"::by {name}",) for each in callers if each is not None for name in _called(each)}
        return Effects(reads=tuple(sorted({*found.reads, *told})), throws=found.throws)


def _called(linked: Linked) -> list[str]:
    return [each.name for each in linked.body.nodes if isinstance(each, ir.Call)]


def patched(old: bytes, new: bytes, path: str = "main.c") -> tuple[Program, Program, BelievingEngine]:
    """A program whose every function was asked for, the same with other words in a file, and the engine of both, which has forgotten what it did."""
    engine = BelievingEngine()
    program = Program(MemoryTree(FILES), engine=engine)
    for key in program.procedures():
        program.effects(key)
    engine.summarised.clear()
    return program, program.beside_with({path: FILES[path].replace(old, new)}), engine


@pytest.mark.parametrize("name", ["given", "deep"])
def test_a_callee_does_what_it_did(name: str) -> None:
    program, after, engine = patched(USER, b"drop(n); return given(n)")
    key = ProcedureKey("given.c", name)
    assert after.effects(key) == program.effects(key)
    assert engine.summarised == []


def test_who_calls_what_is_changed_does_something_else() -> None:
    _, after, engine = patched(USER, b"drop(n); return given(n)")
    for key in (ProcedureKey("main.c", "user"), ProcedureKey("main.c", "outer"), ProcedureKey("back.c", "back")):
        assert ("::drop",) in after.effects(key).reads
    assert ProcedureKey("given.c", "given") not in engine.summarised


def test_more_than_a_body_may_change_what_callees_do() -> None:
    more = b" + back(n); }"
    _, after, _ = patched(USER + more, b"drop(n); return given(n)" + more + b"\nint other(int n) { return given(n); }")
    assert ("::by drop",) in after.effects(ProcedureKey("given.c", "given")).reads


def test_another_tree_is_no_patch() -> None:
    program, _, _ = patched(USER, b"drop(n); return given(n)")
    tree = MemoryTree({**FILES, "main.c": FILES["main.c"].replace(USER, b"drop(n); return given(n)")})
    assert ("::by drop",) in program.beside(tree).effects(ProcedureKey("given.c", "given")).reads
