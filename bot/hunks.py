"""What git's diff says about each file: renames, hunks, and where a line of the base went.

Pure: reads the output of `git diff-tree --raw -z --patch`, runs nothing.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import msgspec


class Block(msgspec.Struct, frozen=True, array_like=True):
    """Consecutive lines that were replaced: `old_count` from line `old`, by `new_count` from line `new`.

    With a count of 0 the lines go in, or went out, before line `old` or `new`.
    """

    old: int
    old_count: int
    new: int
    new_count: int


class FileDiff(msgspec.Struct, frozen=True):
    """One changed file. `before` or `after` is empty where it did not exist.

    blocks   what was replaced, in order
    hunks    first and last line in the head of every hunk with its context: where a comment may stand
    """

    before: str
    after: str
    blocks: tuple[Block, ...] = ()
    hunks: tuple[tuple[int, int], ...] = ()

    def head_line(self, line: int) -> int | None:
        """Where an unchanged line of the base stands in the head; None for one that was replaced."""
        shift = 0
        for block in self.blocks:
            if line < block.old:
                break
            if line < block.old + block.old_count:
                return None
            shift = block.new + block.new_count - block.old - block.old_count
        return line + shift

    def near_line(self, line: int) -> int:
        """`head_line`, or for a replaced line the one of the head that came in its place."""
        for block in self.blocks:
            if block.old <= line < block.old + block.old_count:
                return block.new + min(line - block.old, max(block.new_count - 1, 0))
        return self.head_line(line) or line

    def block_of_base(self, line: int) -> Block | None:
        """The replaced lines of the base that a line is one of."""
        return next((block for block in self.blocks if block.old <= line < block.old + block.old_count), None)

    def block_of_head(self, line: int) -> Block | None:
        """The new lines of the head that a line is one of."""
        index = bisect.bisect_right(self.blocks, line, key=lambda block: block.new) - 1
        block = self.blocks[index] if index >= 0 else None
        return block if block is not None and line < block.new + block.new_count else None

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The hunks, cut where lines were removed: what one suggestion may span, since it cannot hold removed lines."""
        cuts = sorted({block.new for block in self.blocks if block.old_count})
        result = []
        for first, last in self.hunks:
            starts = [first, *(cut for cut in cuts if first < cut <= last)]
            result += list(zip(starts, [*(start - 1 for start in starts[1:]), last], strict=True))
        return tuple(result)

    def is_added(self, line: int) -> bool:
        """Whether a line of the head is new."""
        return self.block_of_head(line) is not None


class RawEntry(msgspec.Struct, frozen=True):
    """One line of `--raw`: the status letter, modes and ids of both sides, and the names."""

    status: str
    modes: tuple[str, str]
    before: bytes
    after: bytes


def parse_raw(output: bytes) -> tuple[list[RawEntry], bytes]:
    """The entries of `--raw -z` output, and the patch that follows them."""
    entries = []
    position = 0
    while output[position : position + 1] == b":":
        header, position = _field(output, position)
        old_mode, new_mode, _, _, status = header[1:].decode().split(" ")
        name, position = _field(output, position)
        target = name
        if status[0] in "RC":
            target, position = _field(output, position)
        before = b"" if status[0] == "A" else name
        after = b"" if status[0] == "D" else target
        entries.append(RawEntry(status[0], (old_mode, new_mode), before, after))
    return entries, output[position:].lstrip(b"\0")


def _field(output: bytes, position: int) -> tuple[bytes, int]:
    end = output.index(b"\0", position)
    return output[position:end], end + 1


def parse_patch(patch: bytes) -> list[tuple[tuple[Block, ...], tuple[tuple[int, int], ...]]]:
    """Per `diff --git` section of a patch its blocks and hunks.

    Bodies are skipped by the counts of their headers, so that text which looks like a header is not one.
    """
    sections: list[tuple[list[Block], list[tuple[int, int]]]] = []
    lines = iter(patch.split(b"\n"))
    for line in lines:
        if line.startswith(b"diff --git "):
            sections.append(([], []))
        elif line.startswith(b"@@ ") and sections:
            old, old_count, new, new_count = _header(line)
            blocks, hunks = sections[-1]
            blocks += _blocks(lines, old, old_count, new, new_count)
            if new_count:
                hunks.append((new, new + new_count - 1))
    return [(tuple(blocks), tuple(hunks)) for blocks, hunks in sections]


def _header(line: bytes) -> tuple[int, int, int, int]:
    """`@@ -a,b +c,d @@`, with a missing count as 1 and the line that counts of 0 stand *before*."""
    old, new = line.split(b" ")[1:3]
    old_start, _, old_count = old[1:].partition(b",")
    new_start, _, new_count = new[1:].partition(b",")
    removed, added = int(old_count or b"1"), int(new_count or b"1")
    return int(old_start) + (removed == 0), removed, int(new_start) + (added == 0), added


def _blocks(lines: Iterator[bytes], old: int, old_count: int, new: int, new_count: int) -> Iterator[Block]:
    old_end, new_end = old + old_count, new + new_count
    start: tuple[int, int] | None = None
    while old < old_end or new < new_end:
        mark = next(lines, b"")[:1]
        if mark in b"-+" and mark:
            start = start or (old, new)
            old += mark == b"-"
            new += mark == b"+"
            continue
        if mark == b"\\":
            continue
        if start is not None:
            yield Block(start[0], old - start[0], start[1], new - start[1])
            start = None
        old += 1
        new += 1
    if start is not None:
        yield Block(start[0], old - start[0], start[1], new - start[1])
