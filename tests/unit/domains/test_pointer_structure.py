"""The paper's own tables, figure and examples, with its values."""

from __future__ import annotations

import pytest

from analyzers.domains.heap_statements import Statement, apply, leave, sequence
from analyzers.domains.pointer_structure import (
    BOTTOM,
    Frame,
    HeapState,
    empty,
    is_compatible,
    is_contained,
    is_less,
    join,
    minus,
    paper_join,
    plus,
    saturate,
    union,
    without,
)

FRAME = Frame(("x", "y", "z"), ("f1", "f2"))
X, Y, Z = (FRAME.bit(name) for name in FRAME.variables)
F1, F2 = 0, 1

FIGURE_2 = HeapState(
    (0, 0, 0),
    (
        ((0, Z), (Y, 0)),
        ((BOTTOM, BOTTOM), (0, BOTTOM)),
        ((BOTTOM, BOTTOM), (BOTTOM, BOTTOM)),
    ),
)


def test_distances_are_taken_apart_as_in_table_2() -> None:
    assert {(one, other): minus(one, other) for one in range(3) for other in range(3)} == {
        (0, 0): (0,), (0, 1): (), (0, 2): (),
        (1, 0): (1,), (1, 1): (0,), (1, 2): (),
        (2, 0): (2,), (2, 1): (1, 2), (2, 2): (0, 1, 2),
    }


def test_distances_add_up_as_in_table_2() -> None:
    assert [[plus(one, other) for other in range(3)] for one in range(3)] == [[0, 1, 2], [1, 2, 2], [2, 2, 2]]


def test_a_farther_limit_keeps_more_distances_apart() -> None:
    assert plus(1, 1, 4) == 2
    assert plus(3, 3, 4) == 4
    assert minus(4, 1, 4) == (3, 4)
    assert minus(3, 1, 4) == (2,)


def test_sets_of_pointers_are_bitwise_as_in_table_3() -> None:
    assert [[union(one, other) for other in (0, 1)] for one in (0, 1)] == [[0, 1], [1, 1]]
    assert [[without(one, other) for other in (0, 1)] for one in (0, 1)] == [[0, 0], [1, 0]]
    assert union(BOTTOM, Y) == union(Y, BOTTOM) == Y
    assert union(BOTTOM, 0) == 0


def test_the_variables_of_a_frame_have_bits_in_their_order() -> None:
    assert (X, Y, Z) == (0b001, 0b010, 0b100)
    assert FRAME.names(X | Z) == ("x", "z")


def test_figure_2_is_saturated() -> None:
    assert saturate(FIGURE_2) == FIGURE_2


def test_figure_2_is_made_by_its_program() -> None:
    x, y, z, t = range(4)
    frame = Frame(("x", "y", "z", "t"), ("f1", "f2"))
    made = sequence(
        (
            Statement("malloc", x),
            Statement("malloc", t), Statement("store", x, F1, t),
            Statement("malloc", z), Statement("store", t, F1, z), Statement("null", t),
            Statement("malloc", y), Statement("store", x, F2, y),
            Statement("malloc", t), Statement("store", y, F2, t), Statement("null", t),
        ),
        empty(frame),
    )
    (after,) = made
    assert not after.is_lost
    assert after.state.aliases[:3] == FIGURE_2.aliases
    assert after.state.reached[:2] == FIGURE_2.reached[:2]
    # What is said of z differs in nothing that is there.
    assert after.state.reached[2] == FIGURE_2.reached[2]


def test_saturation_makes_aliases_symmetric_and_takes_steps_together() -> None:
    rows = ((BOTTOM, BOTTOM), (BOTTOM, BOTTOM))
    state = HeapState((X | Y, 0, 0), (rows, ((Z, BOTTOM), (BOTTOM, BOTTOM)), ((0, BOTTOM), (BOTTOM, BOTTOM))))
    full = saturate(state)
    assert full.aliases == (Y, X, 0)
    assert full.reached[0] == full.reached[1] == ((Z, 0), (BOTTOM, BOTTOM))


def test_containment_and_compatibility_compare_structures() -> None:
    more = HeapState((Y, 0, 0), FIGURE_2.reached)
    assert is_contained(FIGURE_2, more) and not is_contained(more, FIGURE_2)
    assert is_compatible(FIGURE_2, more, 0)
    other = HeapState((Z, 0, 0), FIGURE_2.reached)
    assert not is_compatible(more, other, 0) and is_compatible(more, other, 1)
    assert is_less(0, Y) and is_less(0, BOTTOM) and not is_less(BOTTOM, Y)


def test_the_paper_joins_to_the_smaller_or_to_the_union() -> None:
    more = HeapState((Y, 0, 0), FIGURE_2.reached)
    other = HeapState((Z, 0, 0), FIGURE_2.reached)
    assert paper_join(FIGURE_2, more) == paper_join(more, FIGURE_2) == FIGURE_2
    assert paper_join(more, other).aliases == (Y | Z, 0, 0)
    assert join(more, other) == FIGURE_2


def test_the_union_of_the_paper_hides_a_leak() -> None:
    held = sequence((Statement("malloc", 0), Statement("copy", 1, q=0)), empty(FRAME))[0].state
    alone = sequence((Statement("malloc", 0), Statement("copy", 2, q=0), Statement("null", 2), Statement("malloc", 2)), empty(FRAME))[0].state
    united = paper_join(held, alone)
    assert united not in (held, alone)
    assert [apply(Statement("null", 0), state)[0].is_lost for state in (alone, united, join(held, alone))] == [True, False, True]


# --- figure 4, rule by rule


def _after(*statements: Statement) -> tuple[HeapState, bool]:
    (found,) = sequence(statements, empty(FRAME))
    return found.state, found.is_lost


@pytest.mark.parametrize(("statements", "is_lost"), [
    ((Statement("malloc", 0), Statement("null", 0)), True),
    ((Statement("malloc", 0), Statement("copy", 1, q=0), Statement("null", 0)), False),
    ((Statement("null", 0),), False),
])
def test_rule_1_loses_what_no_other_pointer_reaches(statements: tuple[Statement, ...], is_lost: bool) -> None:
    assert _after(*statements)[1] is is_lost


CHAIN = (Statement("malloc", 0), Statement("malloc", 1), Statement("store", 0, F1, 1))


def test_rule_2_loses_what_only_the_field_held() -> None:
    assert not _after(*CHAIN, Statement("store-null", 0, F1))[1]
    assert _after(*CHAIN, Statement("null", 1), Statement("store-null", 0, F1))[1]
    assert not _after(*CHAIN, Statement("store-null", 0, F2))[1]


def test_rule_2_takes_what_was_reached_from_all_that_reach() -> None:
    deep = (*CHAIN, Statement("malloc", 2), Statement("store", 1, F1, 2))
    state, _ = _after(*deep)
    assert state.reached[0][F1] == (Y, Z)
    cut, _ = _after(*deep, Statement("store-null", 1, F1))
    assert cut.reached[0][F1] == (Y, 0) and cut.reached[1][F1] == (BOTTOM, BOTTOM)


def test_rule_3_moves_a_name() -> None:
    state, is_lost = _after(*CHAIN, Statement("copy", 2, q=1), Statement("copy", 1, q=0))
    assert not is_lost
    assert state.aliases == (Y, X, 0)
    assert state.reached[0][F1][0] == state.reached[1][F1][0] == Z


def test_rule_4_names_what_a_field_holds() -> None:
    state, is_lost = _after(*CHAIN, Statement("load", 2, F1, 0))
    assert not is_lost and state.aliases[2] == Y and state.reached[0][F1][0] == Y | Z


def test_rule_4_says_where_the_rest_may_lie() -> None:
    deep = (*CHAIN, Statement("malloc", 2), Statement("store", 1, F1, 2), Statement("null", 1))
    found = sequence((*deep, Statement("load", 1, F1, 0)), empty(FRAME))
    rows = {after.state.reached[1] for after in found}
    assert all(after.is_guess and not after.is_lost for after in found)
    assert {(row[F1], row[F2]) for row in rows} >= {((Z, 0), (0, 0)), ((0, Z), (0, 0)), ((0, 0), (Z, 0)), ((0, 0), (0, Z))}


def test_rule_5_gives_an_edge_to_all_names_of_the_cell() -> None:
    state, _ = _after(Statement("malloc", 0), Statement("copy", 1, q=0), Statement("malloc", 2), Statement("store", 1, F2, 2))
    assert state.reached[0] == state.reached[1] == ((BOTTOM, BOTTOM), (Z, BOTTOM))
    assert _after(*CHAIN, Statement("null", 1), Statement("malloc", 2), Statement("store", 0, F1, 2))[1]


def test_rule_6_makes_a_cell_with_nothing_in_it() -> None:
    state, is_lost = _after(Statement("malloc", 0), Statement("malloc", 0))
    assert is_lost and state.aliases[0] == 0 and state.reached[0] == ((BOTTOM, BOTTOM),) * 2


def test_rule_7_loses_what_only_the_freed_cell_held() -> None:
    state, is_lost = _after(*CHAIN, Statement("null", 1), Statement("free", 0))
    assert is_lost and state == empty(FRAME)
    assert not _after(*CHAIN, Statement("free", 0))[1]
    assert not _after(*CHAIN, Statement("free", 1), Statement("free", 0))[1]


def test_rule_7_makes_all_names_null() -> None:
    state, _ = _after(*CHAIN, Statement("copy", 2, q=1), Statement("free", 2))
    assert state.aliases == (0, BOTTOM, BOTTOM) and state.reached[0][F1] == (BOTTOM, BOTTOM)


def test_a_self_overwrite_goes_through_a_fresh_variable() -> None:
    """Table I: `p = p->f` is `t = p->f; p = t`, which loses the cell of p alone."""
    found = sequence((*CHAIN, Statement("null", 1), Statement("load", 2, F1, 0), Statement("copy", 0, q=2)), empty(FRAME))
    assert found[0].is_lost and found[0].state.aliases == (Z, BOTTOM, X)


def test_a_return_keeps_what_its_result_holds() -> None:
    made, _ = _after(*CHAIN)
    (kept,) = leave(made, (0, 1), 2, 0)
    assert not kept.is_lost and kept.state.aliases == (BOTTOM, BOTTOM, 0)
    (dropped,) = leave(made, (0, 1), None, None)
    assert dropped.is_lost
