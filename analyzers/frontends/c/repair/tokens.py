"""The tokens of C text: names, literals, punctuation and whole directives; comments and blanks are skipped.

Bytes that start no token are skipped too. Offsets are those of the file.
"""

from __future__ import annotations

import re

import msgspec

_REST_OF_DIRECTIVE = r"""
    (?: \\\r?\n | /\*.*?(?:\*/|\Z) | //(?:[^\n\\]|\\\r?\n|\\.)* | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | [^\n\\] | \\ )*
"""

_TOKEN = re.compile(
    r"""
    (?P<directive> ^[ \t]*\# """ + _REST_OF_DIRECTIVE + r""" )
  | (?P<name> [A-Za-z_$\x80-\xff][\w$\x80-\xff]* )
  | (?P<blank> [ \t\r\f\v]+ | \\\r?\n )
  | (?P<line> \n )
  | (?P<comment> /\*.*?(?:\*/|\Z) | //(?:[^\n\\]|\\\r?\n|\\.)* )
  | (?P<string> " (?:[^"\\\n]|\\(?:\r\n|.))* (?:"|(?=\n)|\Z) )
  | (?P<char> ' (?:[^'\\\n]|\\(?:\r\n|.))* (?:'|(?=\n)|\Z) )
  | (?P<number> \.?[0-9](?:[eEpP][+-]|[\w.])* )
  | (?P<punct> \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\| | [-+*/%&|^]= | \#\# | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_DIRECTIVE = re.compile(r"[ \t]*\#" + _REST_OF_DIRECTIVE, re.VERBOSE | re.DOTALL)

_SKIPPED = frozenset(("blank", "comment", "line"))

_SKIMMED = re.compile(
    r"""
    /\*.*?(?:\*/|\Z) | //(?:[^\n\\]|\\\r?\n|\\.)*
  | " (?:[^"\\\n]|\\(?:\r\n|.))* (?:"|(?=\n)|\Z) | ' (?:[^'\\\n]|\\(?:\r\n|.))* (?:'|(?=\n)|\Z)
  | (?P<brace> [{}] ) | (?P<directive> \# )
    """,
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
    """The tokens of source[start:end]."""
    tokens: list[Token] = []
    is_first = True
    for found in _TOKEN.finditer(source, _line_start(source, start), end):
        kind = found.lastgroup or ""
        if kind in _SKIPPED:
            is_first = is_first or kind == "line"
        else:
            tokens.append(_token(found, kind, is_first))
            is_first = False
    return tokens


def _token(found: re.Match[str], kind: str, is_first: bool) -> Token:
    if kind == "directive":
        text = found.group()
        return Token(kind, text.strip(), found.end() - len(text.lstrip()), found.end(), True)
    start, end = found.span()
    return Token(kind, found.group(), start, end, is_first)


def _line_start(source: str, start: int) -> int:
    """The beginning of the line where nothing but blanks stand before, so that a directive is known."""
    line = source.rfind("\n", 0, start) + 1
    return start if source[line:start].strip() else line


def lex(source: str, start: int, end: int, tokens: list[Token], until: str) -> int:
    """Append tokens up to and with the first that is a directive or in `until`; where that ends."""
    is_first = not tokens or tokens[-1].kind == "directive" or "\n" in source[tokens[-1].end : start]
    for found in _TOKEN.finditer(source, start, end):
        kind = found.lastgroup or ""
        if kind in _SKIPPED:
            is_first = is_first or kind == "line"
            continue
        tokens.append(_token(found, kind, is_first))
        is_first = False
        if kind == "directive" or (kind == "punct" and found.group() in until):
            return found.end()
    return end


def skim(source: str, start: int, end: int) -> Token | None:
    """The next brace or directive; all else is skipped."""
    search = _SKIMMED.search
    at = start
    while True:
        found = search(source, at, end)
        if found is None:
            return None
        at = found.end()
        if found.lastgroup == "brace":
            return Token("punct", found.group(), found.start(), at, False)
        if found.lastgroup == "directive":
            line = source.rfind("\n", start, found.start()) + 1 or start
            if not source[line : found.start()].strip():
                at = directive_end(source, found.start())
                return Token("directive", source[found.start() : at].strip(), found.start(), at, True)


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
