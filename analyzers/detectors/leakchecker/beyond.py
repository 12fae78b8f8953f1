"""What a call that lies too deep to be followed step by step does: its stores and loads by points-to, in the caller's objects.

The other half of LeakChecker's implementation (CGO 2014, section 4): flows-out and flows-in from reachability queries,
with a budget and recursion as one context. Says nothing where the budget ends; never that something is overwritten.
"""

from __future__ import annotations

import msgspec

from analyzers.detectors.leakchecker.points_to import NOWHERE, Effect, Object, PointsTo
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import SlotReader

STEPS = 4_000
"""Objects and variables that are come across for one call."""

CONE = 20
"""Procedures that such a call may lead to."""

CALLS = 12
"""Procedures that are summarised for one loop."""


class Summary(msgspec.Struct, frozen=True):
    """What a procedure and its callees do: `loads` are (object, field); formals are named by position, the receiver first."""

    stores: tuple[Effect, ...]
    loads: tuple[tuple[Object, str], ...]
    returned: tuple[Object, ...]
    formals: tuple[str, ...]


class Beyond:
    """The summaries of one loop, each made once."""

    def __init__(self, queries: Queries, reader: SlotReader) -> None:
        self._queries, self._reader = queries, reader
        self._known: dict[ProcedureKey, Summary | None] = {}

    def of(self, key: ProcedureKey) -> Summary | None:
        """What a procedure does; None where that would take too long to say."""
        if key not in self._known:
            self._known[key] = self._summary(key) if len(self._known) < CALLS else None
        return self._known[key]

    def _summary(self, key: ProcedureKey) -> Summary | None:
        linked = self._queries.linked(key)
        points = PointsTo(self._queries, self._reader, key, STEPS, CONE)
        if linked is None or not points.is_complete:
            return None
        found = Summary(points.stores(), points.loads(), points.returned(), ("this", *linked.body.parameters))
        return found if points.is_complete else None


def is_static(made: Object) -> bool:
    """Whether an object is what a static field holds before, or lies below it."""
    return made.key == NOWHERE
