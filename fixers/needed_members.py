"""Which members a function of C needs to be there: what it does with each of them where it is null.

A destructor is often called for an object that is not finished yet: `free(c->path)` takes null, `fclose(c->log)` and `*c->path` do
not. A walk takes for null what is: branches that test it, or compare a count that is zero, go the one way that is left. Says «needed» too often where
another variable tells whether the member is there, and of functions without source that no spec knows to take null.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from analyzers import Program, ir
from analyzers.facts import Facts, facts, releases
from analyzers.graphs.operands import assigned
from analyzers.queries import ProcedureKey

MAX_DEPTH = 3
"""Calls below the function that is asked about."""

MAX_STATES = 2000
"""Nodes with what is known there, per member; a longer walk says «needed»."""


def needed_members(
    program: Program, key: ProcedureKey, position: int, empty: frozenset[str], depth: int = MAX_DEPTH, number: int = 0
) -> frozenset[str]:
    """The members of what the parameter points to that must not be null when the function is called, of some that all are (or zero,
    or another number: -1)."""

    def computed() -> frozenset[str]:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return frozenset()
        bases = copies(known.linked.body, known.linked.body.parameters[position])
        return _Walk(program, known, bases, empty, number).needed(depth)

    return program.once(("needed members", key, position, empty, depth, number), computed)


def read_members(program: Program, key: ProcedureKey, position: int, depth: int = MAX_DEPTH) -> frozenset[str]:
    """The members of what the parameter points to that the function, or what it calls, looks at."""

    def computed() -> frozenset[str]:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return frozenset()
        bases = copies(known.linked.body, known.linked.body.parameters[position])
        found = {node.field for node in known.linked.body.nodes if isinstance(node, ir.Load) and node.base in bases}
        for node, call in enumerate(known.linked.body.nodes):
            for one, at in passed_on(known, (node, call), bases) if isinstance(call, ir.Call) and depth else ():
                found |= read_members(program, one, at, depth - 1)
        return frozenset(found)

    return program.once(("read members", key, position, depth), computed)


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


def stored_members(program: Program, key: ProcedureKey, position: int, depth: int = MAX_DEPTH) -> frozenset[str]:
    """The members of what the parameter points to that something is stored to on every way through the function."""

    def computed() -> frozenset[str]:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return frozenset()
        body = known.linked.body
        changed = Counter(name for node in body.nodes for name in assigned(node))
        bases = frozenset(
            each for each in copies(body, body.parameters[position]) if changed[each] == (each != body.parameters[position])
        )
        stored = {node: _stored(program, known, node, bases, depth) for node in range(len(body.nodes))}
        every = frozenset().union(*stored.values())
        behind = {ir.ENTRY: frozenset[str]()}
        work = [ir.ENTRY]
        while work:
            node = work.pop()
            reached = behind[node] | stored[node]
            for each in _there(known, node, bases):
                left = behind.get(each, every) & reached
                if each not in behind or left != behind[each]:
                    behind[each] = left
                    work.append(each)
        return behind.get(ir.EXIT, frozenset())

    return program.once(("stored members", key, position, depth), computed)


def _there(known: Facts, node: int, bases: frozenset[str]) -> Sequence[int]:
    """Where a node leads to for an object that is there."""
    ways, branch = known.linked.next[node], known.linked.body.nodes[node]
    if not isinstance(branch, ir.Branch) or branch.operator not in ("true", "false", "==", "!=") or len(ways) != 2:
        return ways
    if branch.left not in bases or branch.right in bases:
        return ways
    answer = branch_answer(branch, bases)
    return ways if answer is None else ways[1:] if answer else ways[:1]


def _stored(program: Program, known: Facts, node: int, bases: frozenset[str], depth: int) -> frozenset[str]:
    match known.linked.body.nodes[node]:
        case ir.Store(base=base, field=field) if base in bases:
            return frozenset((field,))
        case ir.Call() as call if depth:
            found = [stored_members(program, one, at, depth - 1) for one, at in passed_on(known, (node, call), bases)]
            return frozenset.intersection(*found) if found else frozenset()
        case _:
            return frozenset()


def copies(body: ir.Procedure, name: str) -> frozenset[str]:
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


def passed_on(known: Facts, at: tuple[int, ir.Call], bases: frozenset[str]) -> list[tuple[ProcedureKey, int]]:
    """The functions that get the object from a call, each with the position."""
    node, call = at
    target = known.linked.targets.get(node)
    return [(key, position) for position, each in enumerate(call.args) if each in bases for key in (target.procedures if target else ())]


class _Walk:
    """One walk through a procedure, with what is null at its beginning: members of what some variables point to, or, without
    members, what they hold. Of a member that is null nobody can say more than of a number that is zero. A member that is an array lies in
    the object and is there; what is null are its elements (`[]name`)."""

    def __init__(self, program: Program, known: Facts, bases: frozenset[str], empty: frozenset[str], number: int = 0) -> None:
        self._program = program
        self._facts = known
        self._bases = bases
        self._empty = empty
        self._number = number
        self._origins: dict[str, str] = {}

    def needed(self, depth: int) -> frozenset[str]:
        """The members that something is done with that null is not good for; without members the variable, as an empty name."""
        start = frozenset(f".{each}" for each in self._empty) if self._empty else self._bases
        work = [(ir.ENTRY, start)]
        seen = set(work)
        found: set[str] = set()
        while work:
            node, null = work.pop()
            found |= self._used(node, null, depth)
            if len(seen) > MAX_STATES:
                return self._empty or frozenset(("",))
            for after in self._onward(node, null):
                if after not in seen:
                    seen.add(after)
                    work.append(after)
        return frozenset(found)

    def _onward(self, node: int, null: frozenset[str]) -> Iterator[tuple[int, frozenset[str]]]:
        """Where the walk goes on, and what is null there: variables, and members (`.path`)."""
        linked = self._facts.linked
        instruction = linked.body.nodes[node]
        known = self._assigned(instruction, null)
        ways = linked.next[node]
        if isinstance(instruction, ir.Branch) and len(ways) == 2 and (answer := branch_answer(instruction, null, self._number)) is not None:
            ways = ways[:1] if answer else ways[1:]
        return ((each, known) for each in ways if known)

    def _assigned(self, node: ir.Instruction, null: frozenset[str]) -> frozenset[str]:
        match node:
            case ir.Load(dst=dst, base=base, field=field):
                null -= {dst, f"[]{dst}"}
                if base not in self._bases or f".{field}" not in null:
                    return null
                self._origins[dst] = field
                return null | {f"[]{dst}" if self._facts.linked.types.get(dst, "").endswith("]") else dst}
            case ir.LoadElement(dst=dst, base=base) if f"[]{base}" in null:
                self._origins[dst] = self._origins[base]
                return (null - {f"[]{dst}"}) | {dst}
            case ir.StoreElement(base=base) if f"[]{base}" in null:
                return null - {f"[]{base}", f".{self._origins[base]}"}
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)):
                if src in self._origins:
                    self._origins[dst] = self._origins[src]
                elements = {f"[]{dst}"} if f"[]{src}" in null else set()
                null -= {dst, f"[]{dst}"}
                return null | elements | {dst} if src in null or literal(src) == self._number else null | elements
            case ir.Store(base=base, field=field, src=src) if base in self._bases:
                return null | {f".{field}"} if src in null or literal(src) == self._number else null - {f".{field}"}
            case ir.Op(dst=dst) | ir.LoadElement(dst=dst) | ir.AddressOf(dst=dst) | ir.Alloc(dst=dst) | ir.Call(dst=dst):
                return null - {dst, f"[]{dst}"}
            case _:
                return null

    def _used(self, node: int, null: frozenset[str], depth: int) -> frozenset[str]:
        """The members whose content an instruction needs, though there is none."""
        match self._facts.linked.body.nodes[node]:
            case ir.Load(base=base) | ir.LoadElement(base=base) | ir.Store(base=base) | ir.StoreElement(base=base):
                return self._named(base) if base in null else frozenset()
            case ir.Call(args=args) as call:
                found = frozenset().union(*(
                    self._named(each) for position, each in enumerate(args)
                    if each in null and self._is_ours(each) and not self._takes_null(node, call, position, depth)
                ))  # fmt: skip
                left = frozenset(each[1:] for each in null if each[:1] == ".")
                for key, position in passed_on(self._facts, (node, call), self._bases) if left and depth else ():
                    found |= needed_members(self._program, key, position, left, depth - 1, self._number)
                return found
            case _:
                return frozenset()

    def _is_ours(self, name: str) -> bool:
        """Whether a null is what the walk is about, not a number of the procedure's own."""
        return name in self._origins if self._empty else name in self._bases or name in self._origins

    def _named(self, name: str) -> frozenset[str]:
        return frozenset((self._origins.get(name, ""),))

    def _takes_null(self, node: int, call: ir.Call, position: int, depth: int) -> bool:
        target = self._facts.linked.targets.get(node)
        if target is not None and target.procedures:
            return depth > 0 and not self._number and all(takes_null(self._program, each, position, depth - 1) for each in target.procedures)
        if self._number:
            return False
        kinds = {t.resource for each in self._facts.effects.get(node, ()) for t in each.transfers if t.entry == (f"${position}",)}
        return any(each.call == call.name and each.accepts_null for kind in kinds for each in releases(self._program, kind))


def branch_answer(branch: ir.Branch, known: frozenset[str], number: int = 0) -> bool | None:
    """What a branch answers where some variables are null, or a number; None for what that does not decide."""
    left, right = (number if each in known else literal(each) for each in (branch.left, branch.right))
    match branch.operator:
        case "true":
            return bool(left) if left is not None else None
        case "false":
            return not left if left is not None else None
        case "==" | "!=" | "<" | "<=" | ">" | ">=" if left is not None and right is not None:
            return _COMPARED[branch.operator](left, right)
        case _:
            return None


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}


def takes_null(program: Program, key: ProcedureKey, position: int, depth: int = MAX_DEPTH) -> bool:
    """Whether a function may be called with null for a parameter."""

    def computed() -> bool:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return False
        return not _Walk(program, known, frozenset({known.linked.body.parameters[position]}), frozenset()).needed(depth)

    return program.once(("takes null", key, position, depth), computed)


def literal(operand: str) -> int | None:
    """The number that a literal is."""
    if operand == "=null":
        return 0
    try:
        return int(operand[1:], 0) if operand[:1] == "=" else None
    except ValueError:
        return None
