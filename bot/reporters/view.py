"""What all reporters need to know of a report: places as lines and columns, patches, counts, order."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from analyzers.finding import Confidence
from analyzers.source import LineIndex, Span
from bot.report import Outcome, Report
from fixers.diff import Suggestion, suggestion, unified_diff
from fixers.edits import apply, one_each
from fixers.fix import CHECKS, Applicability, Check, Edit, Fix, Verdict


class Place(msgspec.Struct, frozen=True):
    """A span as people write it: lines and columns from 1, columns in code points."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Sources:
    """The files that a report points into, with lines counted once."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._indices: dict[str, LineIndex] = {}

    def read(self, path: str) -> bytes:
        """The bytes of a file; empty where the report does not carry it."""
        return self._files.get(path, b"")

    def place(self, span: Span) -> Place:
        """Lines and columns of a span."""
        index = self._index(span.path)
        line, column = index.position(span.start)
        end_line, end_column = index.position(span.end)
        return Place(span.path, line, column, end_line, end_column)

    def line(self, path: str, number: int) -> str:
        """The text of one line, without its end."""
        index = self._index(path)
        start, end = index.line_start(number), index.line_start(number + 1)
        return self.read(path)[start:end].decode("utf-8", "replace").rstrip("\r\n")

    def count(self, path: str) -> int:
        """The number of lines of a file."""
        content = self.read(path)
        return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))

    def _index(self, path: str) -> LineIndex:
        if path not in self._indices:
            self._indices[path] = LineIndex(self.read(path))
        return self._indices[path]


def version() -> str:
    """The version of leakmend that is installed."""
    return importlib.metadata.version("leakmend")


def files_of(edits: Iterable[Edit]) -> dict[str, list[Edit]]:
    """Edits by file, in order, no two of which begin at one place."""
    result: dict[str, list[Edit]] = {}
    for edit in one_each(edits):
        result.setdefault(edit.span.path, []).append(edit)
    return result


def patch(edits: Sequence[Edit], sources: Sources) -> str:
    """Edits as a unified diff over all their files; empty where they do not fit the text."""
    parts = []
    for path, own in files_of(edits).items():
        before = sources.read(path)
        try:
            parts.append(unified_diff(path, before, apply(before, own)))
        except ValueError:
            return ""
    return "".join(parts)


def one_click(outcome: Outcome, report: Report, sources: Sources) -> Suggestion | None:
    """The fix as one block of lines that a reader of the pull request can accept, where it is one.

    In a review it has to lie in one hunk of the change; in a scan there is no hunk to ask for.
    """
    if not isinstance(outcome.answer, Fix) or len(files_of(outcome.answer.edits)) != 1:
        return None
    if carrier(outcome, report) != outcome.fingerprint:
        return None
    path = outcome.answer.edits[0].span.path
    try:
        block = suggestion(sources.read(path), outcome.answer.edits)
    except ValueError:
        return None
    if block is None or block.original == block.text or not is_text(block.text):
        return None
    if not report.is_review:
        return block
    ranges = report.hunks.get(path, ())
    return block if any(first <= block.first_line and block.last_line <= last for first, last in ranges) else None


def carrier(outcome: Outcome, report: Report) -> str:
    """The fingerprint of the finding that a patch is shown under, where it mends several: the weightiest."""
    if not outcome.together:
        return outcome.fingerprint
    group = [each for each in report.outcomes if each.fingerprint in (outcome.fingerprint, *outcome.together)]
    return by_weight(group)[0].fingerprint if group else outcome.fingerprint


def is_text(text: str) -> bool:
    """Whether every character came from UTF-8: other bytes cannot be posted."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def is_safe(outcome: Outcome) -> bool:
    """Whether the finding has a fix that is proved in every point."""
    return isinstance(outcome.answer, Fix) and outcome.answer.applicability is Applicability.SAFE


def checks(fix: Fix) -> tuple[Check, ...]:
    """The proof in the order in which checks are shown."""
    order = {name: number for number, name in enumerate(CHECKS)}
    return tuple(sorted(fix.proof, key=lambda check: (order.get(check.name, len(order)), check.name)))


def assumptions(fix: Fix) -> tuple[Check, ...]:
    """The checks that were not proved."""
    return tuple(check for check in checks(fix) if check.verdict is not Verdict.PROVED)


def by_weight(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """What a reader should see first: witnessed before assumed, then by place."""
    return sorted(outcomes, key=lambda o: (o.finding.confidence is not Confidence.WITNESSED, o.finding.acquired))


def is_shown_first(outcome: Outcome) -> bool:
    """Whether the outcome stands open in a report and is not folded away: witnessed, and not in test code."""
    return outcome.finding.confidence is Confidence.WITNESSED and not outcome.is_test


def plural(number: int, noun: str, nouns: str = "") -> str:
    """«1 leak», «2 leaks»."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def short(commit: str | None) -> str:
    """A commit id as people quote it."""
    return (commit or "")[:12]
