"""Splices macros of the repository that do what no call can do into their user.

A macro is spliced when its body leaves the user (`return`, `goto`, `break`, `case`), assigns an argument or takes its
address, uses a variable of the user, pastes tokens, is no whole statement, does an argument as a statement, is passed the name of a member,
may end the program, says how likely its argument is, casts it by way of a number, or cleans a variable up; all others are called like functions. The user's text is expanded and lowered again; every instruction that came from a body has the place of the use.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Protocol, TypeVar

import msgspec

from analyzers import ir
from analyzers.frontends.c.again import lower_again
from analyzers.frontends.c.constants import TYPE_WORDS, constant_of
from analyzers.frontends.c.expand import Expansion, Text, Token, TooLarge, tokens
from analyzers.frontends.c.words import FEATURES, is_same_as_argument
from analyzers.queries import ProcedureKey

_HEADS = frozenset(("for", "while", "if", "else", "switch"))
_BEFORE_STATEMENTS = frozenset(("{", "}", ";", ")", "else", "do"))
_ENDING = frozenset(("abort", "exit", "_exit", "_Exit", "quick_exit", "longjmp", "siglongjmp"))
"""Functions that do not return: what a test before one of them has said of an argument holds behind the use."""

_NUMBERS = frozenset(("uintptr_t", "intptr_t"))
"""Numbers that hold a pointer."""

_CLEANING = frozenset(("cleanup", "__cleanup__"))
"""How the attribute is written that releases a variable when it goes out of scope."""

_ASSIGN = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_OPENING = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 4
"""Macros in bodies that are looked into, to see whether they must be spliced."""

_MOST_TRIED = 12
"""Macros of one procedure that are tried one by one, where all of them make no C of it."""

_MOST_WORDS = 200
"""Words of macros that are looked into, to see whether they use variables of their user."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Source(Protocol):
    """The files of the tree."""

    def unit(self, path: str) -> ir.Unit | None:
        """The declarations of a file."""

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """A procedure with its body."""

    def written(self, key: ProcedureKey) -> str:
        """The text of a procedure, one character a byte."""

    def memo(self) -> dict[K, V]:
        """A dictionary for answers that are made of others: asked with `in`, then set."""


class Looks(Protocol):
    """Other answers."""

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""


class Splicing:
    """Splices macros, function by function: another function of the file may change without a word."""

    def __init__(self, source: Source, looks: Looks) -> None:
        self._source = source
        self._looks = looks
        self._picked: dict[tuple[str, str], tuple[ir.Macro, ...]] = source.memo()
        self._free: dict[tuple[str, str], frozenset[str]] = source.memo()

    def spliced(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        procedure = self._source.procedure(key)
        if procedure is None or procedure.kind != "function":
            return None
        own = frozenset(ir.source_name(each.name) for each in procedure.variables if each.kind in ("local", "parameter"))
        chosen = _Choice(key, self._looks, (self._picked, self._free), (own, _places(procedure)))
        names = [*_names(procedure), *(name for name in _declaring(procedure) if chosen.cleans_up(name, _DEEPEST))]
        if not any([chosen.find(name) is not None for name in names]):
            return None
        written = self._source.written(key)
        around = self._source.unit(key.path)
        lowered = _spliced(procedure, written, chosen.find, around) if around is not None else None
        return _failing(lowered, written) if lowered is not None and self._is_headed(procedure, written, key) else lowered

    def _is_headed(self, procedure: ir.Procedure, written: str, key: ProcedureKey) -> bool:
        """Whether a macro makes the head of a function: its name is that of a macro, or stands among the arguments of one."""
        name = ir.source_name(key.name)
        words = [token.text for token in tokens(written[: procedure.header_end - procedure.start]) if token.kind != "space"]
        after = [following for word, following in itertools.pairwise(words) if word == name]
        return after[:1] != ["("] or bool(self._looks.macro(key.path, name))


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


def _places(procedure: ir.Procedure) -> frozenset[str]:
    """What a procedure calls whose result it assigns, or takes the address of: a macro that stands for a place (`TEXT(node) = strdup(s)`)."""
    called = {node.dst: node.name for node in procedure.nodes if isinstance(node, ir.Call) and node.kind == "function" and ir.is_temporary(node.dst)}
    return frozenset(
        called[node.base] for node in procedure.nodes
        if isinstance(node, ir.Store | ir.AddressOf) and node.base in called and node.field in ("*", "")
    )


def _declaring(procedure: ir.Procedure) -> list[str]:
    """The words that stand beside the types of a procedure's variables, or for these, and may be macros."""
    found: dict[str, None] = {}
    for each in procedure.variables:
        if each.kind == "local":
            found.update(dict.fromkeys(word.partition("(")[0] for word in (*each.attributes, *each.type.split()[:1])))
    return [word for word in found if word.isidentifier() and word not in TYPE_WORDS]


_Known = tuple[dict[tuple[str, str], tuple[ir.Macro, ...]], dict[tuple[str, str], frozenset[str]]]


class _Choice:
    """Which macros are spliced, as one procedure sees them."""

    def __init__(self, key: ProcedureKey, looks: Looks, known: _Known, used: tuple[frozenset[str], frozenset[str]]) -> None:
        self._path, self._name = key.path, key.name
        self._queries = looks
        self._known, self._free = known
        self._own, self._places = used

    def find(self, name: str) -> ir.Macro | None:
        """The macro to splice for a name; None where there is none."""
        at = (self._path, name)
        if at not in self._known:
            self._known[at] = self._pick(name)
        found = self._here(self._known[at])
        if found is None and (name in self._places or not self._own.isdisjoint(self._free_words(name))):
            found = self._here(each for each in self._functions(name) if each.body)
        return found

    def cleans_up(self, name: str, depth: int) -> bool:
        """Whether a macro, or one that it uses, is an attribute that releases a variable when it goes out of scope."""
        for macro in self._queries.macro(self._path, name):
            words = {token.text for token in tokens(macro.body) if token.kind == "word"}
            if not words.isdisjoint(_CLEANING) or (depth and any(self.cleans_up(each, depth - 1) for each in sorted(words - {name}))):
                return True
        return False

    def _here(self, macros: Iterable[ir.Macro]) -> ir.Macro | None:
        """The first of the definitions that hold in this procedure."""
        return next((each for each in macros if each.holds_in(self._name)), None)

    def _functions(self, name: str) -> list[ir.Macro]:
        """The definitions of a macro with parameters."""
        return [each for each in self._compiled(self._queries.macro(self._path, name)) if each.parameters is not None]

    def _free_words(self, name: str) -> frozenset[str]:
        """The words in the bodies of a macro with parameters, and of those that it uses, that may be variables of its user."""
        at = (self._path, name)
        if at not in self._free:
            found: set[str] = set()
            seen, waiting = {name}, [name]
            while waiting and len(seen) <= _MOST_WORDS:
                for each in self._functions(waiting.pop()):
                    words = _words_outside_members(each.body) - set(each.parameters or ())
                    waiting += sorted(words - seen)
                    seen |= words
                    found |= words
            self._free[at] = frozenset(found)
        return self._free[at]

    def _pick(self, name: str) -> tuple[ir.Macro, ...]:
        macros = self._compiled(self._queries.macro(self._path, name))
        return tuple(each for each in macros if self._needs_splicing(each, _DEEPEST))

    def _compiled(self, macros: tuple[ir.Macro, ...]) -> tuple[ir.Macro, ...]:
        """The definitions without those of the other side of one `#ifdef`, which is chosen alike for all names."""
        words = {each.side for each in macros if each.side}
        if not any("!" + word in words for word in words):
            return macros
        return tuple(each for each in macros if not each.side or self._is_compiled(each.side))

    def _is_compiled(self, side: str) -> bool:
        word = side.removeprefix("!")
        is_defined = word.startswith(FEATURES) or bool(self._queries.macro(self._path, word))
        return is_defined == (word == side)

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
        if (not words.isdisjoint(_ENDING) and "if" in words) or _is_a_guess(line, formals) or _is_a_cast(line, formals) or _does_what_it_is_passed(line, formals) or _names_members(line, formals):
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
        if not _is_alias(line) and any(word != word.upper() and word not in TYPE_WORDS for word in words):
            return True
        makers = [before.text for before, token in itertools.pairwise(line) if before.kind == "word" and token.text == "("]
        return any(self._passes_on(name, {name}, 1) for name in makers)


def _words_outside_members(body: str) -> set[str]:
    """The words of a body that are no names of members."""
    line = [token for token in tokens(body) if token.kind != "space"]
    return {
        token.text for before, token in zip([None, *line], line, strict=False)
        if token.kind == "word" and (before is None or before.text not in (".", "->"))
    }


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


def _is_a_cast(line: list[Token], formals: set[str]) -> bool:
    """Whether a body is its one formal, cast to a pointer by way of a number (`((void *)(uintptr_t)(p))`)."""
    words = [token.text for token in line if token.kind == "word" and token.text not in TYPE_WORDS]
    others = {token.text for token in line if token.kind != "word"}
    return len(words) == 2 and words[0] in _NUMBERS and words[1] in formals and others == {"(", ")", "*"}


def _does_what_it_is_passed(line: list[Token], formals: set[str]) -> bool:
    """Whether a formal is a statement of a body, as `return -1` may be passed for one (`if (!(claim)) { action; }`)."""
    return any(
        before.text in _BEFORE_STATEMENTS and token.text in formals and after.text == ";" and last.text != "void"
        for last, before, token, after in zip([line[0], *line], line, line[1:], line[2:], strict=False)
    )


def _names_members(line: list[Token], formals: set[str]) -> bool:
    """Whether a formal is the name of a member (`((node)->field.next)`)."""
    return any(before.text in (".", "->") and token.text in formals for before, token in itertools.pairwise(line))


def _is_alias(line: list[Token]) -> bool:
    """Whether a body is another name."""
    return len(line) == 1 and line[0].kind == "word" and not _leaves({line[0].text})


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


def _spliced(
    procedure: ir.Procedure, written: str, find: Callable[[str], ir.Macro | None], around: ir.Unit
) -> ir.Procedure | None:
    """A procedure with its macros spliced; without those that make no C of it, which mean another of the name."""
    head = procedure.header_end - procedure.start

    def lowered(others: frozenset[str]) -> ir.Procedure | None:
        expanded = _expanded(written, head, lambda name: None if name in others else find(name))
        return _lowered(procedure, expanded, around) if expanded is not None else None

    found = lowered(frozenset())
    if found is not None:
        return found
    words = {token.text: None for token in tokens(written[head:]) if token.kind == "word" and find(token.text) is not None}
    if not 1 < len(words) <= _MOST_TRIED:
        return None
    unfit = frozenset(word for word in words if lowered(frozenset(words) - {word}) is None)
    return lowered(unfit) if len(unfit) < len(words) else None


def _expanded(text: str, head: int, find: Callable[[str], ir.Macro | None]) -> Text | None:
    """The text of a procedure with the macros of its body expanded; None where that grows too large. Its head stays, which a macro
    may stand for (`START_TEST(name)`): by the name in it the procedure is found again."""
    try:
        line = Expansion(find).expand(tokens(text[head:], head))
    except (TooLarge, RecursionError):
        return None
    return Text([*tokens(text[:head]), *line])


def _lowered(procedure: ir.Procedure, text: Text, around: ir.Unit) -> ir.Procedure | None:
    """A procedure lowered again from its expanded text; None where that fails."""
    unit = lower_again((text.text + "\n").encode("latin-1", "replace"), around)
    name = ir.source_name(procedure.name)
    found = next((each for each in unit.procedures if each.kind == "function" and ir.source_name(each.name) == name), None)
    if found is None or (found.error is not None and procedure.error is None):
        return None
    return _placed(found, procedure, text)


def _failing(procedure: ir.Procedure, written: str) -> ir.Procedure:
    """A function whose head a macro makes, a test, where a macro that returns ends it: a claim that does not hold
    (`EXPECT_EQ(0, status)`), after which nobody cares for what the test has made."""
    following = list(procedure.next)
    for place, node in enumerate(procedure.nodes):
        if isinstance(node, ir.Return) and not written.startswith("return", node.start):
            following[place] = ()
    return msgspec.structs.replace(procedure, next=tuple(following))


def _placed(found: ir.Procedure, original: ir.Procedure, text: Text) -> ir.Procedure:
    """A procedure lowered from expanded text, its places those of the source."""
    base = found.start

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
