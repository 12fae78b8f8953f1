"""Makes files parse that the grammar refuses although they are Java: the same bytes, some of them masked.

Offsets stay; names and texts are read from the file itself. Only files with errors are looked at twice.
Masked are annotations before `...`, in `|` of a catch and in patterns, the word `module` of an import,
and the first letter of a constructor call that is not the first statement (`super(...)`), which then
parses as the call of a method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    rb'//[^\n]*|/\*.*?\*/|"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    rb"|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\.\.\.|->|::|[^\s\w]",
    re.DOTALL,
)

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
    return bytes(changed)


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
    return position


def _precedes_dots(tokens: list[Token], position: int) -> bool:
    """Whether only annotations stand between here and `...`."""
    while position < len(tokens) and tokens[position][0] == b"@":
        position = _annotation_end(tokens, position)
    return position < len(tokens) and tokens[position][0] == b"..."


def _blank(changed: bytearray, start: int, end: int) -> None:
    for offset in range(start, end):
        if changed[offset] not in b"\r\n":
            changed[offset] = 0x20
