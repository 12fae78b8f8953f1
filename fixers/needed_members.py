"""Which members a function of C needs to be there: what it does with each of them where it is null.

A destructor is often called for an object that is not finished yet: `free(c->path)` takes null, `fclose(c->log)` and `*c->path` do
not. Each member is looked at as if it were null: branches that test it go the one way that is left. Says «needed» too often where
another variable tells whether the member is there, and of functions without source that no spec knows to take null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers import Program, ir
from analyzers.facts import Facts, facts, releases
from analyzers.queries import ProcedureKey

MAX_DEPTH = 3
"""Calls below the function that is asked about."""

MAX_STATES = 2000
"""Nodes with what is known there, per member; a longer walk says «needed»."""


def needed_members(program: Program, key: ProcedureKey, position: int, depth: int = MAX_DEPTH) -> frozenset[str]:
    """The members of what the parameter points to that must not be null when the function is called."""

    def computed() -> frozenset[str]:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return frozenset()
        bases = _copies(known.linked.body, known.linked.body.parameters[position])
        fields = {node.field for node in known.linked.body.nodes if isinstance(node, ir.Load) and node.base in bases}
        for node, call in enumerate(known.linked.body.nodes):
            if isinstance(call, ir.Call) and depth:
                fields |= _passed_on(program, known, (node, call), bases, depth)
        return frozenset(each for each in fields if _Walk(program, known, bases, each).is_needed(depth))

    return program.once(("needed members", key, position, depth), computed)


def unset_members(program: Program, makers: Iterable[ProcedureKey], members: Iterable[str]) -> frozenset[str]:
    """Those of some members that nothing is stored to by the functions that make the object, nor by what they call."""
    wanted = set(members)
    waiting = [(key, MAX_DEPTH) for key in makers]
    seen = set()
    while waiting and wanted:
        key, depth = waiting.pop()
        linked = program.linked(key)
        if key in seen or linked is None:
            continue
        seen.add(key)
        for node, each in enumerate(linked.body.nodes):
            if isinstance(each, ir.Store | ir.AddressOf):
                wanted.discard(each.field)
            elif isinstance(each, ir.Call) and each.args and depth and (target := linked.targets.get(node)) is not None:
                waiting += [(one, depth - 1) for one in target.procedures]
    return frozenset(wanted)


def _copies(body: ir.Procedure, name: str) -> frozenset[str]:
    """A parameter and the variables that may hold the same."""
    names = {name}
    grown = True
    while grown:
        found = {
            node.dst for node in body.nodes
            if (isinstance(node, ir.Copy) and node.src in names) or (isinstance(node, ir.Op) and node.operator == "cast" and names & set(node.operands))
        }  # fmt: skip
        grown = not found <= names
        names |= found
    return frozenset(names)


def _passed_on(program: Program, known: Facts, at: tuple[int, ir.Call], bases: frozenset[str], depth: int) -> frozenset[str]:
    """The members that a callee needs of the object that it is passed."""
    node, call = at
    target = known.linked.targets.get(node)
    found: frozenset[str] = frozenset()
    for position, each in enumerate(call.args):
        for key in target.procedures if target is not None and each in bases else ():
            found |= needed_members(program, key, position, depth - 1)
    return found


class _Walk:
    """One walk through a procedure, with one place that is null at its beginning: a member of what some variables point to, or, without
    a member, what they hold."""

    def __init__(self, program: Program, known: Facts, bases: frozenset[str], field: str) -> None:
        self._program = program
        self._facts = known
        self._bases = bases
        self._field = field
        self._member = f".{field}"

    def is_needed(self, depth: int) -> bool:
        """Whether something is done with null that null is not good for."""
        start = frozenset({self._member}) if self._field else self._bases
        work = [(ir.ENTRY, start)]
        seen = set(work)
        while work:
            node, null = work.pop()
            if self._needs(node, null, depth) or len(seen) > MAX_STATES:
                return True
            for after in self._onward(node, null):
                if after not in seen:
                    seen.add(after)
                    work.append(after)
        return False

    def _onward(self, node: int, null: frozenset[str]) -> Iterator[tuple[int, frozenset[str]]]:
        """Where the walk goes on, and what is null there."""
        linked = self._facts.linked
        known = self._assigned(linked.body.nodes[node], null)
        ways = linked.next[node]
        match linked.body.nodes[node]:
            case ir.Branch(operator="true", left=left) if left in null and len(ways) == 2:
                ways = ways[1:]
            case ir.Branch(operator="!=", left=left, right=right) if left in null and _is_null(right) and len(ways) == 2:
                ways = ways[1:]
            case ir.Branch(operator="==" | "false", left=left, right=right) if left in null and _is_null(right or "=null") and len(ways) == 2:
                ways = ways[:1]
            case _:
                pass
        return ((each, known) for each in ways if known)

    def _assigned(self, node: ir.Instruction, null: frozenset[str]) -> frozenset[str]:
        match node:
            case ir.Load(dst=dst, base=base, field=field):
                is_ours = bool(self._field) and base in self._bases and field == self._field and self._member in null
                return null | {dst} if is_ours else null - {dst}
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)):
                return null | {dst} if src in null else null - {dst}
            case ir.Store(base=base, field=field, src=src) if self._field and base in self._bases and field == self._field:
                return null | {self._member} if src in null or _is_null(src) else null - {self._member}
            case ir.Op(dst=dst) | ir.LoadElement(dst=dst) | ir.AddressOf(dst=dst) | ir.Alloc(dst=dst) | ir.Call(dst=dst):
                return null - {dst}
            case _:
                return null

    def _needs(self, node: int, null: frozenset[str], depth: int) -> bool:
        match self._facts.linked.body.nodes[node]:
            case ir.Load(base=base) | ir.LoadElement(base=base) | ir.Store(base=base) | ir.StoreElement(base=base):
                return base in null
            case ir.Call(args=args) as call:
                given = [position for position, each in enumerate(args) if each in null]
                if self._member in null and depth and self._field in _passed_on(self._program, self._facts, (node, call), self._bases, depth):
                    return True
                return not all(self._takes_null(node, call, each, depth) for each in given)
            case _:
                return False

    def _takes_null(self, node: int, call: ir.Call, position: int, depth: int) -> bool:
        target = self._facts.linked.targets.get(node)
        if target is not None and target.procedures:
            return depth > 0 and all(_takes(self._program, each, position, depth - 1) for each in target.procedures)
        kinds = {t.resource for each in self._facts.effects.get(node, ()) for t in each.transfers if t.entry == (f"${position}",)}
        return any(each.call == call.name and each.accepts_null for kind in kinds for each in releases(self._program, kind))


def _takes(program: Program, key: ProcedureKey, position: int, depth: int) -> bool:
    """Whether a function may be called with null for a parameter."""

    def computed() -> bool:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return False
        return not _Walk(program, known, frozenset({known.linked.body.parameters[position]}), "").is_needed(depth)

    return program.once(("takes null", key, position, depth), computed)


def _is_null(name: str) -> bool:
    return name in ("=null", "=0")
