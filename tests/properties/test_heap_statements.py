"""Laws of extended pointer structures, and their statements against a concrete heap on random programs."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.domains.heap_statements import Statement, apply
from analyzers.domains.pointer_structure import (
    BOTTOM,
    Frame,
    HeapState,
    empty,
    is_contained,
    join,
    paper_join,
    saturate,
)
from tests.oracles.heaps import Heap, is_true

POINTERS, FIELDS = 3, 2
KINDS = ("null", "store-null", "copy", "load", "store", "malloc", "free")
KNOWN = st.sampled_from((BOTTOM, *range(1 << POINTERS)))
MOST_STATES = 400


def _rows(limit: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[KNOWN] * limit)


STATES = st.builds(
    HeapState,
    st.tuples(*[KNOWN] * POINTERS),
    st.tuples(*[st.tuples(*[_rows(2)] * FIELDS)] * POINTERS),
)


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    """One statement in the form of figure 1: different variables on both sides (Table I)."""
    kind = draw(st.sampled_from(KINDS))
    p, q = draw(st.permutations(range(POINTERS)))[:2]
    return Statement(kind, p, draw(st.integers(0, FIELDS - 1)), q)


@given(STATES, STATES, STATES)
def test_join_is_a_meet_of_claims(one: HeapState, other: HeapState, third: HeapState) -> None:
    assert join(one, other) == join(other, one)
    assert join(join(one, other), third) == join(one, join(other, third))
    assert join(one, one) == one
    assert is_contained(join(one, other), one)
    if is_contained(one, other):
        assert is_contained(join(one, third), join(other, third))


@given(STATES)
def test_saturation_adds_claims_once(state: HeapState) -> None:
    once = saturate(state)
    assert saturate(once) == once
    for number, known in enumerate(once.aliases):
        assert known < 0 or not known >> number & 1


@given(st.lists(statements(), max_size=30))
@settings(max_examples=100, deadline=None)
def test_joined_states_of_a_program_stay_saturated(program: list[Statement]) -> None:
    states = _run(program, 2)
    for one, other in itertools.islice(itertools.combinations(states, 2), 50):
        assert saturate(join(one, other)) == join(one, other)


def _run(program: list[Statement], limit: int) -> list[HeapState]:
    states = [empty(Frame(("p",) * POINTERS, ("f",) * FIELDS, limit))]
    for statement in program:
        found = dict.fromkeys(after.state for state in states for after in apply(statement, state))
        states = list(found)[:MOST_STATES]
    return states


@given(st.lists(statements(), max_size=40), st.integers(2, 3))
@settings(max_examples=300, deadline=None)
def test_states_say_the_truth_and_no_leak_is_missed(program: list[Statement], limit: int) -> None:
    heap = Heap(POINTERS, FIELDS)
    states = [empty(Frame(("p",) * POINTERS, ("f",) * FIELDS, limit))]
    for statement in program:
        afters = [after for state in states for after in apply(statement, state)]
        is_leak = heap.step(statement)
        true = [after for after in afters if is_true(after.state, heap)]
        assert true, (statement, heap.variables, heap.cells)
        if is_leak:
            assert any(after.is_lost for after in true)
        states = list(dict.fromkeys(after.state for after in true))[:MOST_STATES]


@given(st.lists(statements(), max_size=25))
@settings(max_examples=100, deadline=None)
def test_a_joined_state_says_the_truth_of_what_either_stands_for(program: list[Statement]) -> None:
    heap = Heap(POINTERS, FIELDS)
    states = [empty(Frame(("p",) * POINTERS, ("f",) * FIELDS))]
    for statement in program:
        heap.step(statement)
        states = list(dict.fromkeys(after.state for state in states for after in apply(statement, state)))[:MOST_STATES]
    true = [state for state in states if is_true(state, heap)]
    for one, other in itertools.islice(itertools.product(true, states), 100):
        both = join(one, other)
        if all((known == BOTTOM) == (cell is None) for known, cell in zip(both.aliases, heap.variables, strict=True)):
            assert is_true(both, heap)


def test_the_join_of_the_paper_is_not_associative() -> None:
    def state(bits: int) -> HeapState:
        return HeapState((bits, 0), (((0, 0),), ((0, 0),)))

    one, other, third = state(0b10), state(0b01), state(0b01)
    left = paper_join(paper_join(one, other), third)
    right = paper_join(one, paper_join(other, third))
    assert left != right
