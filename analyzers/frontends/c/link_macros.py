"""Splices macros of the repository that do what no call can do into their user.

A macro is spliced when its body leaves the user (`return`, `goto`, `break`, `case`), assigns an argument or takes its
address, pastes tokens, or is no whole statement; all others are called like functions. The user's text is
expanded and lowered again; every instruction that came from a body has the place of the use.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.frontends.c.constants import constant_of
from analyzers.frontends.c.expand import Expansion, Text, Token, TooLarge, tokens
from analyzers.queries import ProcedureKey, Queries

_LEAVE = frozenset(("return", "goto", "break", "continue", "case", "default"))
_HEADS = frozenset(("for", "while", "if", "else", "switch"))
_ASSIGN = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_OPENING = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 4
"""Macros in bodies that are looked into, to see whether they must be spliced."""


def with_macros(key: ProcedureKey, procedure: ir.Procedure, queries: Queries) -> ir.Procedure:
    """The procedure with those macros spliced in; the same one where there are none."""
    chosen = _Choice(key.path, queries)
    wanted = [name for name in _names(procedure) if chosen.is_spliced(name)]
    if not wanted or procedure.kind != "function":
        return procedure
    return _lowered(key, procedure, queries, chosen) or procedure


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

    def __init__(self, path: str, queries: Queries) -> None:
        self._path = path
        self._queries = queries
        self._known: dict[str, ir.Macro | None] = {}

    def is_spliced(self, name: str) -> bool:
        """Whether uses of a name are replaced by a body."""
        return self.find(name) is not None

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
        if words & _LEAVE or any(token.kind == "paste" for token in line) or not is_whole(line):
            return True
        formals = set(macro.parameters)
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
        return not any(token.kind in ("number", "text") for token in line[:1]) or len(line) > 1


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
        if after in _ASSIGN or before in ("++", "--") or (before == "&" and not is_operand):
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


def _lowered(
    key: ProcedureKey, procedure: ir.Procedure, queries: Queries, chosen: _Choice
) -> ir.Procedure | None:
    """The procedure lowered again with its macros expanded; None where that fails."""
    source = queries.source_of(key).decode("latin-1")
    try:
        text = Text(Expansion(chosen.find).expand(tokens(source)))
    except (TooLarge, RecursionError):
        return None
    found = _lower_text(key, procedure, queries, text)
    if found is None or (found.error is not None and procedure.error is None):
        return None
    return found


def _lower_text(key: ProcedureKey, procedure: ir.Procedure, queries: Queries, text: Text) -> ir.Procedure | None:
    from analyzers.frontends.c import lower

    shell = queries.shell(key.path) + "\n"
    unit = lower((shell + text.text).encode("latin-1", "replace"))
    name = ir.source_name(procedure.name)
    candidates = [
        each
        for each in unit.procedures
        if each.kind == "function" and each.start >= len(shell) and ir.source_name(each.name) == name
    ]
    return _placed(candidates[0], procedure, text, len(shell)) if candidates else None


def _placed(found: ir.Procedure, original: ir.Procedure, text: Text, shell: int) -> ir.Procedure:
    """A procedure lowered from expanded text, its places those of the source."""
    base = found.start - shell

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
