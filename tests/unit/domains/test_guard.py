from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.domains import guard

NUMBERS = st.integers(-6, 6)
OPERATORS = st.sampled_from(sorted(guard.NEGATED))
HOLDS = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}


@st.composite
def values(draw: st.DrawFn) -> guard.Value:
    """Whatever refinements, joins and sums can make."""
    value = draw(st.sampled_from([guard.TOP, guard.NON_ZERO, guard.BOOLEAN, guard.POSITIVE]))
    for _ in range(draw(st.integers(0, 4))):
        refined = guard.refine(value, draw(OPERATORS), guard.constant(draw(NUMBERS)))
        value = refined if refined is not None else value
        if draw(st.booleans()):
            value = guard.join(value, guard.constant(draw(NUMBERS)))
        if draw(st.booleans()):
            value = guard.add(value, draw(st.sampled_from([-1, 1])))
    return value


@given(values(), values(), NUMBERS)
def test_join_holds_both(one: guard.Value, other: guard.Value, number: int) -> None:
    joined = guard.join(one, other)
    assert joined == guard.join(other, one)
    assert guard.join(one, one) == one
    if guard.contains(one, number) or guard.contains(other, number):
        assert guard.contains(joined, number)


@given(values(), values(), NUMBERS)
def test_meet_holds_what_both_hold(one: guard.Value, other: guard.Value, number: int) -> None:
    met = guard.meet(one, other)
    if guard.contains(one, number) and guard.contains(other, number):
        assert met is not None and guard.contains(met, number)


@given(values(), OPERATORS, NUMBERS, NUMBERS)
def test_refining_keeps_every_number_that_satisfies_the_test(
    value: guard.Value, operator: str, bound: int, number: int
) -> None:
    refined = guard.refine(value, operator, guard.constant(bound))
    if guard.contains(value, number) and HOLDS[operator](number, bound):
        assert refined is not None and guard.contains(refined, number)
    if refined is not None and operator != "!=":
        assert guard.is_within(refined, value)


@given(values(), OPERATORS, values(), NUMBERS, NUMBERS)
def test_refining_by_a_value_keeps_what_can_stand_in_the_relation(
    value: guard.Value, operator: str, other: guard.Value, number: int, partner: int
) -> None:
    if guard.contains(value, number) and guard.contains(other, partner) and HOLDS[operator](number, partner):
        refined = guard.refine(value, operator, other)
        assert refined is not None and guard.contains(refined, number)


@given(values(), st.integers(-2, 2), NUMBERS)
def test_adding_keeps_every_sum(value: guard.Value, addend: int, number: int) -> None:
    if guard.contains(value, number):
        assert guard.contains(guard.add(value, addend), number + addend)


def test_counting_ends() -> None:
    value, seen = guard.ZERO, set()
    while value not in seen:
        seen.add(value)
        value = guard.add(value, 1)
    assert len(seen) < 10


@given(values(), NUMBERS)
def test_bounds_say_what_the_value_says(value: guard.Value, number: int) -> None:
    holds = all(HOLDS[operator](number, bound) for operator, bound in guard.bounds(value))
    assert holds == guard.contains(value, number)


@pytest.mark.parametrize(
    ("text", "number"),
    [("10", 10), ("0x1F", 31), ("017", 15), ("-1", -1), ("5UL", 5), ("1_000L", 1000), ("'a'", 97), ("1.5", None), ("?", None)],
)
def test_literals_of_both_languages(text: str, number: int | None) -> None:
    assert guard.parse_integer(text) == number


def test_null_false_and_texts() -> None:
    assert guard.literal("=null") == guard.ZERO == guard.literal("=false")
    assert guard.literal("=true") == guard.ONE
    assert not guard.contains(guard.literal('="x"'), 0) and guard.literal("=?") == guard.TOP


def test_symbols_equal_themselves_only_and_no_number() -> None:
    one, other = guard.symbol(1), guard.symbol(2)
    assert guard.refine(one, "==", other) is None and guard.refine(one, "!=", one) is None
    assert guard.refine(one, "==", guard.ZERO) is not None and guard.refine(one, "!=", guard.ZERO) is not None
    assert guard.join(one, other) == guard.TOP
