"""Constant expressions as text: the body of an object-like macro to the literal operand that it stands for.

Integers, strings, null pointers; casts are passed through. What holds a division, a float or a `sizeof` is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers.frontends.c import literals
from analyzers.frontends.c.expand import Token, tokens

_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"), ("*",),
)
_COMPARE = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}
TYPE_WORDS = frozenset((
    "void", "char", "short", "int", "long", "unsigned", "signed", "const", "size_t", "ssize_t", "struct", "uint8_t",
    "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t", "off_t", "float", "double", "bool",
))  # fmt: skip
_LONGEST = 40
"""Tokens of an expression that is still read."""


def constant_of(text: str, find: Callable[[str], str]) -> str:
    """The literal that an expression always is; empty where that is not known. `find` knows names."""
    line = [token for token in tokens(text) if token.kind != "space"]
    if not line or len(line) > _LONGEST:
        return ""
    reader = _Reader(line, find)
    value = reader.binary(0)
    return value if reader.is_done else ""


def is_integer(literal: str) -> bool:
    """Whether a literal operand is an integer."""
    digits = literal[2:] if literal[1:2] == "-" else literal[1:]
    return literal[:1] == "=" and digits.isdecimal()


def fold(operator: str, left: str, right: str) -> str:
    """A binary operator on two literals; empty where the value is not known."""
    if operator in ("==", "!=") and (left == "=null" or right == "=null"):
        if _is_zero(left) and _is_zero(right):
            return "=1" if operator == "==" else "=0"
        if '"' in (left[1:2], right[1:2]) or left[:2] == "=&" or right[:2] == "=&":
            return "=0" if operator == "==" else "=1"
        return ""
    if not (is_integer(left) and is_integer(right)):
        return ""
    a, b = int(left[1:]), int(right[1:])
    if operator in _COMPARE:
        return "=1" if _COMPARE[operator](a, b) else "=0"
    if operator == "&&":
        return "=1" if a and b else "=0"
    if operator == "||":
        return "=1" if a or b else "=0"
    return literals.fold(operator, left, right)


def truth(literal: str) -> bool | None:
    """Whether a literal counts as true; None where that is not known."""
    if is_integer(literal):
        return literal not in ("=0", "=-0")
    if literal in ("=null", "=false"):
        return False
    if literal == "=true" or literal[:2] in ('="', "=&"):
        return True
    return None


def _is_zero(literal: str) -> bool:
    return literal in ("=null", "=0")


class _Reader:
    """Precedence climbing over the tokens; a value that is not known is empty and stays so."""

    def __init__(self, line: Sequence[Token], find: Callable[[str], str]) -> None:
        self._line = line
        self._find = find
        self._at = 0

    @property
    def is_done(self) -> bool:
        """Whether all tokens were read."""
        return self._at == len(self._line)

    def _text(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._line[place].text if place < len(self._line) else ""

    def binary(self, level: int) -> str:
        """An expression of at least this level of precedence."""
        if level == len(_LEVELS):
            return self._unary()
        value = self.binary(level + 1)
        while self._text() in _LEVELS[level]:
            operator = self._text()
            self._at += 1
            right = self.binary(level + 1)
            value = fold(operator, value, right) if value and right else ""
        return value

    def _unary(self) -> str:
        text = self._text()
        if text in ("-", "~", "+", "!"):
            self._at += 1
            value = self._unary()
            if text == "+":
                return value
            if text == "!":
                known = truth(value) if value else None
                return "" if known is None else ("=0" if known else "=1")
            return literals.negate(value, text)
        if text == "(":
            return self._parenthesis()
        return self._leaf()

    def _parenthesis(self) -> str:
        closing = self._closing()
        if closing is None:
            self._at = len(self._line) + 1
            return ""
        inside = [token.text for token in self._line[self._at + 1 : closing]]
        if inside and (_is_type(inside) or self._is_cast(inside, closing)):
            self._at = closing + 1
            value = self._unary()
            return "=null" if inside[-1] == "*" and value == "=0" else value
        self._at += 1
        value = self.binary(0)
        if self._at != closing:
            value = ""
        self._at = closing + 1
        return value

    def _is_cast(self, inside: Sequence[str], closing: int) -> bool:
        """Whether a name in parentheses is that of a type: it is no constant, and an operand follows (`(status_t) 13`)."""
        following = self._line[closing + 1] if closing + 1 < len(self._line) else None
        is_operand = following is not None and (following.kind in ("number", "word") or following.text == "(")
        return is_operand and len(inside) == 1 and inside[0].isidentifier() and not self._find(inside[0])

    def _closing(self) -> int | None:
        depth = 0
        for place in range(self._at, len(self._line)):
            depth += {"(": 1, ")": -1}.get(self._line[place].text, 0)
            if depth == 0:
                return place
        return None

    def _leaf(self) -> str:
        if self._at >= len(self._line):
            self._at += 1
            return ""
        token = self._line[self._at]
        self._at += 1
        if token.kind == "number":
            value = literals.number(token.text)
            return value if is_integer(value) else ""
        if token.kind == "text":
            if token.text.startswith('"'):
                return literals.string(token.text) if self._text()[:1] != '"' else ""
            value = literals.character(token.text)
            return value if is_integer(value) else ""
        if token.kind == "word" and self._text() != "(":
            return "=null" if token.text == "NULL" else self._find(token.text)
        return ""


def _is_type(words: list[str]) -> bool:
    return words[0] in TYPE_WORDS or (words[-1] == "*" and all(word.isidentifier() or word == "*" for word in words))
