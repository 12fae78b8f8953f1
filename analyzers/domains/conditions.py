"""Sets of conditions at an exit, as outcomes have them."""

from __future__ import annotations

from analyzers.domains import guard
from analyzers.domains.guard import TOP, Value
from analyzers.summaries import AccessPath, Condition


def is_compatible(one: tuple[Condition, ...], other: tuple[Condition, ...]) -> bool:
    """Whether both sets of conditions can hold together."""
    values: dict[AccessPath, Value] = {}
    for condition in (*one, *other):
        known = values.get(condition.path, TOP)
        refined = guard.refine(known, condition.operator, guard.literal(condition.value))
        if refined is None:
            return False
        values[condition.path] = refined
    return True
