"""Mutual recursion is worked out again only where a member, or what it read, is another one; and equals a run from nothing."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program
from analyzers.frontends.c import link_macros
from analyzers.queries import ProcedureKey
from analyzers.specs import load as load_specs
from analyzers.summaries import Effects, MemoryStore
from tests.reach import ReachEngine

RING = {
    "a.c": b"int b(int n);\nint a(int n) { return b(n); }\n",
    "b.c": b"int c(int n);\nint b(int n) { return c(n); }\n",
    "c.c": b"int a(int n);\nint c(int n) { one(n); return a(n); }\n",
}


def asked(files: dict[str, bytes], store: MemoryStore | None) -> tuple[Effects, list[str]]:
    engine = ReachEngine()
    program = Program(MemoryTree(files), store=store, engine=engine)
    effects = program.effects(ProcedureKey("a.c", "a"))
    program.save()
    return effects, [key.name for key in engine.summarised]


def test_a_member_that_says_the_same_costs_only_its_own_steps() -> None:
    store = MemoryStore()
    first, steps = asked(RING, store)
    assert {"a", "b", "c"} == set(steps)
    changed = {**RING, "b.c": RING["b.c"].replace(b"return c(n)", b"return c(n) + 1")}
    second, steps = asked(changed, store)
    assert set(steps) == {"b"} and second == first == asked(changed, None)[0]


def test_a_member_that_says_something_else_reaches_all() -> None:
    store = MemoryStore()
    first, _ = asked(RING, store)
    changed = {**RING, "c.c": RING["c.c"].replace(b"one(n)", b"two(n)")}
    second, steps = asked(changed, store)
    assert {"a", "b", "c"} == set(steps) and second == asked(changed, None)[0] != first
    assert asked(RING, store) == (first, [])


def test_a_new_member_is_found() -> None:
    store = MemoryStore()
    wider = {**RING, "d.c": b"int a(int n);\nint one(int n) { far(n); return a(n); }\n"}
    asked(RING, store)
    assert asked(wider, store)[0] == asked(wider, None)[0]
    assert asked(RING, store)[0] == asked(RING, None)[0]


def test_what_is_no_longer_valid_is_not_taken_the_third_time_either() -> None:
    """The leader's cell is looked for before it is there: that it was not is no answer to compare with."""
    store = MemoryStore()
    for word in (b"one", b"two", b"three", b"two", b"four"):
        files = {**RING, "c.c": RING["c.c"].replace(b"one", word)}
        assert asked(files, store)[0] == asked(files, None)[0]


def test_a_spliced_function_is_lowered_again_only_for_its_own_macros(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = []
    original = link_macros.lower_again
    monkeypatch.setattr(link_macros, "lower_again", lambda *given: lowered.append(given) or original(*given))
    user = b'#include "x.h"\nint f(int n) { OUT(n) return g(OTHER); }\n'
    header = b"#define OUT(n) if (n) return 7;\n#define OTHER 1\n#define THIRD 1\n"
    store = MemoryStore()

    def reads(head: bytes, beside: bytes = b"") -> int:
        lowered.clear()
        files = {"a.c": user, "x.h": head, "z.h": b"", "far/y.h": beside}
        program = Program(MemoryTree(files), store=store, engine=ReachEngine())
        program.effects(ProcedureKey("a.c", "f"))
        program.save()
        return len(lowered)

    assert reads(header) == 1
    assert reads(header.replace(b"THIRD 1", b"THIRD 2")) == 0
    assert reads(header, b"#define OUT(n) if (n) return 9;\n") == 0
    assert reads(b'#include "z.h"\n' + header) == 0
    assert reads(header.replace(b"7", b"8")) == 1


def patched(old: bytes, new: bytes) -> tuple[dict[ProcedureKey, Effects], list[str], dict[str, bytes]]:
    """What the members do behind a patch of C, the steps that this took, and the patched files."""
    engine = ReachEngine()
    program = Program(MemoryTree(RING), engine=engine)
    program.effects(ProcedureKey("a.c", "a"))
    engine.summarised.clear()
    changed = {path: data.replace(old, new) for path, data in RING.items() if old in data}
    after = program.beside_with(changed)
    found = {key: after.effects(key) for key in after.procedures()}
    return found, [key.name for key in engine.summarised], {**RING, **changed}


def test_a_patch_that_leaves_what_a_member_does_takes_one_step() -> None:
    """Beside the one that runs into the circle."""
    found, steps, files = patched(b"return c(n)", b"return c(n) + 1")
    assert steps == ["b", "b"]
    assert found == {key: Program(MemoryTree(files), engine=ReachEngine()).effects(key) for key in found}


@pytest.mark.parametrize(("old", "new"), [(b"one(n)", b"two(n)"), (b"int c(int n) {", b"int c(int n) { two(n);"), (b"return a(n)", b"return n")])
def test_a_patch_that_changes_what_a_member_does_is_gone_through_from_nothing(old: bytes, new: bytes) -> None:
    found, _, files = patched(old, new)
    assert found == {key: Program(MemoryTree(files), engine=ReachEngine()).effects(key) for key in found}


def test_what_a_member_did_itself_stays_where_the_others_say_that_it_does() -> None:
    """Behind a patch nobody does less than in a run from nothing."""
    found, _, files = patched(b"one(n);", b"")
    assert ("::one",) in found[ProcedureKey("c.c", "c")].reads
    assert ("::one",) not in Program(MemoryTree(files), engine=ReachEngine()).effects(ProcedureKey("c.c", "c")).reads


def test_what_a_patch_moves_lies_where_it_is_now() -> None:
    old = b"""#include <stdlib.h>
char *make(int n);
static char *again(int n) { return make(n - 1); }
char *make(int n) { if (n > 3) return again(n); return malloc(64); }
"""
    key, specs = ProcedureKey("m.c", "make"), load_specs(("c",))
    program = Program(MemoryTree({"m.c": old}), specs)
    new = {"m.c": old.replace(b"if (n > 3)", b"n = n + 100; if (n > 3)")}
    before, after = program.effects(key), program.beside_with(new).effects(key)
    assert after.transfers != () and after != before
    assert after == Program(MemoryTree(new), specs).effects(key)
