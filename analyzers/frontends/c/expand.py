"""Replaces uses of chosen macros in a piece of C by their bodies, and remembers where every byte came from.

Arguments keep their own places; what comes from a body has the place of the use. ISO C 6.10.3: `#`, `##`, variable
arguments, nested uses, no recursion. Directives stay as they are. Gives up past `MAX_BYTES`.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence

import msgspec

from analyzers import ir

MAX_BYTES = 200_000
"""Expanded text that is still lowered."""

MAX_DEPTH = 12
"""Uses inside of bodies that are followed."""

_TOKEN = re.compile(
    r"""(?P<directive>\#[ \t]*(?:define|undef|include|pragma|error|warning|line|if|ifdef|ifndef|elif|else|endif)\b(?:\\\n|[^\n])*)
      | (?P<space>(?:\s|\\\n|/\*.*?\*/|//[^\n]*)+)
      | (?P<text>(?:L|u8|u|U)?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
      | (?P<word>[A-Za-z_$][\w$]*)
      | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.'])*)
      | (?P<paste>\#\#)
      | (?P<other>[-+*/%&|^<>=!]=|&&|\|\||<<|>>|->|\+\+|--|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)


class Token(msgspec.Struct, frozen=True, gc=False):
    """A token: its kind, its text, and the bytes [start, end) of the source that it stands for.

    `is_own`: it stands there itself; else those bytes are the use of a macro that made it.
    """

    kind: str
    text: str
    start: int
    end: int
    is_own: bool = True
    hidden: frozenset[str] = frozenset()


def tokens(text: str, start: int = 0) -> list[Token]:
    """The tokens of a piece of C, blanks and comments too."""
    return [
        Token(match.lastgroup or "other", match.group(), start + match.start(), start + match.end())
        for match in _TOKEN.finditer(text)
    ]


class TooLarge(Exception):
    """The expansion grew past `MAX_BYTES`."""


class Expansion:
    """Expands the macros that `find` gives (None: leave the word alone)."""

    def __init__(self, find: Callable[[str], ir.Macro | None]) -> None:
        self._find = find
        self._bodies: dict[str, list[Token]] = {}
        self._left = MAX_BYTES

    def expand(self, line: Sequence[Token], depth: int = MAX_DEPTH) -> list[Token]:
        """The tokens with all uses replaced."""
        found: list[Token] = []
        rest = list(reversed(line))
        while rest:
            token = rest.pop()
            macro = self._macro(token, depth)
            arguments: list[list[Token]] = []
            end = token.end
            if macro is not None and macro.parameters is not None:
                taken = _arguments(rest, macro.parameters)
                if taken is None:
                    macro = None
                else:
                    arguments, end = taken
            if macro is None:
                found.append(token)
                continue
            use = Token("use", token.text, token.start, max(end, token.end), hidden=token.hidden | {macro.name})
            body = self._body(macro, arguments, use, depth)
            rest += reversed(self.expand(body, depth - 1) if _is_closed(body) else body)
        return found

    def _macro(self, token: Token, depth: int) -> ir.Macro | None:
        if token.kind != "word" or token.text in token.hidden or depth <= 0:
            return None
        return self._find(token.text)

    def _body(self, macro: ir.Macro, arguments: list[list[Token]], use: Token, depth: int) -> list[Token]:
        body = self._bodies.get(macro.name)
        if body is None:
            body = self._bodies[macro.name] = tokens(macro.body)
        bound = _bind(macro.parameters or (), arguments, use)
        found: list[Token] = []
        place = 0
        while place < len(body):
            token = body[place]
            after = _skip_space(body, place + 1)
            if token.kind == "other" and token.text == "#" and after < len(body) and body[after].text in bound:
                text = "".join(" " if each.kind == "space" else each.text for each in bound[body[after].text]).strip()
                found.append(_from(use, "text", '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'))
                place = after + 1
                continue
            is_pasted = (after < len(body) and body[after].kind == "paste") or (found and found[-1].kind == "paste")
            if token.text in bound and token.kind == "word":
                given = bound[token.text]
                found += (given or [_from(use, "empty", "")]) if is_pasted else self.expand(given, depth - 1)
            elif not (token.kind == "space" and (is_pasted or (found and found[-1].kind == "paste"))):
                found.append(_from(use, token.kind, token.text))
            place += 1
        self._left -= sum(len(token.text) for token in found)
        if self._left < 0:
            raise TooLarge
        return _pasted(found, use)


def _bind(parameters: Sequence[str], arguments: list[list[Token]], use: Token) -> dict[str, list[Token]]:
    """Arguments by the name of their parameter; the last takes the rest where it is variable."""
    bound: dict[str, list[Token]] = {}
    for place, written in enumerate(parameters):
        if written.endswith("..."):
            rest: list[Token] = []
            for number, each in enumerate(arguments[place:]):
                if number:
                    rest.append(_from(use, "other", ","))
                rest += each
            bound[written.removesuffix("...").strip() or "__VA_ARGS__"] = rest
        else:
            bound[written] = _stripped(arguments[place]) if place < len(arguments) else []
    return bound


def _arguments(rest: list[Token], parameters: Sequence[str]) -> tuple[list[list[Token]], int] | None:
    """Take the arguments of a use off the reversed rest; None where none follow, or so many that another macro is meant."""
    place = len(rest) - 1
    while place >= 0 and rest[place].kind == "space":
        place -= 1
    if place < 0 or rest[place].text != "(":
        return None
    depth = 0
    arguments: list[list[Token]] = [[]]
    for index in range(place, -1, -1):
        token = rest[index]
        if token.kind == "other" and token.text in "([{":
            depth += 1
            if depth == 1:
                continue
        elif token.kind == "other" and token.text in ")]}":
            depth -= 1
            if depth == 0:
                if not _fit(parameters, arguments):
                    return None
                del rest[index:]
                return arguments, token.end
        if depth == 1 and token.kind == "other" and token.text == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    return None


def _fit(parameters: Sequence[str], arguments: list[list[Token]]) -> bool:
    """Whether a macro takes so many arguments; what stands between the brackets of none is none, or one that is empty."""
    if parameters and parameters[-1].endswith("..."):
        return len(arguments) >= len(parameters) - 1
    return len(arguments) == max(len(parameters), 1)


def _from(use: Token, kind: str, text: str) -> Token:
    return Token(kind, text, use.start, use.end, False, use.hidden)


def _pasted(found: list[Token], use: Token) -> list[Token]:
    """The tokens with those around `##` made one."""
    if not any(token.kind == "paste" for token in found):
        return found
    done: list[Token] = []
    place = 0
    while place < len(found):
        token = found[place]
        if token.kind == "paste" and done and place + 1 < len(found):
            place += 1
            last, following = done.pop(), found[place]
            if last.text != ",":
                done += tokens_from(use, last.text + following.text)
            elif following.kind != "empty":
                done += (last, following)
        elif token.kind != "paste":
            done.append(token)
        place += 1
    return done


def tokens_from(use: Token, text: str) -> list[Token]:
    """The tokens of a text that a use made."""
    return [_from(use, token.kind, token.text) for token in tokens(text)]


def _stripped(line: list[Token]) -> list[Token]:
    start, end = 0, len(line)
    while start < end and line[start].kind == "space":
        start += 1
    while end > start and line[end - 1].kind == "space":
        end -= 1
    return line[start:end]


def _skip_space(line: list[Token], place: int) -> int:
    while place < len(line) and line[place].kind == "space":
        place += 1
    return place


def _is_closed(body: list[Token]) -> bool:
    """Whether a body can be expanded by itself: no use in it takes arguments from what follows."""
    words = [token for token in body if token.kind != "space"]
    return not words or words[-1].kind != "word"


class Text:
    """Expanded tokens as text, and the way back from its offsets to those of the source."""

    def __init__(self, line: Sequence[Token]) -> None:
        self._line = line
        self._starts: list[int] = []
        at = 0
        parts: list[str] = []
        for token in line:
            text = token.text
            if not token.is_own:
                text = f"{text} " if token.kind in ("word", "number") else text
            self._starts.append(at)
            parts.append(text)
            at += len(text)
        self.text = "".join(parts)

    def start(self, offset: int) -> int:
        """Where in the source the byte at `offset` came from."""
        token, inside = self._at(offset)
        return token.start + inside if token.is_own else token.start

    def end(self, offset: int) -> int:
        """Where in the source what ends at `offset` ends."""
        if offset <= 0:
            return self.start(offset)
        token, inside = self._at(offset - 1)
        return token.start + inside + 1 if token.is_own else token.end

    def _at(self, offset: int) -> tuple[Token, int]:
        place = max(bisect.bisect_right(self._starts, offset) - 1, 0)
        token = self._line[place]
        return token, min(offset - self._starts[place], max(token.end - token.start - 1, 0))
