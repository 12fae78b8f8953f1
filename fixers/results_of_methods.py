"""Of which arguments the result of a method of the repository needs nothing (Java): an object made of what was read.

Flow-insensitive: what is, is loaded from, is asked of, or is handed on with an object leads back to it, but for values that
stand alone by their type. Where such a thing is returned, or stored in anything that was there before, the result needs it.
Errs towards «needs».
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import Transfer
from fixers.paths.values import is_plain_type

MAX_DEPTH = 4
"""Calls below the call that is asked about."""

_Roots = dict[str, set[str]]


class Needed(msgspec.Struct, frozen=True):
    """Of a method, the parameters (`this`, `$0`) that its result needs, and those that something needs which it leaves elsewhere."""

    result: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()


class MethodResults:
    """Looks into callees, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._needed: dict[ProcedureKey, Needed | None] = {}

    def apart(self, linked: Linked, node: int) -> frozenset[str]:
        """The roots (`this`, `$0`) of a call of which its result needs nothing."""
        call, target = linked.body.nodes[node], linked.targets.get(node)
        if not isinstance(call, ir.Call) or not call.dst:
            return frozenset()
        if target is None or not target.procedures:
            return _roots_of(call) if _PLAIN_RESULT.fullmatch(call.name) else frozenset()
        needed = self.of_callees(target.procedures, MAX_DEPTH)
        return _roots_of(call) - needed.result - needed.left if needed is not None else frozenset()

    def left(self, linked: Linked, node: int) -> frozenset[str]:
        """The roots of a call that something may need which it leaves elsewhere."""
        call, target = linked.body.nodes[node], linked.targets.get(node)
        if not isinstance(call, ir.Call) or target is None or not target.procedures:
            return frozenset()
        needed = self.of_callees(target.procedures, MAX_DEPTH)
        return _roots_of(call) & needed.left if needed is not None else frozenset()

    def of_callees(self, keys: Iterable[ProcedureKey], depth: int) -> Needed | None:
        """What is needed by any of what a call may run; None for anything."""
        result: set[str] = set()
        left: set[str] = set()
        for key in keys:
            needed = self._of(key, depth)
            if needed is None:
                return None
            result |= needed.result
            left |= needed.left
        return Needed(frozenset(result), frozenset(left))

    def _of(self, key: ProcedureKey, depth: int) -> Needed | None:
        if key not in self._needed:
            self._needed[key] = None
            known = facts(self._program, key) if depth else None
            if known is not None:
                self._needed[key] = _Flow(self, known, depth).solve()
        return self._needed[key]


_PLAIN_RESULT = re.compile(r"(get|read|next|to)(Long|Int|Integer|Double|Float|Short|Byte|Boolean|String|UTF)(Value)?")
"""Names by which methods give numbers and texts, whoever has them: those need nothing."""


def _roots_of(call: ir.Call) -> frozenset[str]:
    return frozenset(("this", *(f"${n}" for n in range(len(call.args)))))


class _Flow:
    """What leads back to the parameters of one method."""

    def __init__(self, results: MethodResults, known: Facts, depth: int) -> None:
        self._results = results
        self._known = known
        self._depth = depth
        self._types = known.linked.types
        body = known.linked.body
        self._roots: _Roots = {"this": {"this"}}
        for n, name in enumerate(body.parameters):
            self._roots[name] = set() if self._is_plain(name) else {f"${n}"}
        self._given = frozenset(("this", *body.parameters))
        self._result: set[str] = set()
        self._left: set[str] = set()

    def solve(self) -> Needed:
        """The parameters that the result needs, and those that are left somewhere."""
        nodes = self._known.linked.body.nodes
        before = -1
        while before != (before := sum(map(len, self._roots.values())) + len(self._result) + len(self._left)):
            for node, each in enumerate(nodes):
                self._run(node, each)
        return Needed(frozenset(self._result), frozenset(self._left))

    def _run(self, node: int, each: ir.Instruction) -> None:
        match each:
            case ir.Copy(dst=dst, src=src):
                self._add(dst, src)
            case ir.Op(dst=dst, operator="cast", operands=operands) if operands:
                self._add(dst, operands[0])
            case ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base):
                self._add(dst, base)
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
                self._put(base, src)
            case ir.Return(src=src):
                self._result |= self._roots.get(src, set())
            case ir.Call():
                self._call(node, each)
            case _:
                pass

    def _is_plain(self, name: str) -> bool:
        return is_plain_type(self._types.get(name, ""), "java")

    def _add(self, dst: str, *sources: str) -> None:
        if dst and not self._is_plain(dst):
            found = self._roots.setdefault(dst, set())
            for source in sources:
                found |= self._roots.get(source, set())

    def _put(self, base: str, *sources: str) -> None:
        """What is stored goes where its holder goes; in what was there before it is left."""
        for source in sources:
            held = self._roots.get(source, set())
            if not base or base in self._given or self._roots.get(base):
                self._left |= held - self._roots.get(base, set())
            if base:
                self._roots.setdefault(base, set()).update(held)

    def _call(self, node: int, call: ir.Call) -> None:
        target, effects = self._known.linked.targets.get(node), self._known.effects.get(node, ())
        inputs = {"this": call.receiver, **{f"${n}": name for n, name in enumerate(call.args)}}
        passed = {root: name for root, name in inputs.items() if name and not ir.is_literal(name)}
        given = stored = tuple(passed.values())
        if target is not None and target.procedures:
            needed = self._results.of_callees(target.procedures, self._depth - 1)
            if needed is not None:
                given = tuple(name for root, name in passed.items() if root in needed.result)
                stored = tuple(name for root, name in passed.items() if root in needed.left)
        elif effects and all(each.is_known for each in effects):
            moved = {t.entry[0] for each in effects for t in each.transfers if t.entry and _is_moved(t)}
            kept = {path[0] for each in effects for path in each.retains}
            stored = tuple(name for root, name in passed.items() if root in moved | kept)
            given = () if all(each.is_apart for each in effects) else given
        self._add(call.dst, *given, *stored)
        for name in passed.values() if stored else ():
            if not self._is_plain(name):
                self._put(name, *(each for each in stored if each != name))


def _is_moved(transfer: Transfer) -> bool:
    """Whether a call puts what it is given into something else."""
    return any(path[0] != transfer.entry[0] for outcome in transfer.outcomes for path in outcome.paths) or any(
        outcome.fate == "retained" for outcome in transfer.outcomes
    )
