"""The conditions under which a call's outcomes happen, on one path: noted where they hold, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.summaries import Condition, Outcome
from fixers.paths.branches import assume
from fixers.paths.places import Places
from fixers.paths.state import NEGATED, State, Value, compare, number

MAX_FAILING = 32
"""States in which none of the outcomes of a call has happened, that are told apart; of what does not hold beyond that nothing is noted."""

MINUS_ONE = Value("number", -1)
"""What the C library answers where it fails."""


class Conditions:
    """The conditions of the outcomes of one call."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def hold(self, state: State, conditions: Sequence[Condition], result: Value) -> bool:
        """Note that conditions hold; False where they cannot."""
        return not conditions or all(self._assume(state, each, result, each.operator) for each in conditions)

    def fail(self, state: State, outcomes: Sequence[Outcome], result: Value) -> Iterator[State]:
        """Where no outcome's condition holds, nothing happened: of each outcome one condition does not."""
        found = [state.copy(state.node)]
        for outcome in outcomes:
            if len(found) <= MAX_FAILING:
                found = [after for each in found for after in self._without(each, outcome, result)]
        yield from found

    def _without(self, state: State, outcome: Outcome, result: Value) -> Iterator[State]:
        """The ways in which an outcome's conditions do not hold; what the result implies does not fail alone."""
        open_ = [each for each in outcome.when if each not in outcome.implied and self._truth(state, each, result) is not True]
        if len(open_) > MAX_FAILING or any(self._truth(state, each, result) is False for each in open_):
            yield state
            return
        for condition in open_:
            after = state.copy(state.node)
            if self._assume_not(after, condition, result):
                yield after

    def _assume_not(self, state: State, condition: Condition, result: Value) -> bool:
        """Note that a condition does not hold. What is no number from 0 on is -1, as the C library has it."""
        if condition.operator == ">=" and condition.value == "=0":
            left = self._places.resolve(state, condition.path, result)
            return left is None or assume(state, "==", left, MINUS_ONE)
        return self._assume(state, condition, result, NEGATED[condition.operator])

    def _truth(self, state: State, condition: Condition, result: Value) -> bool | None:
        """Whether a condition surely holds, surely does not, or may (None)."""
        left, right = self._places.resolve(state, condition.path, result), number(condition.value)
        if left is None or right is None:
            return None
        return compare(condition.operator, state.range_of(left), state.range_of(right))

    def _assume(self, state: State, condition: Condition, result: Value, operator: str) -> bool:
        left = self._places.resolve(state, condition.path, result)
        right = number(condition.value)
        return left is None or right is None or assume(state, operator, left, right)
