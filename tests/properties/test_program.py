"""Whatever the calls and the edits: results do not depend on who asks first, nor on what is cached."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers import MemoryTree, Program, analyze
from analyzers.summaries import MemoryStore
from tests.reach import ReachDetector, ReachEngine

NAMES = tuple("abcdefghij")
FILES = ("one.c", "two.c", "sub/three.c")

Calls = dict[str, tuple[int, list[str]]]
"""Per function which file holds it (0: none does) and what it calls."""


def functions() -> st.SearchStrategy[Calls]:
    callees = st.lists(st.sampled_from((*NAMES, "leak")), max_size=3)
    return st.fixed_dictionaries({name: st.tuples(st.integers(0, len(FILES)), callees) for name in NAMES})


def tree(calls: Calls) -> dict[str, bytes]:
    texts: dict[str, str] = dict.fromkeys(FILES, "")
    for name, (place, callees) in calls.items():
        if place:
            body = " ".join(f"if (n) {callee}(n);" for callee in callees)
            texts[FILES[place - 1]] += f"void {name}(int n) {{ {body} }}\n"
    return {path: text.encode() for path, text in texts.items()}


def effects(program: Program, order: list[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    keys = {key.name: key for key in program.procedures()}
    return {name: program.effects(keys[name]).reads for name in order if name in keys}


def said(program: Program) -> tuple[object, ...]:
    analysis = analyze(program, detectors=(ReachDetector(),))
    return analysis.findings, analysis.notes, analysis.complete


@given(functions(), st.permutations(NAMES))
@settings(deadline=None, max_examples=60)
def test_effects_do_not_depend_on_who_asks_first(calls: Calls, order: list[str]) -> None:
    files = tree(calls)
    first = effects(Program(MemoryTree(files), engine=ReachEngine()), list(NAMES))
    assert effects(Program(MemoryTree(files), engine=ReachEngine()), list(order)) == first


@given(st.lists(functions(), min_size=2, max_size=4))
@settings(deadline=None, max_examples=40)
def test_a_warm_run_equals_a_cold_one(versions: list[Calls]) -> None:
    store = MemoryStore()
    for calls in versions:
        warm = Program(MemoryTree(tree(calls)), store=store, engine=ReachEngine())
        cold = Program(MemoryTree(tree(calls)), engine=ReachEngine())
        assert said(warm) == said(cold)
        warm.save()


@given(functions(), functions())
@settings(deadline=None, max_examples=40)
def test_a_program_beside_equals_one_alone(before: Calls, after: Calls) -> None:
    near = Program(MemoryTree(tree(before)), engine=ReachEngine())
    analyze(near, detectors=(ReachDetector(),))
    beside = near.beside(MemoryTree(tree(after)))
    alone = Program(MemoryTree(tree(after)), engine=ReachEngine())
    assert said(beside) == said(alone)
