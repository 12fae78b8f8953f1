from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzers.domains import guard
from analyzers.domains.environment import NOTHING, Environments

SUBJECTS = (("x",), ("y",), ("this", "closed"))
VALUES = st.sampled_from([guard.ZERO, guard.ONE, guard.NON_ZERO, guard.POSITIVE, guard.TOP])
ASSIGNMENTS = st.lists(st.tuples(st.integers(0, 2), VALUES), max_size=5)


def _environment(table: Environments, assignments: list[tuple[int, guard.Value]]) -> int:
    environment = NOTHING
    for subject, value in assignments:
        environment = table.assign(environment, subject, value)
    return environment


@given(ASSIGNMENTS, ASSIGNMENTS)
def test_join_says_of_each_subject_what_both_say(
    first: list[tuple[int, guard.Value]], second: list[tuple[int, guard.Value]]
) -> None:
    table = Environments(SUBJECTS)
    one, other = _environment(table, first), _environment(table, second)
    joined = table.join(one, other)
    assert joined == table.join(other, one)
    assert table.join(one, one) == one and table.join(joined, one) == joined
    for subject in range(3):
        assert guard.is_within(table.value(one, subject), table.value(joined, subject))


@given(ASSIGNMENTS)
def test_equal_contents_are_one_environment(assignments: list[tuple[int, guard.Value]]) -> None:
    table = Environments(SUBJECTS)
    last = {subject: value for subject, value in assignments}
    assert _environment(table, assignments) == _environment(table, list(last.items()))


def test_keeping_drops_the_others() -> None:
    table = Environments(SUBJECTS)
    environment = _environment(table, [(0, guard.ONE), (2, guard.ZERO)])
    assert table.entries(table.keep(environment, 0b100)) == ((2, guard.ZERO),)
    assert table.keep(environment, 0) == NOTHING


@given(ASSIGNMENTS, st.integers(0, 0b111))
def test_parts_of_an_environment_are_united_again(assignments: list[tuple[int, guard.Value]], subjects: int) -> None:
    table = Environments(SUBJECTS)
    environment = _environment(table, assignments)
    table.touched = 0
    inside, outside = table.parted(environment, subjects)
    assert table.unite(inside, outside) == environment == table.unite(outside, inside)
    assert not table.touched
    assert all(subjects >> subject & 1 for subject, _ in table.entries(inside))


def test_what_is_read_assigned_or_left_out_is_touched() -> None:
    table = Environments(SUBJECTS)
    environment = _environment(table, [(0, guard.ONE), (2, guard.ZERO)])
    table.touched = 0
    table.value(environment, 1)
    assert table.touched == 0b010
    table.assign(environment, 0, guard.ONE)
    assert table.touched == 0b011
    table.keep(environment, 0b011)
    assert table.touched & 0b111 == 0b111
