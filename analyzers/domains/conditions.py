"""Sets of conditions at an exit, as outcomes have them."""

from __future__ import annotations

import functools

from analyzers.domains import guard
from analyzers.domains.guard import TOP, Value
from analyzers.summaries import AccessPath, Condition

_KNOWN = 20_000
"""Answers that are remembered: outcomes are compared in pairs, the same ones for each handle that meets them."""


@functools.lru_cache(_KNOWN)
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
