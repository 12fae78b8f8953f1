"""The tokens of C text: names, literals, punctuation and whole directives; comments and blanks are skipped.

Bytes that start no token are skipped too. Offsets are those of the file.
"""

from __future__ import annotations

import re

import msgspec

_TOKEN = re.compile(
    r"""
    (?P<blank> [ \t\r\f\v]+ | \\\r?\n )
  | (?P<line> \n )
  | (?P<comment> /\*.*?(?:\*/|\Z) | //(?:[^\n\\]|\\\r?\n|\\.)* )
  | (?P<string> (?:u8|[uUL])? " (?:[^"\\\n]|\\(?:\r\n|.))* (?:"|(?=\n)|\Z) )
  | (?P<char> (?:u8|[uUL])? ' (?:[^'\\\n]|\\(?:\r\n|.))* (?:'|(?=\n)|\Z) )
  | (?P<name> [A-Za-z_$\x80-\xff][\w$\x80-\xff]* )
  | (?P<number> \.?[0-9](?:[eEpP][+-]|[\w.])* )
  | (?P<punct> \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\| | [-+*/%&|^]= | \#\# | . )
    """,
    re.VERBOSE | re.DOTALL,
)

_DIRECTIVE = re.compile(
    r"""[ \t]*\#(?: \\\r?\n | /\*.*?(?:\*/|\Z) | //(?:[^\n\\]|\\\r?\n|\\.)* | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | [^\n\\] | \\ )*""",
    re.VERBOSE | re.DOTALL,
)


class Token(msgspec.Struct, gc=False):
    """A token: its kind ("name", "number", "string", "char", "punct", "directive"), text and bytes [start, end).

    `is_first` tells whether it is the first of its line.
    """

    kind: str
    text: str
    start: int
    end: int
    is_first: bool


def tokenise(source: str, start: int, end: int) -> list[Token]:
    """The tokens of source[start:end]; `start` is taken for the beginning of a line."""
    tokens: list[Token] = []
    is_first = True
    match = _TOKEN.match
    at = start
    while at < end:
        if is_first:
            directive = _DIRECTIVE.match(source, at, end)
            if directive is not None:
                text = directive.group()
                tokens.append(Token("directive", text.strip(), at + len(text) - len(text.lstrip()), directive.end(), True))
                at = directive.end()
                continue
        found = match(source, at, end)
        if found is None:
            at += 1
            continue
        kind = found.lastgroup or ""
        stop = found.end()
        if kind == "line":
            is_first = True
        elif kind != "blank" and kind != "comment":
            tokens.append(Token(kind, found.group(), at, stop, is_first))
            is_first = False
        at = stop
    return tokens


def directive_end(source: str, start: int) -> int:
    """Where the directive that begins at `start` ends: the line break excluded, continuations included."""
    found = _DIRECTIVE.match(source, start)
    return found.end() if found is not None else start


_CONDITIONAL = frozenset(("if", "ifdef", "ifndef", "else", "elif", "elifdef", "elifndef", "endif"))


def directive_word(token: Token) -> str:
    """The word of a directive (`if`, `define`)."""
    words = token.text.lstrip("# \t").split(maxsplit=1)
    return words[0].split("(")[0].split("!")[0].split('"')[0] if words else ""


def is_conditional(token: Token) -> bool:
    """Whether a directive belongs to conditional compilation."""
    return directive_word(token) in _CONDITIONAL


def pairs(tokens: list[Token]) -> dict[int, int] | None:
    """Which bracket goes with which, both ways; None where they do not balance."""
    stack: list[tuple[str, int]] = []
    found: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.kind != "punct":
            continue
        closing = _CLOSES.get(token.text)
        if closing is not None:
            stack.append((closing, index))
        elif token.text in _CLOSING:
            if not stack or stack[-1][0] != token.text:
                return None
            opening = stack.pop()[1]
            found[opening] = index
            found[index] = opening
    return None if stack else found


_CLOSES = {"(": ")", "{": "}", "[": "]"}
_CLOSING = frozenset(")}]")
