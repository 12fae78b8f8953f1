"""Splices macros of the repository that do what no call can do into their user.

A macro is spliced when its body leaves the user (`return`, `goto`, `break`, `case`), assigns an argument or takes its
address, pastes tokens, is no whole statement, or says how likely its argument is; all others are called like functions. The user's text is
expanded and lowered again; every instruction that came from a body has the place of the use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Protocol, TypeVar

import msgspec

from analyzers import ir
from analyzers.frontends.c.again import lower_again
from analyzers.frontends.c.constants import TYPE_WORDS, constant_of
from analyzers.frontends.c.expand import Expansion, Text, Token, TooLarge, tokens
from analyzers.frontends.c.words import is_same_as_argument
from analyzers.queries import ProcedureKey

_HEADS = frozenset(("for", "while", "if", "else", "switch"))
_ASSIGN = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_OPENING = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 4
"""Macros in bodies that are looked into, to see whether they must be spliced."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Source(Protocol):
    """The files of the tree."""

    def whole(self, path: str) -> ir.Unit | None:
        """A file with all bodies."""

    def content(self, path: str) -> str:
        """The text of a file, one character a byte."""

    def memo(self) -> dict[K, V]:
        """A dictionary for answers that are made of others: asked with `in`, then set."""


class Looks(Protocol):
    """Other answers."""

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""


class Splicing:
    """Splices macros, file by file: the functions of a file that need it are lowered again together."""

    def __init__(self, source: Source, looks: Looks) -> None:
        self._source = source
        self._looks = looks
        self._done: dict[str, dict[str, ir.Procedure]] = source.memo()

    def spliced(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        if key.path not in self._done:
            self._done[key.path] = self._splice(key.path)
        return self._done[key.path].get(key.name)

    def _splice(self, path: str) -> dict[str, ir.Procedure]:
        unit = self._source.whole(path)
        if unit is None or unit.language != "c":
            return {}
        chosen = _Choice(path, self._looks)
        wanted = [
            each for each in unit.procedures
            if each.kind == "function" and any([chosen.find(name) is not None for name in _names(each)])
        ]  # fmt: skip
        if not wanted:
            return {}
        text = self._source.content(path)
        texts = {each.name: expanded for each in wanted if (expanded := _expanded(each, text, chosen)) is not None}
        found = _lowered(wanted, texts, unit)
        for each in wanted:
            if each.name in texts and each.name not in found and len(wanted) > 1:
                found.update(_lowered([each], texts, unit))
        return found


def _names(procedure: ir.Procedure) -> list[str]:
    """The names of file level that a procedure uses, in order."""
    found: dict[str, None] = {}
    for node in procedure.nodes:
        match node:
            case ir.Call(kind="function", name=name):
                found[name] = None
            case ir.Load(base="", field=name) | ir.Store(base="", field=name) | ir.AddressOf(base="", field=name):
                found[name.partition(".")[0]] = None
            case _:
                pass
    return list(found)


class _Choice:
    """Which macros are spliced, as one file sees them."""

    def __init__(self, path: str, looks: Looks) -> None:
        self._path = path
        self._queries = looks
        self._known: dict[str, ir.Macro | None] = {}

    def find(self, name: str) -> ir.Macro | None:
        """The macro to splice for a name; None where there is none."""
        if name not in self._known:
            self._known[name] = None
            self._known[name] = self._pick(name)
        return self._known[name]

    def _pick(self, name: str) -> ir.Macro | None:
        macros = self._queries.macro(self._path, name)
        return next((each for each in macros if self._needs_splicing(each, _DEEPEST)), None)

    def _needs_splicing(self, macro: ir.Macro, depth: int) -> bool:
        if macro.parameters is None:
            return self._is_more_than_a_value(macro)
        if not macro.procedure:
            return bool(macro.body)
        line = [token for token in tokens(macro.body) if token.kind != "space"]
        words = {token.text for token in line if token.kind == "word"}
        if _leaves(words) or any(token.kind == "paste" for token in line) or not is_whole(line):
            return True
        formals = set(macro.parameters)
        if _is_a_guess(line, formals):
            return True
        return any(True for _ in _assigned(line, formals)) or any(
            self._passes_on(name, words & formals, depth) for name in sorted(words - formals - {macro.name})
        )

    def _passes_on(self, name: str, used: set[str], depth: int) -> bool:
        """Whether a body uses a macro that must be spliced itself."""
        if depth == 0 or not used:
            return False
        inner = [each for each in self._queries.macro(self._path, name) if each.parameters is not None]
        return any(self._needs_splicing(each, depth - 1) for each in inner)

    def _is_more_than_a_value(self, macro: ir.Macro) -> bool:
        """Whether an object-like macro is something else than a constant or the name of something."""
        line = [token for token in tokens(macro.body) if token.kind != "space"]
        if not line or constant_of(macro.body, lambda name: self._queries.constant(self._path, name)):
            return False
        words = [token.text for token in line if token.kind == "word"]
        return any(word != word.upper() and word not in TYPE_WORDS for word in words) and not _is_alias(line)


def _leaves(words: set[str]) -> bool:
    """Whether a body with these words may jump out of itself."""
    if "return" in words or "goto" in words:
        return True
    is_loop = bool(words & {"for", "while", "do"})
    if words & {"break", "continue"} and not is_loop and ("continue" in words or "switch" not in words):
        return True
    return bool(words & {"case", "default"}) and "switch" not in words


def _is_a_guess(line: list[Token], formals: set[str]) -> bool:
    """Whether a body is its one formal, with a guess of how likely that is."""
    words = [token.text for token in line if token.kind == "word" and token.text not in TYPE_WORDS]
    others = {token.text for token in line if token.kind not in ("word", "number")}
    return (
        len(words) == 2 and is_same_as_argument(words[0]) and words[1] in formals and others <= {"(", ")", "!", ","}
        and sum(token.text == "!" for token in line) in (0, 2)
    )  # fmt: skip


def _is_alias(line: list[Token]) -> bool:
    """Whether a body is another name."""
    return len(line) == 1 and line[0].kind == "word"


def _assigned(line: list[Token], formals: set[str]) -> Iterator[str]:
    """The formals that a body assigns, counts up or down, or takes the address of."""
    for place, token in enumerate(line):
        if token.text not in formals or token.kind != "word":
            continue
        start, end = place, place + 1
        while start > 0 and end < len(line) and line[start - 1].text == "(" and line[end].text == ")":
            start, end = start - 1, end + 1
        before = line[start - 1].text if start else ""
        after = line[end].text if end < len(line) else ""
        is_operand = start > 1 and (line[start - 2].kind in ("word", "number") or line[start - 2].text in ")]")
        is_taken = before == "&" and not is_operand and after not in ("->", "[")
        if after in _ASSIGN or before in ("++", "--") or is_taken:
            yield token.text


def is_whole(line: list[Token]) -> bool:
    """Whether a body is a statement or an expression by itself: brackets match, and no head waits for its body."""
    stack: list[str] = []
    for token in line:
        if token.kind != "other":
            continue
        if token.text in _OPENING:
            stack.append(_OPENING[token.text])
        elif token.text in (")", "]", "}") and (not stack or stack.pop() != token.text):
            return False
    if stack or not line:
        return False
    return line[0].text not in _HEADS or line[-1].text in (";", "}")


def _expanded(procedure: ir.Procedure, text: str, chosen: _Choice) -> Text | None:
    """The text of a procedure with its macros expanded; None where that grows too large."""
    try:
        line = Expansion(chosen.find).expand(tokens(text[procedure.start : procedure.end]))
    except (TooLarge, RecursionError):
        return None
    return Text(line)


def _lowered(wanted: list[ir.Procedure], texts: dict[str, Text], around: ir.Unit) -> dict[str, ir.Procedure]:
    """The procedures lowered again from their expanded texts; those for which that fails are left out."""
    parts: list[str] = []
    starts: dict[str, int] = {}
    at = 0
    for each in wanted:
        if each.name in texts:
            starts[each.name] = at
            parts += (texts[each.name].text, "\n")
            at += len(texts[each.name].text) + 1
    unit = lower_again("".join(parts).encode("latin-1", "replace"), around)
    done: dict[str, ir.Procedure] = {}
    for each in wanted:
        if each.name not in texts:
            continue
        text, start = texts[each.name], starts[each.name]
        found = next((p for p in unit.procedures if _is_again(p, each, start, start + len(text.text))), None)
        if found is not None and (found.error is None or each.error is not None):
            done[each.name] = _placed(found, each, text, start)
    return done


def _is_again(found: ir.Procedure, original: ir.Procedure, start: int, end: int) -> bool:
    """Whether a procedure is the original lowered again, from the text at [start, end)."""
    is_same = found.kind == "function" and ir.source_name(found.name) == ir.source_name(original.name)
    return is_same and start <= found.start < end


def _placed(found: ir.Procedure, original: ir.Procedure, text: Text, begin: int) -> ir.Procedure:
    """A procedure lowered from expanded text, its places those of the source."""
    base = found.start - begin

    def place(start: int, end: int) -> tuple[int, int]:
        first, last = text.start(base + start), text.end(base + end)
        return first, max(first, last)

    def moved_variable(each: ir.Variable) -> ir.Variable:
        if each.end == 0:
            return each
        start, end = place(each.start, each.end)
        return msgspec.structs.replace(each, start=start, end=end, declared=text.start(base + each.declared))

    nodes = []
    for node in found.nodes:
        start, end = place(node.start, node.end) if node.end else (0, 0)
        nodes.append(msgspec.structs.replace(node, start=start, end=end))
    return msgspec.structs.replace(
        original,
        parameters=found.parameters,
        variables=tuple(moved_variable(each) for each in found.variables),
        nodes=tuple(nodes),
        next=found.next,
        raises=found.raises,
        loops=tuple(ir.Loop(*place(each.start, each.end), each.header) for each in found.loops),
    )
