"""Constants of C as literal operands: `=3`, `=-1`, `="text"`, `=null`, and `=?` where the value is not known."""

from __future__ import annotations

LONGEST_STRING = 80
"""Characters of a string literal that are kept."""

_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}

_BINARY = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "|": int.__or__, "&": int.__and__, "^": int.__xor__,
}


def number(text: str) -> str:
    """A number literal: integers in decimal, anything else as it stands."""
    if text.isdecimal() and (text[0] != "0" or len(text) == 1):
        return "=" + text
    plain = text.replace("'", "").lower()
    if plain[:2] == "0x":
        digits = plain[2:].rstrip("ul")
        return _integer(digits, 16, text)
    if plain[:2] == "0b":
        return _integer(plain[2:].rstrip("ul"), 2, text)
    digits = plain.rstrip("ul")
    if digits.isdecimal():
        return _integer(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10, text)
    return "=" + text


def _integer(digits: str, base: int, text: str) -> str:
    if len(digits) > 40:
        return "=?"
    try:
        return f"={int(digits, base)}"
    except ValueError:
        return "=" + text


def character(text: str) -> str:
    """A character literal as its code."""
    inner = text[text.find("'") + 1 : -1]
    if len(inner) == 1:
        return f"={ord(inner)}"
    if len(inner) == 2 and inner[0] == "\\" and inner[1] in _ESCAPES:
        return f"={_ESCAPES[inner[1]]}"
    if inner[:1] == "\\":
        try:
            return f"={int(inner[2:], 16)}" if inner[1] == "x" else f"={int(inner[1:], 8)}"
        except ValueError:
            return "=?"
    return "=?"


def string(text: str) -> str:
    """A string literal, cut where it is long."""
    return "=" + (text if len(text) <= LONGEST_STRING else text[:LONGEST_STRING] + '…"')


def negate(operand: str, operator: str) -> str:
    """`-` or `~` of a literal integer; empty where it is not one."""
    digits = operand[1:]
    if operand[:1] == "=" and (digits.isdecimal() or (digits[:1] == "-" and digits[1:].isdecimal())):
        return f"={-int(digits)}" if operator == "-" else f"={~int(digits)}"
    return ""


def fold(operator: str, left: str, right: str) -> str:
    """A binary operator on two literal integers; empty where they are not, or the value is of no use."""
    try:
        a, b = int(left[1:]), int(right[1:])
    except ValueError:
        return ""
    if operator in _BINARY:
        return f"={_BINARY[operator](a, b)}"
    if operator == "<<" and 0 <= b < 64:
        return f"={a << b}"
    if operator == ">>" and 0 <= b < 64:
        return f"={a >> b}"
    return ""
