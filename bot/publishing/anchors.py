"""Where a comment on a finding may stand: on lines inside one hunk of git's own diff, on a changed file, or nowhere.

GitHub refuses a whole review where one comment lies outside.
"""

from __future__ import annotations

import msgspec

from bot.report import Outcome, Report
from bot.reporters.view import Sources, one_click
from fixers.fix import Fix


class Lines(msgspec.Struct, frozen=True):
    """Lines of the head that lie in one hunk. `has_suggestion`: they are exactly what the patch replaces."""

    path: str
    first: int
    last: int
    has_suggestion: bool = False


class WholeFile(msgspec.Struct, frozen=True):
    """A changed file, though not one of its hunks."""

    path: str


Anchor = Lines | WholeFile | None


def anchor(outcome: Outcome, report: Report, sources: Sources) -> Anchor:
    """The best place for a comment."""
    finding = outcome.finding
    block = one_click(outcome, report, sources)
    if block is not None and isinstance(outcome.answer, Fix):
        return Lines(outcome.answer.edits[0].span.path, block.first_line, block.last_line, has_suggestion=True)
    for span in (finding.acquired, finding.lost, *(step.span for step in finding.witness)):
        line = sources.place(span).line
        if any(first <= line <= last for first, last in report.hunks.get(span.path, ())):
            return Lines(span.path, line, line)
    for path in (finding.path, finding.acquired.path):
        if path in report.hunks:
            return WholeFile(path)
    return None
