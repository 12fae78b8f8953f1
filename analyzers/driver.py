"""Asks each detector for the findings of a scope, and combines them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from analyzers.combine import combine
from analyzers.finding import Finding, Note
from analyzers.program import Program
from analyzers.queries import ProcedureKey, Queries


class Detector(Protocol):
    """One analysis. `languages` are those that it reads; it owns its search order and its limits."""

    @property
    def name(self) -> str:
        """The name that findings and `--detectors` use."""

    @property
    def languages(self) -> frozenset[str]:
        """The languages whose procedures it is asked about."""

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterator[Finding]:
        """The findings of these procedures."""


class Analysis(msgspec.Struct, frozen=True):
    """What came of analysing a scope. `complete` is False when the time budget cut the run."""

    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    stats: Mapping[str, float]
    complete: bool = True


def analyze(
    program: Program, scope: Sequence[ProcedureKey] | None = None, detectors: Sequence[Detector] | None = None
) -> Analysis:
    """The findings of the procedures in `scope` (None: all of the tree)."""
    if detectors is None:
        from analyzers.detectors import DETECTORS

        detectors = DETECTORS
    keys = program.procedures() if scope is None else tuple(scope)
    found: list[Finding] = []
    for detector in detectors:
        for key in keys:
            if program.language(key) in detector.languages:
                found += detector.detect(program, (key,))
    return Analysis(combine(found), program.notes, {})
