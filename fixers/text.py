"""The look of a file: its lines, indentation and line endings, so that a fix reads like what is around it."""

from __future__ import annotations

import functools
import re
from collections import Counter

BLANKS = b" \t\f\v"


def line_start(data: bytes, offset: int) -> int:
    """The first byte of the line that holds `offset`."""
    return data.rfind(b"\n", 0, offset) + 1


def line_end(data: bytes, offset: int) -> int:
    """The end of the line that holds `offset`, before its line ending."""
    end = data.find(b"\n", offset)
    if end == -1:
        end = len(data)
    return end - 1 if end > offset and data[end - 1 : end] == b"\r" else end


def next_line(data: bytes, offset: int) -> int:
    """The first byte of the line after the one that holds `offset`, or the end of the text."""
    end = data.find(b"\n", offset)
    return len(data) if end == -1 else end + 1


def indentation(data: bytes, offset: int) -> str:
    """The blanks that begin the line of `offset`."""
    start = line_start(data, offset)
    end = start
    while end < len(data) and data[end] in BLANKS:
        end += 1
    return data[start:end].decode("ascii")


def starts_line(data: bytes, offset: int) -> bool:
    """Whether only blanks stand before `offset` on its line."""
    return not data[line_start(data, offset) : offset].strip(BLANKS)


def ends_line(data: bytes, offset: int) -> bool:
    """Whether only blanks follow `offset` on its line."""
    return not data[offset : line_end(data, offset)].strip(BLANKS + b"\r")


def trailing_comment(data: bytes, offset: int) -> int | None:
    """The start of a comment that is all that follows `offset` on its line."""
    rest = data[offset : line_end(data, offset)]
    words = rest.lstrip(BLANKS)
    is_block = words.startswith(b"/*") and words.rstrip(BLANKS).endswith(b"*/") and words.count(b"*/") == 1
    return offset + len(rest) - len(words) if words.startswith(b"//") or is_block else None


def behind(data: bytes, offset: int) -> int:
    """The offset, or the end of its line where only a comment follows it there."""
    return offset if trailing_comment(data, offset) is None else line_end(data, offset)


def line_ending(data: bytes, offset: int) -> str:
    """The line ending that belongs at `offset`: that of its line, else of the line before, else `\\n`."""
    end = data.find(b"\n", offset)
    if end == -1:
        end = data.rfind(b"\n", 0, offset)
    return "\r\n" if end > 0 and data[end - 1 : end] == b"\r" else "\n"


def with_ending(text: str, ending: str) -> str:
    """The text with all of its line endings made alike."""
    return text.replace("\r\n", "\n").replace("\n", ending)


NEAR = 30
"""So many lines on either side tell how far a place of a file steps in."""

ENOUGH = 3
MOST = 0.8
"""So many steps of theirs, this part of all at least, tell more than the file."""


_BLOCK = re.compile(rb'"""[ \t]*\r?\n.*?"""', re.DOTALL)


_TEXTS = 8
"""Texts of which is remembered how they are laid out: the drafts of one file ask again and again."""


def without_text_blocks(data: bytes) -> bytes:
    """A file of Java with nothing in its text blocks, whose lines are none of its own; as many lines, and bytes elsewhere."""
    if b'"""' not in data:
        return data
    return _BLOCK.sub(lambda found: b'"""' + b"\n" * found[0].count(b"\n") + b'"""', data)


def unit_at(data: bytes, offset: int) -> str:
    """One step of indentation as the lines around a place have it, where they agree; else as the file has it."""
    start, end = line_start(data, offset), next_line(data, offset)
    for _ in range(NEAR):
        start, end = line_start(data, start - 1) if start else 0, next_line(data, end) if end < len(data) else end
    near, _ = _steps(data[start:end])
    above = _first_line(data, offset)
    mine = indentation(data, above)
    while above and mine.startswith("\t") and mine.strip("\t"):  # Blanks behind a tab: a place of its own.
        above = line_start(data, above - 1)
        before = indentation(data, above)
        if not data[above : line_end(data, above)].strip() or len(before) >= len(mine):
            continue
        if mine.startswith(before) and not mine[len(before) :].strip(" "):
            return mine[len(before) :]
        mine = before
    usual = near.most_common(1)
    if usual and usual[0][1] >= max(ENOUGH, MOST * near.total()):
        return usual[0][0]
    return (own_step(data, offset) if near.total() >= ENOUGH else "") or indentation_unit(data)


def own_step(data: bytes, offset: int) -> str:
    """How far the statement of a place steps in from the line of the brace that opens its block, in blanks; empty where that tells nothing."""
    at = _first_line(data, offset)
    mine = indentation(data, at)
    while at:
        at = line_start(data, at - 1)
        words, before = data[at : line_end(data, at)].strip(), indentation(data, at)
        if words and len(before) < len(mine):
            step = mine[len(before) :]
            return step if words.endswith(b"{") and not (mine + before).strip(" ") and len(step) in _STEPS else ""
    return ""


_STEPS = (2, 3, 4, 8)
"""So many blanks are a step, where one block alone tells."""


def _first_line(data: bytes, offset: int) -> int:
    """Where the line begins with which the statement of a place begins, as far as the ends of the lines above tell."""
    start = line_start(data, offset)
    while start:
        above = line_start(data, start - 1)
        words = data[above : line_end(data, above)].strip()
        if not words or words.endswith((b";", b"{", b"}", b":", b"*/")) or words.startswith((b"//", b"@", b"*")):
            break
        start = above
    return start


TAB = 8
"""So many columns a tab stands for where blanks make up the rest of an indentation, as editors of Unix write it."""


def mixed_step(data: bytes, offset: int) -> int:
    """By how many columns lines step in, where they write every eight columns as a tab and the rest as blanks; 0 where they do not.
    The lines around a place tell, and those of the file where these are too few."""
    start, end = line_start(data, offset), next_line(data, offset)
    for _ in range(NEAR):
        start, end = line_start(data, start - 1) if start else 0, next_line(data, end) if end < len(data) else end
    near = _mixed_step(data[start:end])
    return (_mixed_step(data) or 0) if near is None else near


@functools.lru_cache(_TEXTS)
def _mixed_step(data: bytes) -> int | None:
    """The same of some lines; None where too few of them step in with a tab on either side of a brace, and 0 where most of those that stand far
    enough in for a tab have none."""
    steps: Counter[int] = Counter()
    tabs = carried = plain = packed = 0
    before, is_open = "", False
    for line in without_text_blocks(data).splitlines():
        body = line.lstrip(BLANKS)
        if not body or body[:1] in (b"*", b"#") or body[:2] == b"//":
            continue
        blanks = line[: len(line) - len(body)].decode("ascii")
        packed += "\t" in blanks
        plain += "\t" not in blanks and len(blanks) >= TAB
        step = columns(blanks) - columns(before)
        if is_open and "\t" in blanks + before and step > 0:
            steps[step] += 1
            tabs += step == TAB
            carried += blanks.endswith("\t") and before.endswith(" ") and blanks.count("\t") > before.count("\t")
        before, is_open = blanks, body.rstrip().endswith(b"{")
    if plain > packed:
        return 0
    if steps.total() < ENOUGH:
        return None
    step, count = steps.most_common(1)[0]
    return step if step < TAB and carried and count >= MOST * steps.total() else 0


def columns(blanks: str) -> int:
    """How far in an indentation ends, where a tab goes on to the next multiple of eight."""
    return len(blanks.expandtabs(TAB))


def tabbed(blanks: str) -> str:
    """An indentation with every eight columns written as a tab, and the rest as blanks."""
    tabs, rest = divmod(columns(blanks), TAB)
    return "\t" * tabs + " " * rest


@functools.lru_cache(_TEXTS)
def indentation_unit(data: bytes) -> str:
    """One step of indentation: a tab, or the number of blanks by which lines of the file most often step in, behind a
    brace that opens a block where there is one (other lines go on further in)."""
    steps, others = _steps(data)
    steps = steps or others
    if not steps:
        return "    "
    return max(sorted(steps), key=lambda step: steps[step])


def _steps(data: bytes) -> tuple[Counter[str], Counter[str]]:
    """How far lines step in, and how many: those behind a brace that opens a block, and others, which may go on with what stands above."""
    steps: Counter[str] = Counter()
    others: Counter[str] = Counter()
    before, is_open = "", False
    for line in without_text_blocks(data).splitlines():
        body = line.lstrip(BLANKS)
        if not body or body[:1] in (b"*", b"#") or body[:2] == b"//":
            continue
        blanks = line[: len(line) - len(body)].decode("ascii")
        if len(blanks) > len(before) and blanks.startswith(before):
            step = blanks[len(before) :]
            if step == "\t" or (not step.strip(" ") and 2 <= len(step) <= 8):
                (steps if is_open else others)[step] += 1
        before, is_open = blanks, body.rstrip().endswith(b"{")
    return steps, others


def reindented(text: str, indent: str) -> str:
    """The lines of a rendered template, each that is not empty moved in by `indent`."""
    return "".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))
