"""Tells a finding anew by some of its exits only: a review says what a change adds to a leak that was there before."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers.deep import deeply
from analyzers.detectors.tracker import Tracker
from analyzers.finding import Confidence, Finding
from analyzers.incremental.program import Program
from analyzers.queries import ProcedureKey
from analyzers.source import Span


def retold(program: Program, finding: Finding, exits: Sequence[Span]) -> Finding | None:
    """A finding of the Tracker with the path to one of these exits; None where none of them is told by itself."""
    if "tracker" not in finding.detectors:
        return None
    tracker = Tracker(exits=frozenset(exits))
    told = deeply(lambda: list(tracker.detect(program, (ProcedureKey(finding.path, finding.procedure),))))
    same = [
        each for each in told
        if isinstance(each, Finding) and (each.rule, each.acquired) == (finding.rule, finding.acquired) and each.lost in exits
    ]
    if not same:
        return None
    best = min(same, key=lambda each: (each.confidence is not Confidence.WITNESSED, each.lost, each.resource))
    return msgspec.structs.replace(
        finding, confidence=best.confidence, message=best.message, witness=best.witness, lost=best.lost, variable=best.variable,
        resource=best.resource, detail=best.detail,
    )
