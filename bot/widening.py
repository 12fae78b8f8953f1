"""Which ways a leak of the base is lost by in the head that it was not lost by before.

A leak that was there is still told of where a change adds ways on which it is lost, by these. In Java any call may throw, and each
line that is added would count: there only the ways count that end at a `return` or at the end of a block, and of these, where the
resource was lost by returning before, only such as stood there in some form: who closes nowhere may return once more.
Misses ways whose statement the change rewrites where another one was lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from analyzers.finding import Finding
from analyzers.source import LineIndex, Span
from bot.hunks import FileDiff

Lines = Callable[[str], LineIndex]


def new_exits(known: Finding, found: Finding, diffs: Mapping[str, FileDiff], base: Lines, head: Lines) -> tuple[Span, ...]:
    """The exits of a finding of the head that its partner in the base does not have; none unless they are more than those
    that are gone. `diffs` are by path in the base."""
    diff = diffs.get(known.path)
    if found.path != (diff.after if diff else known.path):
        return ()
    diff = diff or FileDiff(known.path, known.path)
    before = set(_lines(known, base).values())
    kept = {line for each in before if (line := diff.head_line(each)) is not None}
    after = _lines(found, head)
    new = [each for each, line in after.items() if line not in kept and not _is_rewritten(diff, line, before)]
    if found.language != "c" and before:
        new = [each for each in new if not _is_added(diff, after[each])]
    gone = before - {each for each in before if diff.head_line(each) in after.values()}
    return tuple(sorted(new)) if len({after[each] for each in new}) > len(gone) else ()


def _lines(finding: Finding, lines: Lines) -> dict[Span, int]:
    """The lines of the exits that count, in the file of the finding. Of Java those that no exception leaves by: a `return`, or the
    end of a block."""
    index = lines(finding.path)
    exits = [each for each in finding.exits if each.path == finding.path]
    if finding.language != "c":
        exits = [each for each in exits if (text := index.text(each.start, each.end)) == b"}" or _RETURN.match(text)]
    return {each: index.line(each.start) for each in exits}


_RETURN = re.compile(rb"return\b")


def _is_added(diff: FileDiff, line: int) -> bool:
    """Whether a line of the head stands among lines that came in the place of none."""
    block = diff.block_of_head(line)
    return block is not None and block.old_count == 0


def _is_rewritten(diff: FileDiff, line: int, before: set[int]) -> bool:
    """Whether a line of the head came in the place of lines of the base among which the leak was lost."""
    block = diff.block_of_head(line)
    return block is not None and any(block.old <= each < block.old + block.old_count for each in before)
