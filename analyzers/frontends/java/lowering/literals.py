"""Java literals as operands: `=null`, `=true`, `=10`, `='c'`, `="text"`, `=Type.class`.

Integers are written in decimal without suffix. A long string keeps its beginning and a checksum.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from analyzers.syntax import Node

from .body import UNKNOWN, Body

_LONGEST = 120


def _integer(base: int) -> Callable[[Body, Node, str], str]:
    def lower(body: Body, node: Node, into: str) -> str:
        return integer(body.context.text(node), base)

    return lower


def integer(text: str, base: int) -> str:
    """The operand of an integer literal."""
    digits = text.replace("_", "").rstrip("lL")
    if base in (2, 16):
        digits = digits[2:]
    try:
        return f"={int(digits, base)}" if len(digits) <= 64 else UNKNOWN
    except ValueError:
        return UNKNOWN


def floating(body: Body, node: Node, into: str) -> str:
    """A floating-point literal as written."""
    return "=" + body.context.text(node)[:_LONGEST]


def word(body: Body, node: Node, into: str) -> str:
    """`null`, `true`, `false`, a character."""
    return "=" + body.context.text(node)[:_LONGEST]


def string(body: Body, node: Node, into: str) -> str:
    """A string literal or text block."""
    text = body.context.text(node)
    if len(text) <= _LONGEST:
        return "=" + text
    return f"={text[:_LONGEST]}…{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def class_literal(body: Body, node: Node, into: str) -> str:
    """`Type.class`."""
    text = body.context.text(node)
    body.context.mention(text.rpartition(".")[0])
    return "=" + text


EXPRESSIONS: dict[str, Callable[[Body, Node, str], str]] = {
    "decimal_integer_literal": _integer(10),
    "hex_integer_literal": _integer(16),
    "octal_integer_literal": _integer(8),
    "binary_integer_literal": _integer(2),
    "decimal_floating_point_literal": floating,
    "hex_floating_point_literal": floating,
    "true": word,
    "false": word,
    "null_literal": word,
    "character_literal": word,
    "string_literal": string,
    "class_literal": class_literal,
}
