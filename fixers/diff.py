"""A fix as people see it: a unified diff, and the one block of lines that a suggestion replaces."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from typing import Literal, TypeAlias

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
    if old == new:
        return ""
    parts = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    for group in _Matcher(old, new).get_grouped_opcodes(CONTEXT):
        (_, first, _, other, _), (_, _, last, _, end) = group[0], group[-1]
        parts.append(f"@@ -{_range(first, last)} +{_range(other, end)} @@\n")
        for tag, i1, i2, j1, j2 in group:
            parts += [f" {line}" for line in old[i1:i2]] if tag == "equal" else [f"-{line}" for line in old[i1:i2]]
            parts += [f"+{line}" for line in new[j1:j2]] if tag != "equal" else []
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in parts)


_Code: TypeAlias = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""What becomes of some lines: how they change, and from where to where they stand before and after."""


def _range(start: int, end: int) -> str:
    """Some lines as a hunk names them; none by the line before."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + 1 if count else start},{count}"


class _Matcher(difflib.SequenceMatcher[str]):
    """Takes lines that many others are like (`}`) for the same at the ends of what differs: difflib looks for none of those in a long file."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)
        self._old, self._new = old, new

    def get_opcodes(self) -> list[_Code]:
        """See `difflib`."""
        found: list[_Code] = []
        for tag, i1, i2, j1, j2 in super().get_opcodes():
            if tag != "replace":
                found.append((tag, i1, i2, j1, j2))
                continue
            most = min(i2 - i1, j2 - j1)
            above = next((n for n in range(most) if self._old[i1 + n] != self._new[j1 + n]), most)
            below = next((n for n in range(most - above) if self._old[i2 - 1 - n] != self._new[j2 - 1 - n]), most - above)
            i3, i4, j3, j4 = i1 + above, i2 - below, j1 + above, j2 - below
            kind: Literal["replace", "delete", "insert"] = "replace" if i3 < i4 and j3 < j4 else "delete" if i3 < i4 else "insert"
            found += [("equal", i1, i3, j1, j3)] if above else []
            found += [(kind, i3, i4, j3, j4)] if i3 < i4 or j3 < j4 else []
            found += [("equal", i4, i2, j4, j2)] if below else []
        return _joined(found)


def _joined(
    codes: Sequence[_Code],
) -> list[_Code]:
    """The same with what stays as it is in one piece."""
    found: list[_Code] = []
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal" and found and found[-1][0] == "equal":
            found[-1] = ("equal", found[-1][1], i2, found[-1][3], j2)
        else:
            found.append((tag, i1, i2, j1, j2))
    return found


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
