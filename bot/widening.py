"""Which ways a leak of the base is lost by in the head that it was not lost by before.

A leak that was there is still told of where a change adds ways on which it is lost, by these. In Java any call may throw, and each
line that is added would count: there only what was lost by exceptions alone counts, where it is lost now though nothing throws.
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
    if found.language != "c":
        return _returns(found, head) if _returns(found, head) and not _returns(known, base) else ()
    diff = diff or FileDiff(known.path, known.path)
    before = {base(known.path).line(each.start) for each in known.exits if each.path == known.path}
    kept = {line for each in before if (line := diff.head_line(each)) is not None}
    after = {each: head(found.path).line(each.start) for each in found.exits if each.path == found.path}
    new = [each for each, line in after.items() if line not in kept and not _is_rewritten(diff, line, before)]
    gone = before - {each for each in before if diff.head_line(each) in after.values()}
    return tuple(sorted(new)) if len({after[each] for each in new}) > len(gone) else ()


def _returns(finding: Finding, lines: Lines) -> tuple[Span, ...]:
    """The exits of a finding of Java that nothing has to throw for: a `return`, or the end of a block."""
    index = lines(finding.path)
    texts = {each: index.text(each.start, each.end) for each in finding.exits if each.path == finding.path}
    return tuple(sorted(each for each, text in texts.items() if text == b"}" or _RETURN.match(text)))


_RETURN = re.compile(rb"return\b")


def _is_rewritten(diff: FileDiff, line: int, before: set[int]) -> bool:
    """Whether a line of the head came in the place of lines of the base among which the leak was lost."""
    block = diff.block_of_head(line)
    return block is not None and any(block.old <= each < block.old + block.old_count for each in before)
