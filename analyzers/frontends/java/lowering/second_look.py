"""Makes files parse that the grammar refuses although they are Java: the same bytes, some of them masked.

Offsets stay; names and texts are read from the file itself. Only files with errors are looked at twice.
Masked are annotations before `...`, in `|` of a catch and in patterns, what stands before the last name of a record in its
pattern (`Outer.Point(var x)`), `final` inside of one, all but the last of several patterns of one `case` (they name nothing that is
used; an object of theirs seems to go another way), the word `module` of an import, and the first letter of a constructor call that is
not the first statement (`super(...)`), which then parses as the call of a method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    rb'//[^\n]*|/\*.*?\*/|"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    rb"|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\.\.\.|->|::|[^\s\w]",
    re.DOTALL,
)
_NAME = re.compile(rb"[A-Za-z_$\x80-\xff]")

Token = tuple[bytes, int]


def masked(data: bytes) -> bytes:
    """The file with what the grammar does not know blanked out."""
    changed = bytearray(data)
    tokens = list(_tokens(data))
    pattern_depth = -1
    depth = 0
    for position, (text, start) in enumerate(tokens):
        before = tokens[position - 1][0] if position else b""
        after = tokens[position + 1][0] if position + 1 < len(tokens) else b""
        if text in (b"(", b")"):
            depth += 1 if text == b"(" else -1
        elif text in (b"case", b"instanceof"):
            pattern_depth = depth
        elif text in (b"->", b":", b";", b"{", b"&&", b"||", b"?"):
            pattern_depth = -1
        if text == b"@" and after != b"interface":
            end = _annotation_end(tokens, position)
            following = tokens[end][0] if end < len(tokens) else b""
            stop = tokens[end][1] if end < len(tokens) else len(data)
            if (
                (following in (b"...", b"@") and _precedes_dots(tokens, position))
                or before in (b"|", b"case")
                or pattern_depth >= 0
            ):
                _blank(changed, start, stop)
        elif text in (b"super", b"this") and after == b"(" and before not in (b".", b"::"):
            changed[start] = ord("x")
        elif text == b"module" and before == b"import":
            _blank(changed, start, start + len(text))
        if text == b"instanceof":
            _pattern(changed, tokens, position + 1)
        elif text == b"case":
            _label(changed, tokens, position + 1)
    return bytes(changed)


def _label(changed: bytearray, tokens: list[Token], position: int) -> None:
    """Masks in the patterns of one `case`, up to the guard or the end of the label."""
    first = position
    while position < len(tokens):
        end = _pattern(changed, tokens, position)
        is_pattern = end > position and (tokens[end - 1][0] == b")" or (end < len(tokens) and _NAME.match(tokens[end][0]) and tokens[end][0] != b"when"))
        if not is_pattern:
            return
        end += tokens[end - 1][0] != b")"
        if end >= len(tokens) or tokens[end][0] != b",":
            return
        position = end + 1
        if position < len(tokens):
            _blank(changed, tokens[first][1], tokens[position][1])


def _pattern(changed: bytearray, tokens: list[Token], position: int, *, is_inner: bool = False) -> int:
    """The index of the token after the type of a pattern that begins at a token, or after what stands in the brackets of a record;
    its annotations are masked already."""
    while position < len(tokens) and tokens[position][0] in (b"final", b"@"):
        if is_inner and tokens[position][0] == b"final":
            _blank(changed, tokens[position][1], tokens[position][1] + len(b"final"))
        position = _annotation_end(tokens, position) if tokens[position][0] == b"@" else position + 1
    if position >= len(tokens) or not _NAME.match(tokens[position][0]):
        return position
    first = last = position
    while last + 2 < len(tokens) and tokens[last + 1][0] == b"." and _NAME.match(tokens[last + 2][0]):
        last += 2
    position = last + 1
    depth = 0
    while position < len(tokens) and (depth or tokens[position][0] in (b"<", b"[")):
        depth += (tokens[position][0] in (b"<", b"[")) - (tokens[position][0] in (b">", b"]"))
        if tokens[position][0] in (b";", b"{", b"}", b"("):
            return position
        position += 1
    if position >= len(tokens) or tokens[position][0] != b"(":
        return position
    _blank(changed, tokens[first][1], tokens[last][1])
    position += 1
    while position < len(tokens) and tokens[position][0] not in (b")", b";", b"{", b"}"):
        end = _pattern(changed, tokens, position, is_inner=True)
        while end < len(tokens) and tokens[end][0] not in (b",", b")", b";", b"{", b"}"):
            end += 1
        position = end + (end < len(tokens) and tokens[end][0] == b",")
    return min(position + 1, len(tokens))


def _tokens(data: bytes) -> Iterator[Token]:
    for match in _TOKEN.finditer(data):
        if not match[0].startswith((b"//", b"/*")):
            yield match[0], match.start()


def _annotation_end(tokens: list[Token], position: int) -> int:
    """The index of the token after the annotation that begins at a token."""
    position += 2
    while position + 1 < len(tokens) and tokens[position][0] == b".":
        position += 2
    if position < len(tokens) and tokens[position][0] == b"(":
        depth = 0
        while position < len(tokens):
            depth += (tokens[position][0] == b"(") - (tokens[position][0] == b")")
            position += 1
            if depth == 0:
                break
    return min(position, len(tokens))


def _precedes_dots(tokens: list[Token], position: int) -> bool:
    """Whether only annotations stand between here and `...`."""
    while position < len(tokens) and tokens[position][0] == b"@":
        position = _annotation_end(tokens, position)
    return position < len(tokens) and tokens[position][0] == b"..."


def _blank(changed: bytearray, start: int, end: int) -> None:
    for offset in range(start, end):
        if changed[offset] not in b"\r\n":
            changed[offset] = 0x20
