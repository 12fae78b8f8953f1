"""A fix as people see it: a unified diff, and the one block of lines that a suggestion replaces."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence

import msgspec

from analyzers.source import LineIndex
from fixers.edits import apply, decode
from fixers.fix import Edit

CONTEXT = 3
"""Unchanged lines around a change in a diff; changes that are nearer than twice this share a hunk."""


class Suggestion(msgspec.Struct, frozen=True):
    """Replace the lines first_line to last_line (from 1, both in) by `text`, which ends its last line.

    `original` is the text that they hold now.
    """

    first_line: int
    last_line: int
    original: str
    text: str


def unified_diff(path: str, before: bytes, after: bytes) -> str:
    """The change as `git diff` prints it, with `a/` and `b/`; empty where nothing changed."""
    old, new = _lines(before), _lines(after)
    parts = []
    for line in difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=CONTEXT):
        parts.append(line)
        if not line.endswith("\n"):
            parts.append("\n\\ No newline at end of file\n")
    return "".join(parts)


def _lines(data: bytes) -> list[str]:
    """Lines by `\\n` alone, as git counts them."""
    lines = decode(data).split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def suggestion(data: bytes, edits: Sequence[Edit]) -> Suggestion | None:
    """The fix as one block of lines, None where it lies in several files or hunks."""
    if not edits or len({edit.span.path for edit in edits}) != 1:
        return None
    index = LineIndex(data)
    blocks = [_block(data, index, edit) for edit in sorted(edits)]
    if any(after[0] - before[1] > 2 * CONTEXT for before, after in itertools.pairwise(blocks)):
        return None
    first, last = blocks[0][0], max(last for _, last in blocks)
    start, end = index.line_start(first), index.line_start(last + 1)
    changed = apply(data, edits)
    text = changed[start : len(changed) - (len(data) - end)]
    return Suggestion(first, last, decode(data[start:end]), decode(text))


def _block(data: bytes, index: LineIndex, edit: Edit) -> tuple[int, int]:
    """The lines that an edit touches. A line must be touched even where text goes in between two."""
    first = index.line(edit.span.start)
    last = index.line(max(edit.span.start, edit.span.end - 1))
    if edit.span.start == len(data) and first > 1 and data.endswith(b"\n"):
        first = last = first - 1
    return first, last
