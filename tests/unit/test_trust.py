"""What is known of a tree holds there without being asked again, and in a tree beside it where their difference touches nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analyzers import MemoryTree, Options, Program
from analyzers.incremental import trust
from analyzers.incremental.cells import Read, Validity
from analyzers.incremental.parts import PART
from analyzers.incremental.segments import Segment
from analyzers.queries import ProcedureKey
from analyzers.summaries import MemoryStore
from tests.reach import ReachDetector, ReachEngine

FILES = {
    "a.c": b'#include "x.h"\nint a(int n) { return b(n) + LIMIT; }\n',
    "b.c": b"int b(int n) { one(n); return n; }\n",
    "c.c": b"int c(int n) { return n; }\n",
    "x.h": b"#define LIMIT 1\nint b(int n);\n",
}

A = ProcedureKey("a.c", "a")


def reach(program: Program) -> Sequence[object]:
    return (program.effects(A), program.findings(ReachDetector(), A))


def cold(files: dict[str, bytes]) -> Sequence[object]:
    return reach(Program(MemoryTree(files), engine=ReachEngine()))


@pytest.fixture
def store() -> MemoryStore:
    kept = MemoryStore()
    program = Program(MemoryTree(FILES), store=kept, engine=ReachEngine())
    reach(program)
    program.save()
    return kept


def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The reads that are decided from here on."""
    found: list[object] = []
    original = Validity._is_answered
    monkeypatch.setattr(Validity, "_is_answered", lambda self, read: found.append(read.question) or original(self, read))
    return found


def test_the_same_tree_is_not_asked_again(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = asked(monkeypatch)
    engine = ReachEngine()
    assert reach(Program(MemoryTree(FILES), store=store, engine=engine)) == cold(FILES)
    assert questions == [] and engine.linked == engine.summarised == []


@pytest.mark.parametrize(
    "changed",
    [
        {"b.c": b"int b(int n) { two(n); return n; }\n"},
        {"x.h": b"#define LIMIT 2\nint b(int n);\n"},
        {"x.h": b"#define LIMIT c(1)\nint b(int n);\nint c(int n);\n"},
        {"d.c": b"int b(int n) { three(n); return n; }\n"},
        {"b.c": b"\nint b(int n) { one(n); return n; }\n"},
        {"c.c": b"int c(int n) { return n + 1; }\n"},
        {"a.c": b"int a(int n) { return c(n); }\n"},
    ],
)
def test_a_tree_beside_a_known_one_says_what_it_would_by_itself(store: MemoryStore, changed: dict[str, bytes]) -> None:
    files = {**FILES, **changed}
    known = Program(MemoryTree(FILES), store=store, engine=ReachEngine())
    beside = known.beside(MemoryTree(files))
    assert reach(beside) == cold(files)
    beside.save()
    assert reach(Program(MemoryTree(files), store=store, engine=ReachEngine())) == cold(files)
    assert reach(Program(MemoryTree(FILES), store=store, engine=ReachEngine())) == cold(FILES)


def test_what_nothing_touches_is_not_asked_again_beside(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**FILES, "c.c": b"int c(int n) { return n + 1; }\n"}
    engine = ReachEngine()
    beside = Program(MemoryTree(FILES), store=store, engine=engine).beside(MemoryTree(files))
    questions = asked(monkeypatch)
    reach(beside)
    assert engine.linked == engine.summarised == []
    assert questions == []


def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of questions that stored cells are looked at for from here on."""
    found: list[str] = []
    original = Segment._reads

    def reads(self: Segment, number: int) -> tuple[Read, ...]:
        answers = original(self, number)
        found.extend(str(read.question[0]) for read in answers)
        return answers

    monkeypatch.setattr(Segment, "_reads", reads)
    return found


def test_what_cells_read_is_not_unpacked_where_no_fact_differs(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**FILES, "c.c": b"int c(int n) { return n + 1; }\n", "e.c": b"int e(int n) { return n; }\n"}
    beside = Program(MemoryTree(FILES), store=store, engine=ReachEngine()).beside(MemoryTree(files))
    found = unpacked(monkeypatch)
    assert reach(beside) == cold(files)
    assert found == []


def test_trees_in_a_row_rest_on_one_another(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    C = ProcedureKey("c.c", "c")
    files, near = FILES, MemoryTree(FILES)
    for number in range(trust.MAX_CHAIN + 3):
        files = {**files, "c.c": f"int c(int n) {{ return n + {number}; }}\n".encode()}
        beside = Program(near, store=store, engine=ReachEngine()).beside(MemoryTree(files))
        beside.effects(C)
        beside.save()
        near = MemoryTree(files)
    engine = ReachEngine()
    questions = asked(monkeypatch)
    assert reach(Program(near, store=store, engine=engine)) == cold(files)
    assert questions == [] and engine.linked == engine.summarised == []


def test_two_trees_beside_each_other_end_nowhere_in_a_circle(store: MemoryStore) -> None:
    other = {**FILES, "c.c": b"int c(int n) { return n + 1; }\n"}
    for first, second in ((FILES, other), (other, FILES), (FILES, other)):
        beside = Program(MemoryTree(first), store=store, engine=ReachEngine()).beside(MemoryTree(second))
        beside.effects(ProcedureKey("c.c", "c"))
        assert reach(beside) == cold(second)
        beside.save()
    for files in (FILES, other):
        assert reach(Program(MemoryTree(files), store=store, engine=ReachEngine())) == cold(files)


@pytest.mark.parametrize("instead", [b"", b"no"])
def test_a_part_that_is_forgotten_or_damaged_is_computed_again(store: MemoryStore, instead: bytes) -> None:
    files = {**FILES, "b.c": b"int b(int n) { two(n); return n; }\n"}
    for name in [name for section, name in store._values if section == PART]:
        kept = MemoryStore()
        kept._values.update(store._values)
        kept.put(PART, name, instead)
        beside = Program(MemoryTree(FILES), store=kept, engine=ReachEngine()).beside(MemoryTree(files))
        assert reach(beside) == cold(files)


def test_what_is_read_once_is_kept_when_a_tree_beside_asks() -> None:
    engine = ReachEngine()
    program = Program(MemoryTree(FILES), options=Options(is_read_once=True), engine=engine)
    reach(program)
    assert program.mark == 0
    changed = {**FILES, "c.c": b"int c(int n) { return n + 1; }\n"}
    beside = program.beside(MemoryTree(changed))
    engine.linked.clear()
    engine.summarised.clear()
    assert reach(beside) == cold(changed)
    assert engine.linked == engine.summarised == []
    assert program.mark > 0


def test_what_is_read_of_a_patched_text_is_kept_when_a_text_beside_it_asks() -> None:
    engine = ReachEngine()
    program = Program(MemoryTree(FILES), options=Options(is_read_once=True), engine=engine)
    reach(program)
    files = {**FILES, "b.c": b"int b(int n) { two(n); return n; }\n"}
    patched = program.beside_with({"b.c": files["b.c"]})
    assert reach(patched) == cold(files)
    kept = program.mark
    files["c.c"] = b"int c(int n) { return n + 1; }\n"
    engine.linked.clear()
    engine.summarised.clear()
    assert reach(patched.beside_with({"c.c": files["c.c"]})) == cold(files)
    assert engine.linked == engine.summarised == []
    assert program.mark > kept


def test_long_effects_lie_apart_and_are_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzers.incremental.segments.SHORT", 0)
    kept = MemoryStore()
    for body in (b"int c(int n) { return n; }\n", b"int c(int n) { return n + 1; }\n"):
        program = Program(MemoryTree({**FILES, "c.c": body}), store=kept, engine=ReachEngine())
        assert reach(program) == cold(FILES)
        program.effects(ProcedureKey("c.c", "c"))
        program.save()
    parts = [data for (section, _), data in kept._values.items() if section == PART]
    assert len(set(parts)) == len(parts)
    engine = ReachEngine()
    again = Program(MemoryTree(FILES), store=kept, engine=engine)
    assert reach(again) == cold(FILES) and engine.summarised == []


def test_another_model_is_another_tree(store: MemoryStore) -> None:
    class Specs:
        digest = "others"

        def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> None:
            return None

        def constant(self, name: str) -> str:
            return "=7"

    program = Program(MemoryTree(FILES), Specs(), store, engine=ReachEngine())  # type: ignore[arg-type]
    assert program._trust.mark(A, "effects") == b""


def test_the_nearest_tree_is_found() -> None:
    kept = MemoryStore()
    first, second = MemoryTree(FILES), MemoryTree({**FILES, "c.c": b"", "b.c": b""})
    trust.remember(kept, "here", [first, second])
    close = MemoryTree({**FILES, "c.c": b"int c;\n"})
    assert trust.nearest(kept, "here", close) == trust.listing(first)
    assert trust.nearest(kept, "here", first) == trust.nearest(kept, "there", close) == {}
    assert trust.nearest(kept, "here", MemoryTree({"z.c": b""})) == {}


def test_what_stands_beside_a_tree_is_looked_for_once_for_all_that_differ_in_the_same(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    original = trust.Trust._candidate
    monkeypatch.setattr(trust.Trust, "_candidate", lambda self, at: looked.append(at) or original(self, at))
    known = Program(MemoryTree(FILES), store=store, engine=ReachEngine())
    for number in (1, 2, 3):
        files = {**FILES, "c.c": b"int c(int n) { return n + %d; }\n" % number}
        assert reach(known.beside(MemoryTree(files))) == cold(files)
    assert looked and len(looked) == len(set(looked))


def test_what_stands_there_stands_nowhere_where_something_else_differs(store: MemoryStore) -> None:
    known = Program(MemoryTree(FILES), store=store, engine=ReachEngine())
    for changed in ({"c.c": b"int c(int n) { return n + 1; }\n"}, {"b.c": b"int b(int n) { two(n); return n; }\n"}, {"b.c": b"int b(int n) { four(n); return n; }\n"}):
        files = {**FILES, **changed}
        assert reach(known.beside(MemoryTree(files))) == cold(files)
