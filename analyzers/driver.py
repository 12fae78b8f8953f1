"""Asks each detector for the findings of a scope, and combines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from analyzers.combine import combine
from analyzers.evaluation import Detector
from analyzers.finding import Finding, Note
from analyzers.program import Program
from analyzers.queries import ProcedureKey


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
    findings: list[Finding] = []
    notes: list[Note] = [note for path in dict.fromkeys(key.path for key in keys) for note in program.notes_of(path)]
    for detector in detectors:
        for key in keys:
            if program.language(key) in detector.languages:
                for each in program.findings(detector, key):
                    if isinstance(each, Finding):
                        findings.append(each)
                    else:
                        notes.append(each)
    notes += program.notes
    return Analysis(combine(findings), tuple(sorted(set(notes), key=_order)), {})


def _order(note: Note) -> tuple[object, ...]:
    return (note.span, note.kind, note.text)
