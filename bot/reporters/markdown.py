"""`--format markdown`: the exact text that the bot posts, summary first, then each finding's comment.

A comment shows at most 20 lines unfolded, and never outgrows what GitHub takes.
"""

from __future__ import annotations

import msgspec

import templates
from analyzers.finding import Note
from bot.report import Outcome, Report
from bot.reporters.cards import Card, CardStep, cards
from bot.reporters.headline import headline
from bot.reporters.markup import code, fence, link, prose
from bot.reporters.page import Page
from bot.reporters.view import Sources, by_weight, is_shown_first

MAX_BODY = 65_000
"""GitHub refuses bodies of more than 65,536 characters."""

_MAX_PATCH_LINES = 10
_MAX_STEPS = 30
_MAX_ROWS = 60
_MAX_ROW = 400


class SilencedRow(msgspec.Struct, frozen=True):
    """A silenced finding in the summary."""

    card: Card
    by: str
    reason: str
    is_added: bool


class NoteRow(msgspec.Struct, frozen=True):
    """A Note in the summary; line 0 stands for a whole file."""

    path: str
    line: int
    text: str


def render(report: Report, page: Page) -> str:
    """Summary and comments in one text."""
    sources = Sources(report.sources)
    outcomes = [outcome for outcome in by_weight(report.introduced) if is_shown_first(outcome)]
    places = [sources.place(outcome.finding.acquired) for outcome in outcomes]
    return templates.render(
        "review.md",
        summary=summary(report, page),
        comments=[
            (link(place.path, place.line, page.permalink), comment(outcome, report, page))
            for outcome, place in zip(outcomes, places, strict=True)
        ],
    )


def comment(outcome: Outcome, report: Report, page: Page) -> str:
    """What stands under one finding."""
    sources = Sources(report.sources)
    (card,) = cards([outcome], report, sources)
    block = _block(card)
    text = _comment(card, block, report, page)
    return text if len(text) <= MAX_BODY else _comment(card, "", report, page)


def _comment(card: Card, block: str, report: Report, page: Page) -> str:
    return templates.render(
        "comment.md",
        card=card,
        patch=block,
        is_folded=block.count("\n") > _MAX_PATCH_LINES,
        steps=_steps(card),
        head=report.head or "",
        code=code,
        prose=_short,
        sentence=_sentence,
        link=lambda path, line: link(path, line, page.permalink),
    )


def _block(card: Card) -> str:
    """A suggestion where one click mends it, else the patch as a diff."""
    if card.block is not None:
        return fence(card.block.text, "suggestion")
    return fence(card.patch, "diff") if card.patch else ""


def _steps(card: Card) -> list[CardStep | None]:
    """The witness, its middle cut out where it is long (None)."""
    if len(card.steps) <= _MAX_STEPS:
        return list(card.steps)
    half = _MAX_STEPS // 2
    return [*card.steps[:half], None, *card.steps[-half:]]


def summary(report: Report, page: Page) -> str:
    """The comment that is edited in place: what the change does, as lists."""
    text = ""
    for rows in (_MAX_ROWS, _MAX_ROWS // 4, 5):
        text = _summary(report, page, rows)
        if len(text) <= MAX_BODY:
            break
    return text


def _summary(report: Report, page: Page, rows: int) -> str:
    sources, before = Sources(report.sources), Sources(report.baseline_sources)
    introduced = by_weight(report.introduced)
    shown = [outcome for outcome in introduced if is_shown_first(outcome)]
    quiet = [outcome for outcome in introduced if not is_shown_first(outcome)]
    known = [outcome for outcome in report.outcomes if outcome.introduced is False]
    return templates.render(
        "summary.md",
        headline=headline(report),
        is_review=report.is_review,
        shown=cards(shown[:rows], report, sources),
        left_out=max(len(shown) - rows, 0),
        folded=(
            ("assumed, or in test code", len(quiet), cards(quiet[:rows], report, sources), False),
            ("fixed by this change", len(report.fixed), cards(report.fixed[:rows], report, before), True),
            ("here before this change", len(known), cards(known[:rows], report, sources), False),
        ),
        suppressed=_silenced(report, sources)[:rows],
        suppressed_count=len(report.suppressed),
        notes=[_note(note, sources) for note in report.notes[:rows]],
        notes_count=len(report.notes),
        remarks=report.remarks,
        changed_settings=report.changed_settings,
        complete=report.complete,
        head=report.head or "",
        code=code,
        sentence=_sentence,
        link=lambda path, line: link(path, line, page.permalink),
        place=lambda path, line: link(path, line, ""),
    )


def _silenced(report: Report, sources: Sources) -> list[SilencedRow]:
    laid_out = cards((each.outcome for each in report.suppressed), report, sources)
    return [
        SilencedRow(card, each.by, each.reason, each.is_added)
        for card, each in zip(laid_out, report.suppressed, strict=True)
    ]


def _note(note: Note, sources: Sources) -> NoteRow:
    is_whole_file = note.span.start == note.span.end == 0
    return NoteRow(note.span.path, 0 if is_whole_file else sources.place(note.span).line, note.text)


def _short(text: str) -> str:
    """Prose of strangers on one line that stays a line."""
    return prose(text if len(text) <= _MAX_ROW else text[: _MAX_ROW - 1] + "…")


def _sentence(text: str) -> str:
    written = _short(text)
    return written if written.endswith((".", "!", "?")) else written + "."
