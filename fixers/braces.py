"""Puts the braces of what a patch writes where the file has its own: on the line of `try` or below it, `finally` behind the
brace that closes a block or below that.
"""

from __future__ import annotations

import functools
import re

import msgspec

from fixers import text
from fixers.fix import Edit

_OPENING = ("try", "if (", "catch (", "finally", "} catch (", "} finally")
_CLAUSES = (b"catch", b"finally")
_ELSE = b"else"


class Braces(msgspec.Struct, frozen=True):
    """Where braces stand: `below` their statement, and whether clauses begin on a line of their own."""

    below: bool
    apart: bool


_NEAR = 25
"""So many lines above and below a place show how braces stand there, where a file has them in both ways."""


def braces_of(data: bytes, offset: int) -> Braces:
    """What most blocks of statements around a place do; those of the whole file, where there are few; those of methods, where there are none.
    How an `else` begins counts where no other clause shows how these do."""
    lines = _lines(data)
    at = data.count(b"\n", 0, offset)
    near, whole = _counted(lines[max(at - _NEAR, 0) : at + _NEAR]), _whole(data)
    least = (_FEW, 0, _FEW, 0)
    places = (near[6:], whole[6:], near[:2], whole[:2])
    counts = (near[2:4], whole[2:4], near[4:6], whole[4:6])
    below, same = next((each for each, few in zip(places, least, strict=True) if sum(each) > few), (0, 0))
    apart, behind = next((each for each, few in zip(counts, least, strict=True) if sum(each) > few), (0, 0))
    return Braces(below > same, apart > behind)


_FEW = 2
"""So few blocks near by do not tell."""


@functools.lru_cache(4)
def _lines(data: bytes) -> list[bytes]:
    """The lines of a file; the drafts of one file ask again and again."""
    return text.without_text_blocks(data).splitlines()


@functools.lru_cache(4)
def _whole(data: bytes) -> tuple[int, ...]:
    return _counted(_lines(data))


_STATEMENTS = (b"if", b"for", b"while", b"try", b"catch", b"}", b"else", b"finally")


_VALUES = (b"{", b",", b"=", b";", b"}", b":")
"""What comes before the brace of an array's values, or of a bare block: nobody could have put that elsewhere."""


def _counted(lines: list[bytes]) -> tuple[int, ...]:
    """Braces below what they belong to and behind it; clauses of a `try` on the line below a closing brace and behind one; the same of `else`;
    the first two once more, of statements alone."""
    below = same = inner_below = inner_same = 0
    apart, behind = {True: 0, False: 0}, {True: 0, False: 0}
    above = b""
    for line in lines:
        words = line.strip()
        if words == b"{":
            if above.endswith(_VALUES):
                continue  # It begins an array in an array, or a block of its own.
            below += 1
            inner_below += above.startswith(_STATEMENTS)
        elif words.endswith(b"{") and words.startswith((*_STATEMENTS, b"public", b"private", b"protected")):
            same += 1
            inner_same += words.startswith(_STATEMENTS)
        if words.startswith((*_CLAUSES, _ELSE)) and above == b"}":
            apart[not words.startswith(_ELSE)] += 1
        elif words.startswith(b"}") and (clause := words[1:].strip()).startswith((*_CLAUSES, _ELSE)):
            behind[not clause.startswith(_ELSE)] += 1
        above = words or above
    return below, same, apart[True], behind[True], apart[False], behind[False], inner_below, inner_same


def placed(words: str, data: bytes, offset: int, braces: Braces) -> str:
    """The text that goes in at an offset, with its braces as the file has them."""
    if not (braces.below or braces.apart) or "{" not in words:
        return words
    at_line = text.starts_line(data, offset)
    outer = text.indentation(data, offset)
    lines = words.split("\n")
    written: list[str] = []
    opened = outer
    for number, line in enumerate(lines):
        body = line.lstrip(" \t")
        is_first = number == 0 and not (at_line and offset == text.line_start(data, offset))
        indent = outer if is_first else line[: len(line) - len(body)]
        lead = line[: len(line) - len(body)]
        if body.startswith(_OPENING):
            opened = indent
        if not body.endswith(" {") or not (body.startswith(_OPENING) or body.endswith(") {")):
            written.append(line)
            continue
        head = body.removesuffix(" {")
        if head.startswith("} "):
            written += [f"{lead}}}", f"{indent}{head.removeprefix('} ')}"]
        elif number == 0 and head.startswith("finally"):
            written += ["", f"{indent}{head}"]
        else:
            written.append(f"{lead}{head}")
        if braces.below:
            written.append(f"{opened}{{")
        else:
            written[-1] += " {"
    return "\n".join(written)


def joined(edit: Edit) -> Edit:
    """An edit as it would be where braces stand on the line of their statement, and clauses behind a brace: for what looks at forms alone."""
    words = re.sub(r"(\btry|\bfinally|\belse|\))[ \t]*\r?\n[ \t]*\{", r"\1 {", edit.text)
    return Edit(edit.span, re.sub(r"\}[ \t]*\r?\n[ \t]*(?=(?:catch|finally|else)\b)", "} ", words))
