"""Spans that survive edits around them: relative to the procedure that they lie in.

An anchored span has the path `path NUL procedure` and offsets from the procedure's first byte. A span
outside all procedures stays as it is; whoever keeps it depends on the whole file.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Protocol

import msgspec

from analyzers import ir
from analyzers.finding import Finding, Note, Step
from analyzers.source import Span
from analyzers.summaries import Effects, Outcome, Transfer

_MARK = "\0"

Move = Callable[[Span], Span]


class Files(Protocol):
    """Where procedures lie."""

    def outline(self, path: str) -> ir.Unit | None:
        """The declarations of a file."""


class Anchors:
    """Turns spans of one tree into anchored ones and back."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._starts: dict[str, tuple[list[int], list[ir.Procedure]]] = {}
        self._places: dict[str, int] = {}

    def around(self, span: Span) -> ir.Procedure | None:
        """The innermost procedure that holds a span."""
        found = self._starts.get(span.path)
        if found is None:
            unit = self._files.outline(span.path)
            procedures = sorted(unit.procedures, key=lambda each: (each.start, -each.end)) if unit else []
            found = self._starts[span.path] = ([each.start for each in procedures], procedures)
        starts, procedures = found
        for place in range(bisect.bisect_right(starts, span.start) - 1, -1, -1):
            if procedures[place].end >= span.end:
                return procedures[place]
        return None

    def fix(self, span: Span) -> Span:
        """A span, anchored."""
        procedure = self.around(span)
        if procedure is None:
            return span
        start = procedure.start
        return Span(f"{span.path}{_MARK}{procedure.name}", span.start - start, span.end - start)

    def free(self, span: Span) -> Span:
        """An anchored span, where it lies now."""
        path, found, name = span.path.partition(_MARK)
        if not found:
            return span
        start = self._places.get(span.path)
        if start is None:
            unit = self._files.outline(path)
            start = next((each.start for each in unit.procedures if each.name == name), 0) if unit else 0
            self._places[span.path] = start
        return Span(path, span.start + start, span.end + start)


def moved_effects(effects: Effects, move: Move) -> Effects:
    """Effects with every span moved."""
    if all(each.site is None and all(o.span is None for o in each.outcomes) for each in effects.transfers):
        return effects
    return msgspec.structs.replace(effects, transfers=tuple(_moved_transfer(each, move) for each in effects.transfers))


def _moved_transfer(transfer: Transfer, move: Move) -> Transfer:
    outcomes = tuple(_moved_outcome(each, move) for each in transfer.outcomes)
    site = move(transfer.site) if transfer.site is not None else None
    return msgspec.structs.replace(transfer, outcomes=outcomes, site=site)


def _moved_outcome(outcome: Outcome, move: Move) -> Outcome:
    return outcome if outcome.span is None else msgspec.structs.replace(outcome, span=move(outcome.span))


def moved_finding(finding: Finding, move: Move) -> Finding:
    """A Finding with every span moved."""
    return msgspec.structs.replace(
        finding,
        witness=tuple(Step(each.role, move(each.span), each.note) for each in finding.witness),
        acquired=move(finding.acquired),
        lost=move(finding.lost),
        exits=tuple(move(each) for each in finding.exits),
    )


def moved_note(note: Note, move: Move) -> Note:
    """A Note with its span moved."""
    return Note(note.kind, move(note.span), note.text)


def outside(spans: list[Span]) -> tuple[str, ...]:
    """The files of anchored spans that lie in no procedure, sorted."""
    return tuple(sorted({span.path for span in spans if _MARK not in span.path}))
