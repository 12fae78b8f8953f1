"""The source lines that a witness path passes through, with its steps marked on them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import msgspec

from bot.reporters.cards import CardStep
from bot.reporters.view import Sources

CONTEXT = 1
"""Lines shown around each step; gaps of no more than twice this are filled."""

TAB = 4


class Mark(msgspec.Struct, frozen=True):
    """A step on a line: the columns [start, end) that it stands on, from 0, tabs expanded."""

    step: CardStep
    start: int
    end: int


class Row(msgspec.Struct, frozen=True):
    """A line of source, tabs expanded, with the steps that stand on it."""

    line: int
    text: str
    marks: tuple[Mark, ...]


class Excerpt(msgspec.Struct, frozen=True):
    """Consecutive steps in one file. A None between rows stands for lines left out."""

    path: str
    rows: tuple[Row | None, ...]


def excerpts(steps: Sequence[CardStep], sources: Sources) -> list[Excerpt]:
    """The witness as excerpts, in the order of its steps: a new one wherever the path changes its file."""
    return [
        Excerpt(path, tuple(_rows(path, list(group), sources)))
        for path, group in itertools.groupby(steps, key=lambda step: step.place.path)
    ]


def _rows(path: str, steps: Sequence[CardStep], sources: Sources) -> Iterable[Row | None]:
    shown: set[int] = set()
    count = sources.count(path)
    for step in steps:
        line = step.place.line
        shown |= set(range(max(line - CONTEXT, 1), min(line + CONTEXT, count) + 1)) | {line}
    before = 0
    for line in sorted(shown):
        if before and line - before - 1 in range(1, 2 * CONTEXT + 1):
            for between in range(before + 1, line):
                yield Row(between, _expanded(sources.line(path, between)), ())
        elif before and line > before + 1:
            yield None
        text = sources.line(path, line)
        yield Row(line, _expanded(text), tuple(_mark(step, text) for step in steps if step.place.line == line))
        before = line


def _mark(step: CardStep, text: str) -> Mark:
    """A step that goes on over several lines is marked to the end of its first."""
    place = step.place
    end = place.end_column - 1 if place.end_line == place.line else len(text.rstrip())
    start = min(place.column - 1, max(len(text) - 1, 0))
    left = len(_expanded(text[:start]))
    return Mark(step, left, max(len(_expanded(text[: max(end, start)])), left + 1))


def _expanded(text: str) -> str:
    """Tabs as blanks, and nothing that a terminal would obey."""
    return "".join(
        character if character.isprintable() else "\ufffd" for character in text.expandtabs(TAB)
    )
