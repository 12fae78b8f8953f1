"""Heapcheck between procedures: the maps, its limits, what it tells together with Tracker."""

from __future__ import annotations

import pathlib

import pytest

from analyzers import MemoryTree, analyze, load, specs
from analyzers.detectors import DETECTORS, heapcheck
from analyzers.detectors.heapcheck import Heapcheck
from analyzers.detectors.heapcheck.instantiation import NOBODY, connected, renamed, returned
from analyzers.detectors.heapcheck.points import Bounds
from analyzers.detectors.heapcheck.slices import Slice, cut
from analyzers.domains.heap_statements import Statement, sequence
from analyzers.domains.obligation import Limits
from analyzers.domains.pointer_structure import BOTTOM, Frame, HeapState, empty, saturate
from analyzers.finding import Finding, NoteKind, Role
from analyzers.queries import ProcedureKey, Queries
from analyzers.source import LineIndex

FIXTURES = pathlib.Path(__file__).parents[2] / "fixtures" / "c" / "heapcheck"
CALLER = Frame(("p", "q", "r", "s"), ("next",))
P, Q, R, S = range(4)


def _heap(*statements: Statement) -> HeapState:
    (after,) = sequence(statements, empty(CALLER))
    return after.state


CHAIN = (
    Statement("malloc", P), Statement("malloc", Q), Statement("store", P, 0, Q),
    Statement("malloc", R), Statement("malloc", S), Statement("store", R, 0, S),
)


def test_only_what_is_connected_with_an_argument_goes_to_the_callee() -> None:
    heap = _heap(*CHAIN)
    assert connected(heap, 1 << Q) == 1 << P | 1 << Q
    assert connected(heap, 1 << R) == 1 << R | 1 << S


def test_a_formal_is_another_name_of_its_argument() -> None:
    heap = _heap(*CHAIN)
    pre = renamed(heap, (NOBODY, P, P, Q))
    assert pre.aliases == (BOTTOM, 0b0100, 0b0010, 0)
    assert pre.reached[1] == pre.reached[2] == ((0b1000, BOTTOM),)
    assert saturate(pre) == pre


def test_there_and_back_changes_nothing() -> None:
    heap = _heap(*CHAIN)
    pre = renamed(heap, (NOBODY, P, P, Q))
    assert returned(heap, pre, {P: 2, Q: 3}) == heap


def test_what_a_callee_frees_is_seen_by_the_caller() -> None:
    """The paper's map beta drops the formals."""
    heap = _heap(*CHAIN)
    pre = renamed(heap, (NOBODY, P, P, Q))
    (after,) = sequence((Statement("free", 1),), pre)
    back = returned(heap, after.state, {P: 2, Q: 3})
    assert back.aliases[P] == BOTTOM and back.aliases[Q] == 0
    assert back.reached[R] == heap.reached[R]


def test_what_a_callee_returns_may_be_its_argument() -> None:
    """Table IV has no Ret&Arg."""
    heap = _heap(*CHAIN)
    pre = renamed(heap, (NOBODY, P, P, Q))
    (after,) = sequence((Statement("copy", 0, q=1),), pre)
    back = returned(heap, after.state, {P: 2, Q: 3, S: 0})
    assert back.aliases[S] == 1 << P and back.aliases[P] == 1 << S


def _findings(bounds: Bounds, name: str = "lists.c") -> tuple[list[Finding], list[NoteKind]]:
    program = load(MemoryTree({name: (FIXTURES / name).read_bytes()}), specs.load(("java", "c")))
    analysis = analyze(program, None, (Heapcheck(bounds),))
    return list(analysis.findings), [note.kind for note in analysis.notes]


@pytest.mark.parametrize("bounds", [Bounds(steps=20_000, is_summarising=False), Bounds(steps=20_000, distance=3)])
def test_neither_summaries_nor_the_distance_limit_change_what_is_found(bounds: Bounds) -> None:
    expected = {(each.procedure, each.acquired, each.lost) for each in _findings(Bounds())[0]}
    assert {(each.procedure, each.acquired, each.lost) for each in _findings(bounds)[0]} == expected


def test_a_run_over_its_budget_is_a_note() -> None:
    findings, notes = _findings(Bounds(steps=5))
    assert not findings and NoteKind.BUDGET in notes


def test_a_run_over_its_budget_of_steps_was_not_cut_by_time() -> None:
    program = load(MemoryTree({"lists.c": (FIXTURES / "lists.c").read_bytes()}), specs.load(("java", "c")))
    analysis = analyze(program, None, (Heapcheck(Bounds(steps=5)),))
    assert NoteKind.BUDGET in {note.kind for note in analysis.notes}
    assert (analysis.complete, analysis.undone) == (True, 0)


def test_the_witness_goes_through_both_callees() -> None:
    finding = next(each for each in _findings(Bounds())[0] if each.procedure == "head_only")
    assert [step.role for step in finding.witness] == [Role.ACQUIRE, Role.ACQUIRE, Role.CALL, Role.EXIT]
    index = LineIndex((FIXTURES / "lists.c").read_bytes())
    lines = (FIXTURES / "lists.c").read_text().splitlines()
    told = [lines[index.line(step.span.start) - 1].strip() for step in finding.witness]
    assert [text.partition(";")[0] for text in told] == [
        "last->next = malloc(sizeof *last)", "struct node *list = build(3)", "free(list)", "drop(list)",
    ]


def test_all_detectors_together_tell_a_leak_once() -> None:
    for name in ("lists.c", "trees.c"):
        program = load(MemoryTree({name: (FIXTURES / name).read_bytes()}), specs.load(("java", "c")))
        findings = analyze(program, None, DETECTORS).findings
        places = [(each.procedure, each.acquired) for each in findings]
        assert len(places) == len(set(places))


def test_the_stats_tell_which_stage_decided() -> None:
    program = load(MemoryTree({"trees.c": (FIXTURES / "trees.c").read_bytes()}), specs.load(("java", "c")))
    analysis = analyze(program, None, DETECTORS)
    told = {name: count for name, count in analysis.stats.items() if name.startswith("reports of ")}
    assert sum(told.values()) == len(analysis.findings)
    assert any("heapcheck" in name for name in told)


def test_nothing_is_sliced_where_nothing_links_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    sliced: list[str] = []

    def counted(key: ProcedureKey, queries: Queries, limits: Limits) -> Slice | None:
        sliced.append(key.name)
        return cut(key, queries, limits)

    monkeypatch.setattr(heapcheck, "cut", counted)
    plain = b"struct box { char *text; };\nvoid f(struct box *b) { char *p = malloc(9); b->text = p; free(p); b->text = NULL; }\n"
    linked = plain.replace(b"char *text", b"struct box *text").replace(b"char *p", b"struct box *p")
    analyze(load(MemoryTree({"f.c": plain}), specs.load(("c",))), None, (Heapcheck(),))
    assert not sliced
    analyze(load(MemoryTree({"f.c": linked}), specs.load(("c",))), None, (Heapcheck(),))
    assert sliced
