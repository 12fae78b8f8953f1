"""Of which arguments the result of a method of the repository needs nothing (Java): an object made of what was read.

Flow-insensitive: what is, is loaded from, is asked of, or is handed on with an object leads back to it, but for values that
stand alone by their type. Where such a thing is returned, or stored in anything that was there before, the result needs it.
Errs towards «needs».
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.queries import Linked, ProcedureKey
from fixers.paths.values import is_plain_type

MAX_DEPTH = 4
"""Calls below the call that is asked about."""

_Roots = dict[str, set[str]]


class MethodResults:
    """Looks into callees, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._needed: dict[ProcedureKey, frozenset[str] | None] = {}

    def apart(self, linked: Linked, node: int) -> frozenset[str]:
        """The roots (`this`, `$0`) of a call of which its result needs nothing."""
        call, target = linked.body.nodes[node], linked.targets.get(node)
        if not isinstance(call, ir.Call) or not call.dst or target is None or not target.procedures:
            return frozenset()
        found = frozenset(("this", *(f"${n}" for n in range(len(call.args)))))
        for key in target.procedures:
            needed = self._of(key, MAX_DEPTH)
            if needed is None:
                return frozenset()
            found -= needed
        return found

    def _of(self, key: ProcedureKey, depth: int) -> frozenset[str] | None:
        """The parameters that the result of a method needs, or that it leaves somewhere; None for any."""
        if key not in self._needed:
            self._needed[key] = None
            known = facts(self._program, key) if depth else None
            if known is not None:
                self._needed[key] = _Flow(self, known, depth).solve()
        return self._needed[key]

    def of_callees(self, keys: Iterable[ProcedureKey], depth: int) -> frozenset[str] | None:
        """The same of all that a call may run."""
        found: set[str] = set()
        for key in keys:
            needed = self._of(key, depth)
            if needed is None:
                return None
            found |= needed
        return frozenset(found)


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
        self._left: set[str] = set()

    def solve(self) -> frozenset[str]:
        """The parameters that the result needs, or that are left somewhere."""
        nodes = self._known.linked.body.nodes
        before = -1
        while before != (before := sum(map(len, self._roots.values())) + len(self._left)):
            for node, each in enumerate(nodes):
                self._run(node, each)
        return frozenset(self._left)

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
                self._left |= self._roots.get(src, set())
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
        passed = [name for name in inputs.values() if name and not ir.is_literal(name)]
        if target is not None and target.procedures:
            needed = self._results.of_callees(target.procedures, self._depth - 1)
            moved = passed if needed is None else [name for root, name in inputs.items() if root in needed and name in passed]
        elif effects and all(each.is_apart for each in effects):
            moved = []
        else:
            moved = passed
        self._add(call.dst, *moved)
        for name in passed:
            if not self._is_plain(name):
                self._put(name, *(each for each in moved if each != name))
