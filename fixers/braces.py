"""Puts the braces of what a patch writes where the file has its own: on the line of `try` or below it, `finally` behind the
brace that closes a block or below that.
"""

from __future__ import annotations

import functools

import msgspec

from fixers import text

_OPENING = ("try", "if (", "catch (", "finally", "} catch (", "} finally")
_CLAUSES = (b"catch", b"finally", b"else")


class Braces(msgspec.Struct, frozen=True):
    """Where braces stand: `below` their statement, and whether clauses begin on a line of their own."""

    below: bool
    apart: bool


_NEAR = 25
"""So many lines above and below a place show how braces stand there, where a file has them in both ways."""


def braces_of(data: bytes, offset: int) -> Braces:
    """What most blocks around a place do; those of the whole file, where there are few."""
    lines = _lines(data)
    at = data.count(b"\n", 0, offset)
    near = _counted(lines[max(at - _NEAR, 0) : at + _NEAR])
    whole = near if near[0] + near[1] > 2 and near[2] + near[3] > 2 else _whole(data)
    below, same, _, _ = near if near[0] + near[1] > 2 else whole
    _, _, apart, behind = near if near[2] + near[3] > 2 else whole
    return Braces(below > same, apart > behind)


@functools.lru_cache(4)
def _lines(data: bytes) -> list[bytes]:
    """The lines of a file; the drafts of one file ask again and again."""
    return text.without_text_blocks(data).splitlines()


@functools.lru_cache(4)
def _whole(data: bytes) -> tuple[int, int, int, int]:
    return _counted(_lines(data))


def _counted(lines: list[bytes]) -> tuple[int, int, int, int]:
    """Braces below their statement and behind it; clauses on the line below a closing brace and behind one."""
    below = same = apart = behind = 0
    above = b""
    for line in lines:
        words = line.strip()
        if words == b"{":
            below += 1
        elif words.endswith(b"{") and words.startswith((b"if", b"for", b"while", b"try", b"catch", b"}", b"else", b"finally", b"public", b"private", b"protected")):
            same += 1
        if words.startswith(_CLAUSES) and above == b"}":
            apart += 1
        elif words.startswith(b"}") and words[1:].strip().startswith(_CLAUSES):
            behind += 1
        above = words or above
    return below, same, apart, behind


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
