"""What other procedures of the same file show of a function of C that nobody knows, by releasing what they got from it.

Engler's beliefs across procedures: where most that call it, and do not pass its result on, release that result, or what it stores
for them, it gives that away. Only bodies are looked at, no effects. Reports too much where some get what is theirs, others what they
borrow; misses functions that only one procedure calls.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from analyzers import ir
from analyzers.handles.c.begun import CLEARING, is_emptying
from analyzers.handles.c.uses import Uses, uses_of
from analyzers.handles.unknown import (
    FINAL,
    ends_a_part,
    is_ender,
    is_freeing,
    is_releaser,
    is_taking,
    may_make,
    words_of,
)
from analyzers.queries import Linked, ProcedureKey, Queries

MAX_CALLERS = 16
"""Procedures of the file that are asked."""
_MOST_ARGUMENTS = 6
RESULT = -1
"""The position of what a function returns."""
_POSITIONS = (RESULT, *range(_MOST_ARGUMENTS))


class _Use(enum.Enum):
    PASSED = enum.auto()
    FREED = enum.auto()
    RELEASED = enum.auto()
    DROPPED = enum.auto()


class Elsewhere:
    """The other procedures of one file, as far as they are asked about."""

    def __init__(self, queries: Queries, own: ProcedureKey) -> None:
        self._queries = queries
        self._own = own
        self._known: dict[tuple[str, int], tuple[bool, bool]] = {}
        self._texts: dict[tuple[str, int], tuple[bool, bool]] = {}
        self._freeing: dict[str, bool] = {}
        self._enders: dict[tuple[str, str], frozenset[str]] = {}

    def frees_blocks(self, function: str) -> bool:
        """See `frees_blocks`."""
        if function not in self._freeing:
            self._freeing[function] = frees_blocks(self._queries, self._own, function)
        return self._freeing[function]

    def given(self, function: str, position: int) -> tuple[bool, bool]:
        """Whether others release the result of a function (or what it stores where argument number `position` points), and by
        nothing but a function that frees a block."""
        key = (function, position)
        if key not in self._known:
            self._known[key] = self._given(function, position)
        return self._known[key]

    def _given(self, function: str, position: int) -> tuple[bool, bool]:
        uses = [use for use, _ in self._uses(function, position)]
        freed, released, dropped = (uses.count(each) for each in (_Use.FREED, _Use.RELEASED, _Use.DROPPED))
        needed = dropped + 1 if may_make(function) else 2 * dropped + 2
        return (freed + released >= needed, released == 0)


    def is_shown_texts(self, function: str, position: int, *, or_members: bool) -> bool:
        """Whether a procedure of the file passes a function a text that stands in the program, which nobody may free, or one that lies in
        a member of something and stays there: what lies at this position stays with the caller, unless the name says that the function
        stores it. Asked of pointers to characters only: objects may be counted."""
        key = (function, position)
        if key not in self._texts:
            callers = [each for each in self._queries.callers(function) if each.path == self._own.path]
            near = sorted({*callers, self._own}, key=lambda each: (each != self._own, each))
            bodies = [linked.body for each in near[:MAX_CALLERS] if (linked := self._queries.linked(each)) is not None]
            calls = [(body.nodes, body.nodes[at]) for body in bodies for at in uses_of(body.nodes).calls.get(function, ())]
            passed = [(nodes, call.args[position]) for nodes, call in calls if isinstance(call, ir.Call) and position < len(call.args)]
            self._texts[key] = (any(each.startswith('="') for _, each in passed), any(_stays_in_member(*each) for each in passed))
        is_text, is_member = self._texts[key]
        return is_text or (or_members and is_member)

    def releases(self, function: str) -> tuple[str, ...]:
        """The functions that others release what a function gives them with, the most frequent first; none where they differ too
        much to tell."""
        return _frequent(name for position in _POSITIONS for _, name in self._uses(function, position))

    def enders(self, function: str, type_name: str) -> frozenset[str]:
        """The words in the names of the functions with which others end a struct of their own of a type that they pass to a function first, by
        its address; none where as many leave it. Where nobody else passes one to that, those that end at least two others of the type."""
        key = (function, type_name)
        if key not in self._enders:
            found = [name for linked in self._callers(function) for name in _ended_with(linked, function)]
            if not found:
                ending = [name for name in _endings(type_name) for linked in self._callers(name) for _ in _ended_with(linked, name)]
                found = ending if len(ending) > 1 else []
            is_shown = len(found) > 2 * found.count("")
            self._enders[key] = frozenset(word for name in found for word in words_of(name)) if is_shown else frozenset()
        return self._enders[key]

    def _callers(self, function: str) -> list[Linked]:
        """The other procedures of the file that call a function."""
        callers = [each for each in self._queries.callers(function) if each.path == self._own.path and each != self._own]
        return [linked for each in callers[:MAX_CALLERS] if (linked := self._queries.linked(each)) is not None]

    def releases_beside(self, function: str) -> tuple[str, ...]:
        """The functions that the procedure itself releases what other calls of a function give with."""
        linked = self._queries.linked(self._own)
        return _frequent(name for position in _POSITIONS for _, name in _uses(linked, function, position)) if linked is not None else ()

    def _uses(self, function: str, position: int) -> list[tuple[_Use, str]]:
        callers = [each for each in self._queries.callers(function) if each.path == self._own.path and each != self._own]
        uses: list[tuple[_Use, str]] = []
        for each in callers[:MAX_CALLERS]:
            linked = self._queries.linked(each)
            uses += _uses(linked, function, position) if linked is not None else []
        return uses


def frees_blocks(queries: Queries, own: ProcedureKey, function: str) -> bool:
    """Whether a function that nobody knows frees a block, and no more: its name sounds like it, and the file of a procedure passes it texts, or
    what pointers of several types lead to."""
    if function.endswith("free") and len(function) <= _SHORT:
        return True
    words = words_of(function.lower())
    if not is_ender(function) or len(words) > _LONGEST or "and" in words or not (is_freeing(words[-1]) or (function.isupper() and is_freeing(words[0]))):
        return False
    callers = [each for each in queries.callers(function) if each.path == own.path]
    types: set[str] = set()
    for each in sorted({*callers, own}, key=lambda each: (each != own, each))[: 2 * MAX_CALLERS]:
        linked = queries.linked(each)
        for at in uses_of(linked.body.nodes).calls.get(function, ()) if linked is not None else ():
            call = linked.body.nodes[at] if linked is not None else None
            if not isinstance(call, ir.Call) or len(call.args) != 1 or linked is None:
                return False
            written = linked.types.get(call.args[0], "").replace("*", " ").split()
            types |= {" ".join(word for word in written if word not in _QUALIFIERS)}
    return "char" in types or len(types - {"", "void"}) > 1


_SHORT = 6
"""Letters in the name of a function that is `free` and hardly more (`xfree`)."""
_LONGEST = 3
"""Words in the name of a function that frees blocks (`mem_free`, `lib_mem_free`); what does more says so (`send_and_free`)."""
_QUALIFIERS = frozenset(("const", "volatile", "struct", "register", "static", "unsigned", "signed"))


def _frequent(found: Iterable[str]) -> tuple[str, ...]:
    """What is named, the most frequent first."""
    names = [name for name in found if name]
    return tuple(sorted(dict.fromkeys(names), key=lambda name: (-names.count(name), name)))


def _stays_in_member(nodes: tuple[ir.Instruction, ...], argument: str) -> bool:
    """Whether an argument is read from a member that nothing else is put into."""
    if not ir.is_temporary(argument):
        return False
    place = next(((node.base, node.field) for node in nodes if isinstance(node, ir.Load) and node.dst == argument and node.base), None)
    return place is not None and not any(isinstance(node, ir.Store) and (node.base, node.field) == place for node in nodes)


def given_anywhere(queries: Queries, own: ProcedureKey, function: str, position: int) -> bool:
    """Whether most other procedures of the program that call a function, whatever their file, release what it gives."""
    callers = [each for each in queries.callers(function) if each != own]
    near = sorted(callers, key=lambda each: (each.path != own.path, each))
    uses: list[_Use] = []
    for each in near[:MAX_CALLERS]:
        linked = queries.linked(each)
        uses += [use for use, _ in _uses(linked, function, position)] if linked is not None and linked.language == "c" else []
    return uses.count(_Use.FREED) + uses.count(_Use.RELEASED) > uses.count(_Use.DROPPED)


def _uses(linked: Linked, function: str, position: int) -> list[tuple[_Use, str]]:
    """What a procedure does with what each of its calls of a function gives, and the function that it releases that with,
    where it tells it nothing else."""
    uses = uses_of(linked.body.nodes)
    found = []
    for at in uses.calls.get(function, ()):
        call = uses.nodes[at]
        if isinstance(call, ir.Call) and call.kind == "function":
            name = call.dst if position == RESULT else uses.addresses.get(call.args[position], "") if position < len(call.args) else ""
            if name:
                found.append(_use(uses, name, call, linked.types.get(name, "")))
    return found


def _endings(type_name: str) -> tuple[str, ...]:
    """What the functions may be called that end structs of a type."""
    words = [word for word in type_name.split() if word not in ("const", "struct", "union", "volatile")]
    tag = words[0].removesuffix("_t") if len(words) == 1 else ""
    verbs = sorted(CLEARING | FINAL)
    return tuple(name for verb in verbs for name in (f"{tag}_{verb}", f"{verb}_{tag}")) if tag else ()


def _ended_with(linked: Linked, function: str) -> list[str]:
    """What a procedure ends each struct of its own with that it passes to a function first; an empty name for one that it leaves. Of those on
    which somebody is called whom the program has nothing is believed: he says himself what he does."""
    uses = uses_of(linked.body.nodes)
    calls = [(at, node) for at, node in enumerate(uses.nodes) if isinstance(node, ir.Call) and node.args]
    found: dict[str, str] = {}
    for at in uses.calls.get(function, ()):
        call = uses.nodes[at]
        name = uses.addresses.get(call.args[0], "") if isinstance(call, ir.Call) and call.args else ""
        on_it = [(node, each) for node, each in calls if name and uses.addresses.get(each.args[0]) == name]
        if not name or any(_is_known(linked, node) for node, _ in on_it):
            continue
        last = on_it[-1][1] if not CLEARING.isdisjoint(words_of(on_it[-1][1].name)) else None
        ending = [each for _, each in on_it if is_releaser(each.name) or is_emptying(each) or each is last]
        if not uses.of(name) and not any(map(is_emptying, ending)):  # One that is given away, or emptied, says nothing.
            found[name] = ending[0].name if ending else ""
    return list(found.values())


def _is_known(linked: Linked, node: int) -> bool:
    """Whether the program has what a call runs."""
    target = linked.targets.get(node)
    return target is not None and bool(target.procedures)


def _use(uses: Uses, name: str, made: ir.Instruction, type_name: str) -> tuple[_Use, str]:
    """What becomes of what a variable of a type holds."""
    answer = _Use.DROPPED
    for node in uses.of(name):
        if not isinstance(node, ir.Call):
            answer = _Use.PASSED
        elif node is not made:
            alone = node.name if len(node.args) == 1 else ""
            if is_freeing(node.name):
                return (_Use.FREED, alone)
            if is_releaser(node.name) and not ends_a_part(node.name, type_name):
                return (_Use.RELEASED, alone)
            if is_taking(node.name):
                answer = _Use.PASSED
    return (answer, "")
