"""`--format html`: one self-contained page with every witness path drawn on the source.

Asks nothing of the network, and works without scripts; they only add a way to walk a path step by step.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

import templates
from analyzers.finding import Note
from analyzers.rules import rule_text
from bot.report import Outcome, Report
from bot.reporters.cards import Card, cards
from bot.reporters.excerpts import Excerpt, Mark, Row, excerpts
from bot.reporters.headline import headline
from bot.reporters.page import Page
from bot.reporters.view import Sources, by_weight, short, version

MAX_DRAWN = 500
"""Findings drawn whole; of the others each gets a line."""


class Piece(msgspec.Struct, frozen=True):
    """A run of text: plain, code (in prose), or the source of a step."""

    text: str
    is_code: bool = False
    steps: tuple[int, ...] = ()


class Jump(msgspec.Struct, frozen=True):
    """A step under its line, and where the path goes on when that is not the next step below (else 0).

    `is_top` and `is_bottom` tell that the drawn line begins or ends here.
    """

    mark: Mark
    on: int
    is_top: bool
    is_bottom: bool


class Line(msgspec.Struct, frozen=True):
    """A line of source. `is_on_path` tells that the drawn line runs past it."""

    number: int
    pieces: tuple[Piece, ...]
    jumps: tuple[Jump, ...]
    is_on_path: bool


class Drawing(msgspec.Struct, frozen=True):
    """An excerpt, ready to be drawn; None stands for lines left out."""

    path: str
    lines: tuple[Line | None, ...]


class Pair(msgspec.Struct, frozen=True):
    """Lines before and after a patch; equal where nothing changes. Numbers count from the first line."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    first_before: int
    first_after: int
    is_changed: bool


class Section(msgspec.Struct, frozen=True):
    """One hunk of a patch."""

    path: str
    pairs: tuple[Pair, ...]


class Sheet(msgspec.Struct, frozen=True):
    """One finding on the page."""

    card: Card
    drawings: tuple[Drawing, ...]
    sections: tuple[Section, ...]
    title: str
    state: str


class NoteRow(msgspec.Struct, frozen=True):
    """A Note on the page; line 0 stands for a whole file."""

    path: str
    line: int
    kind: str
    text: str


def render(report: Report, page: Page) -> str:
    """The report as one HTML file."""
    sources, before = Sources(report.sources), Sources(report.baseline_sources)
    ordered = by_weight(report.outcomes)
    ordered.sort(key=lambda outcome: outcome.introduced is False)
    return templates.render(
        "report.html",
        report=report,
        headline=headline(report),
        title=report.repository or "leakmend",
        base=short(report.base),
        head=short(report.head),
        sheets=[_sheet(outcome, report, sources) for outcome in ordered[:MAX_DRAWN]],
        more=cards(ordered[MAX_DRAWN:], report, sources),
        fixed=cards(report.fixed, report, before),
        suppressed=[
            (card, each)
            for card, each in zip(
                cards((each.outcome for each in report.suppressed), report, sources), report.suppressed, strict=True
            )
        ],
        notes=[_note(note, sources) for note in report.notes],
        stats=sorted(report.stats.items()) if page.has_stats else [],
        version=version(),
        permalink=page.permalink,
        spans=spans,
    )


def spans(text: str) -> list[Piece]:
    """A sentence cut at its backticks, so that the template can set code apart."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return [Piece(text)]
    return [Piece(part, is_code=number % 2 == 1) for number, part in enumerate(parts) if part]


def _sheet(outcome: Outcome, report: Report, sources: Sources) -> Sheet:
    (card,) = cards([outcome], report, sources)
    text = rule_text(outcome.finding.rule)
    state = {True: "introduced", False: "here before", None: ""}[outcome.introduced]
    return Sheet(
        card=card,
        drawings=tuple(_drawings(card, sources)),
        sections=tuple(_sections(card.patch)),
        title=text.rule.title if text else outcome.finding.rule,
        state=state,
    )


def _note(note: Note, sources: Sources) -> NoteRow:
    is_whole_file = note.span.start == note.span.end == 0
    line = 0 if is_whole_file else sources.place(note.span).line
    return NoteRow(note.span.path, line, note.kind.value, note.text)


# --- the path on the source


def _drawings(card: Card, sources: Sources) -> Iterator[Drawing]:
    found = excerpts(card.steps, sources)
    order = [mark.step.number for excerpt in found for row in excerpt.rows if row for mark in row.marks]
    below = dict(itertools.pairwise(order))
    for excerpt in found:
        yield Drawing(excerpt.path, tuple(_lines(excerpt, below, len(card.steps))))


def _lines(excerpt: Excerpt, below: dict[int, int], last: int) -> Iterator[Line | None]:
    marked = [row.line for row in excerpt.rows if row and row.marks]
    steps = [mark.step.number for row in excerpt.rows if row for mark in row.marks]
    for row in excerpt.rows:
        if row is None:
            yield None
            continue
        jumps = tuple(
            Jump(
                mark,
                0 if number == last or below.get(number) == number + 1 else number + 1,
                number == steps[0],
                number == steps[-1],
            )
            for mark in row.marks
            for number in (mark.step.number,)
        )
        yield Line(row.line, _pieces(row), jumps, marked[0] < row.line <= marked[-1])


def _pieces(row: Row) -> tuple[Piece, ...]:
    """The line cut where steps begin and end."""
    cuts = sorted({0, len(row.text), *(edge for mark in row.marks for edge in (mark.start, mark.end))})
    pieces = []
    for start, end in itertools.pairwise(cuts):
        steps = tuple(mark.step.number for mark in row.marks if mark.start <= start and end <= mark.end)
        if row.text[start:end]:
            pieces.append(Piece(row.text[start:end], steps=steps))
    return tuple(pieces)


# --- before and after


def _sections(patch: str) -> Iterator[Section]:
    path = ""
    lines = patch.split("\n")[:-1]
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/").rstrip("\t")
        elif line.startswith("@@ "):
            body = []
            left = _counts(line)
            while position < len(lines) and (left != (0, 0) or lines[position].startswith("\\")):
                body.append(lines[position])
                mark = lines[position][:1]
                left = (left[0] - (mark in " -"), left[1] - (mark in " +")) if mark != "\\" else left
                position += 1
            yield Section(path, tuple(_pairs(body, *_starts(line))))


def _starts(header: str) -> tuple[int, int]:
    old, new = header.split(" ")[1:3]
    return int(old[1:].partition(",")[0]), int(new[1:].partition(",")[0])


def _counts(header: str) -> tuple[int, int]:
    old, new = header.split(" ")[1:3]
    return int(old.partition(",")[2] or "1"), int(new.partition(",")[2] or "1")


def _pairs(body: Sequence[str], old: int, new: int) -> Iterator[Pair]:
    """Runs of equal lines, and of removed lines with what came in their place."""
    position = 0
    while position < len(body):
        start = position
        is_changed = body[position][:1] != " "
        while position < len(body) and (body[position][:1] != " ") == is_changed:
            position += 1
        run = [line for line in body[start:position] if not line.startswith("\\")]
        before = tuple(line[1:].expandtabs(4) for line in run if line[:1] in " -")
        after = tuple(line[1:].expandtabs(4) for line in run if line[:1] in " +")
        yield Pair(before, after, old, new, is_changed)
        old += len(before)
        new += len(after)
