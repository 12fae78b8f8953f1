"""Of which arguments the result of a function of the repository needs nothing (C): a new text made of an old one.

Flow-insensitive: pointers that are, or are loaded from, or lie inside of what a parameter leads to, through copies, calls
and the variables whose addresses calls get. Where such a pointer is returned, or stored in anything else, the result needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import Effects
from fixers.number_members import NumberMembers
from fixers.paths.relevance import NARROW
from fixers.paths.values import is_number

MAX_DEPTH = 4
"""Calls below the call that is asked about."""

_CURSORS = frozenset(("strtok", "wcstok"))
"""Functions that keep where they are in a text until they are given another one."""

CONTENT = "*"
"""How the roots end whose bytes are copied: what these lead to is needed, and texts lead to nothing."""

Roots = dict[str, set[str]]
Move = tuple[str, tuple[str, ...], str]
"""What is assigned, from what, and whether it is only what that points to."""


class Results:
    """Looks into callees, each once per depth: what is answered does not depend on what was asked before."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._needed: dict[tuple[ProcedureKey, int], frozenset[str] | None] = {}
        self._numbers: NumberMembers | None = None

    def apart(self, linked: Linked, node: int) -> frozenset[str]:
        """The roots (`$0`) of a call of which its result needs nothing."""
        call, target = linked.body.nodes[node], linked.targets.get(node)
        if not isinstance(call, ir.Call):
            return frozenset()
        found = frozenset(f"${n}" for n in range(len(call.args)))
        if self._numbers is None or self._numbers.linked is not linked:
            self._numbers = NumberMembers(self._program, linked)
        if self._numbers.has(call):
            return found
        if target is None or not target.procedures:
            return frozenset()
        for key in target.procedures:
            needed = self._of(key, MAX_DEPTH)
            if needed is None:
                return frozenset()
            found -= {root.removesuffix(CONTENT) for root in _needed(linked, call, needed)}
        return found

    def left(self, linked: Linked, node: int) -> frozenset[str]:
        """The roots of a call of which something is kept that others go on with: of a text that `strtok` is in the middle of."""
        call = linked.body.nodes[node]
        is_begun = isinstance(call, ir.Call) and call.name in _CURSORS and not _is_going_on(call)
        return frozenset(("$0",)) if is_begun and self._program.once("going on", self._is_left_to_others) else frozenset()

    def _is_left_to_others(self) -> bool:
        """Whether a function of the tree goes on with a text that another one has begun."""
        for path in sorted({path for name in sorted(_CURSORS) for path in self._program.mentioning(name)}):
            for key in self._program.procedures_of(path):
                procedure = self._program.procedure(key)
                calls = [each for each in procedure.nodes if isinstance(each, ir.Call) and each.name in _CURSORS] if procedure else []
                if calls and all(map(_is_going_on, calls)):
                    return True
        return False

    def _of(self, key: ProcedureKey, depth: int) -> frozenset[str] | None:
        """The parameters that the result of a procedure needs, or what they point to (`CONTENT`); None for any."""
        if not depth:
            return None
        if (key, depth) not in self._needed:
            known = facts(self._program, key)
            self._needed[key, depth] = self._solve(known, depth) if known is not None else None
        return self._needed[key, depth]

    def _solve(self, known: Facts, depth: int) -> frozenset[str]:
        body, types = known.linked.body, known.linked.types
        roots: Roots = {name: {f"${n}"} for n, name in enumerate(body.parameters)}
        behind = {each.dst: each.base for each in body.nodes if isinstance(each, ir.AddressOf) and each.base}
        needed: set[str] = set()
        same = _same(body)
        moves = [
            (dst, sources, mark) for node, each in enumerate(body.nodes) for dst, sources, mark in self._moves(known, node, each, depth, same)
            if not _is_narrow(types.get(dst, ""))
        ]
        grown = True
        while grown:
            grown = False
            for dst, sources, mark in moves:
                new = set().union(*(_marked(roots.get(name, set()), mark if name in same else "") for name in sources))
                for name in (dst, behind.get(dst, dst)) if new else ():
                    if not new <= roots.setdefault(name, set()):
                        roots[name] |= new
                        grown = True
        for node, each in enumerate(body.nodes):
            match each:
                case ir.Return(src=src):
                    needed |= roots.get(src, set())
                case ir.Call():
                    for src, dst in _copied(known, node, each):
                        needed |= _marked(roots.get(src, set()) - roots.get(dst, set()), CONTENT if src in same else "")
                case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
                    needed |= roots.get(src, set()) - roots.get(base, set()) if not _is_narrow(types.get(src, "")) else set()
                case _:
                    pass
        return frozenset(needed)

    def _moves(self, known: Facts, node: int, each: ir.Instruction, depth: int, same: frozenset[str]) -> Iterator[Move]:
        """What an instruction assigns, and from what pointers it may come, or from what these point to (`CONTENT`)."""
        match each:
            case ir.Copy(dst=dst, src=src):
                yield dst, (src,), ""
            case ir.Op(dst=dst, operands=operands):
                yield dst, operands, ""
            case ir.AddressOf(dst=dst, base=base) | ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base):
                yield dst, (base,), ""
            case ir.Call():
                yield from self._called(known, node, each, depth, same)
            case _:
                pass

    def _called(self, known: Facts, node: int, call: ir.Call, depth: int, same: frozenset[str]) -> Iterator[Move]:
        """What a call may pass on to its result, and to the variables whose addresses it gets."""
        target, effects = known.linked.targets.get(node), known.effects.get(node, ())
        if target is not None and target.procedures:
            found = [self._of(key, depth - 1) for key in target.procedures]
            is_any = any(each is None for each in found)
            needed = set(_needed(known.linked, call, {root for each in found for root in each or ()}, same))
            contents = tuple(call.args[int(root[1:-1])] for root in sorted(needed) if root.endswith(CONTENT))
            is_writing = any(each.writes for each in effects)
        else:
            contents = ()
            is_counted = is_number(known.linked.types.get(call.dst, ""))
            is_any = not effects or not all(each.is_known and (is_counted or _is_new(each)) for each in effects)
            needed = {root for each in effects for root in (*each.aliases, *each.needs, *_moved(each))}
            is_writing = any(each.writes for each in effects)
        passed = tuple(name for index, name in enumerate(call.args) if is_any or f"${index}" in needed)
        if call.dst:
            yield call.dst, passed, ""
            yield call.dst, contents, CONTENT
        for name in call.args if is_any or is_writing else ():
            written = known.linked.types.get(name, "")
            if written.count("*") > 1 or not written:
                yield name, call.args, ""


def _needed(linked: Linked, call: ir.Call, needed: Iterable[str], passed: frozenset[str] = frozenset()) -> Iterator[str]:
    """The arguments that the result of a call needs, of the roots that a callee says: no copy of a text (`const char *`) needs the text.
    Of what a procedure only passes on (`passed`) its callers tell whether it is a text: they may have given a struct as bytes."""
    for root in needed:
        index = int(root[1:].removesuffix(CONTENT)) if root[1:].removesuffix(CONTENT).isdigit() else len(call.args)
        written = linked.types.get(call.args[index], "") if index < len(call.args) else ""
        is_text = written.count("*") == 1 and _is_narrow(written.replace("*", " "))
        if index < len(call.args) and not (root.endswith(CONTENT) and is_text and call.args[index] not in passed):
            yield root


def _marked(roots: set[str], mark: str) -> set[str]:
    return {root.removesuffix(mark) + mark for root in roots} if mark else roots


def _same(body: ir.Procedure) -> frozenset[str]:
    """The variables that hold nothing but parameters and places in what these point to, nothing that is read from there."""
    given = set(body.parameters)
    taken = {each.base for each in body.nodes if isinstance(each, ir.AddressOf) and not each.field}
    sources: dict[str, set[str]] = {}
    for each in body.nodes:
        match each:
            case ir.Copy(dst=dst, src=src):
                sources.setdefault(dst, set()).add(src)
            case ir.Op(dst=dst, operands=operands):
                sources.setdefault(dst, set()).update(operands)
            case _:
                for name in assigned(each):
                    sources.setdefault(name, set()).add("")
    found = {*given, *sources} - taken
    while True:
        kept = {name for name in found if (name in given or name in sources) and all(src in found or src.startswith("=") for src in sources.get(name, ()))}
        if kept == found:
            return frozenset(found)
        found = kept


def _is_going_on(call: ir.Call) -> bool:
    return call.args[:1] == ("=null",)


def _is_new(effects: Effects) -> bool:
    """Whether a library's result is something of its own, or is told to be an argument: others may lie inside of what it got."""
    made = any(path[0] == "$ret" for t in effects.transfers if not t.entry for outcome in t.outcomes for path in outcome.paths)
    return effects.is_apart or bool(effects.aliases) or made


def _is_narrow(written: str) -> bool:
    """Whether no pointer fits into what has a type."""
    words = written.split()
    return bool(words) and NARROW.issuperset(words)


def _copied(known: Facts, node: int, call: ir.Call) -> Iterator[tuple[str, str]]:
    """The arguments that a library copies the content of, and where to: pointers go with it, but in texts there are none."""
    for transfer in (t for each in known.effects.get(node, ()) for t in each.transfers if len(t.entry) == 2 and t.entry[1] == "*"):
        for path in (path for outcome in transfer.outcomes for path in outcome.paths if path[0] != transfer.entry[0]):
            src, dst = (int(root[1:]) if root[1:].isdigit() else len(call.args) for root in (transfer.entry[0], path[0]))
            if max(src, dst) < len(call.args) and not _is_narrow(known.linked.types.get(call.args[src], "").replace("*", " ", 1)):
                yield call.args[src], call.args[dst]


def _moved(effects: Effects) -> Iterator[str]:
    """The roots of what a library keeps in something else, or hands out again."""
    for transfer in effects.transfers:
        if len(transfer.entry) == 1 and any(path[0] != transfer.entry[0] for outcome in transfer.outcomes for path in outcome.paths):
            yield transfer.entry[0]
