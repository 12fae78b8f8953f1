"""Of which arguments the result of a function of the repository needs nothing (C): a new text made of an old one.

Flow-insensitive: pointers that are, or are loaded from, or lie inside of what a parameter leads to, through copies, calls
and the variables whose addresses calls get. Where such a pointer is returned, or stored in anything else, the result needs it.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import Effects
from fixers.number_members import is_kept_as_number
from fixers.paths.relevance import NARROW
from fixers.paths.values import is_number

MAX_DEPTH = 4
"""Calls below the call that is asked about."""

_CURSORS = frozenset(("strtok", "wcstok"))
"""Functions that keep where they are in a text until they are given another one."""

Roots = dict[str, set[str]]


class Results:
    """Looks into callees, each once per depth: what is answered does not depend on what was asked before."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._needed: dict[tuple[ProcedureKey, int], frozenset[str] | None] = {}

    def apart(self, linked: Linked, node: int) -> frozenset[str]:
        """The roots (`$0`) of a call of which its result needs nothing."""
        call, target = linked.body.nodes[node], linked.targets.get(node)
        if not isinstance(call, ir.Call):
            return frozenset()
        found = frozenset(f"${n}" for n in range(len(call.args)))
        if is_kept_as_number(self._program, linked, call):
            return found
        if target is None or not target.procedures:
            return frozenset()
        for key in target.procedures:
            needed = self._of(key, MAX_DEPTH)
            if needed is None:
                return frozenset()
            found -= needed
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
        """The parameters that the result of a procedure needs; None for any."""
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
        moves = [
            (dst, sources) for node, each in enumerate(body.nodes) for dst, sources in self._moves(known, node, each, depth)
            if not _is_narrow(types.get(dst, ""))
        ]
        grown = True
        while grown:
            grown = False
            for dst, sources in moves:
                new = set().union(*(roots.get(name, ()) for name in sources))
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
                        needed |= roots.get(src, set()) - roots.get(dst, set())
                case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
                    needed |= roots.get(src, set()) - roots.get(base, set()) if not _is_narrow(types.get(src, "")) else set()
                case _:
                    pass
        return frozenset(needed)

    def _moves(self, known: Facts, node: int, each: ir.Instruction, depth: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What an instruction assigns, and from what pointers it may come."""
        match each:
            case ir.Copy(dst=dst, src=src):
                yield dst, (src,)
            case ir.Op(dst=dst, operands=operands):
                yield dst, operands
            case ir.AddressOf(dst=dst, base=base) | ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base):
                yield dst, (base,)
            case ir.Call():
                yield from self._called(known, node, each, depth)
            case _:
                pass

    def _called(self, known: Facts, node: int, call: ir.Call, depth: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What a call may pass on to its result, and to the variables whose addresses it gets."""
        target, effects = known.linked.targets.get(node), known.effects.get(node, ())
        if target is not None and target.procedures:
            found = [self._of(key, depth - 1) for key in target.procedures]
            is_any = any(each is None for each in found)
            needed = {root for each in found for root in each or ()}
            is_writing = any(each.writes for each in effects)
        else:
            is_counted = is_number(known.linked.types.get(call.dst, ""))
            is_any = not effects or not all(each.is_known and (is_counted or _is_new(each)) for each in effects)
            needed = {root for each in effects for root in (*each.aliases, *each.needs, *_moved(each))}
            is_writing = any(each.writes for each in effects)
        passed = tuple(name for index, name in enumerate(call.args) if is_any or f"${index}" in needed)
        if call.dst:
            yield call.dst, passed
        for name in call.args if is_any or is_writing else ():
            written = known.linked.types.get(name, "")
            if written.count("*") > 1 or not written:
                yield name, call.args


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
