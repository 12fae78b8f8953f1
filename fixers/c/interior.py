"""Blocks of C that a function of the repository hands out by a place inside of them, behind a header of its own.

`free` needs the beginning of a block. What goes back there from such a place is a function of the repository, too. Pointers that were computed,
and what is copied from them; where it is handed out, only by the assignments that reach that place. Refuses too much where the address of such
a variable is taken, and where a loop has moved it on other turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.graphs.cfg import reaching_definitions
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked, ProcedureKey
from fixers.c.pointers import replaced
from fixers.leak import Candidate, Leak

_GIVEN = re.compile(r"\b(\w+)\s*\(\s*(\w+)\s*\)")
"""A call with nothing but a variable."""

MAX_DEPTH = 5
"""Calls below the acquisition."""

_SAME = frozenset(("cast", "==", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "zero"))
"""Operators whose result is no other place."""


def released_inside(leak: Leak, program: Program, proposed: Candidate) -> str:
    """Why a proposal may release a block by a place inside of it; empty where it does not."""
    body = leak.linked.body
    at = (leak.finding.acquired.start - body.start, leak.finding.acquired.end - body.start)
    node = next((n for n, call in enumerate(body.nodes) if isinstance(call, ir.Call) and (call.start, call.end) == at), None)
    target = leak.linked.targets.get(node) if node is not None else None
    if node is None or target is None:
        return ""
    text = "".join(edit.text for edit in proposed.edits)
    called = _called(text)
    for call, given in _GIVEN.findall(text):
        if any(_is_for_another(leak, given, program, key) and _steps_back(program, key, MAX_DEPTH) for key in program.functions(leak.finding.path, call)):
            return f"`{call}` takes a place inside of such a block"
    asked = program.once("inside", lambda: Insides(program))
    if not any(asked.is_inside(key, MAX_DEPTH) for key in target.procedures):
        return ""
    name = f"`{ir.source_name(leak.finding.variable)}`" if leak.finding.variable else "it"
    for call in called:
        known = program.functions(leak.finding.path, call)
        is_release = known or any(each.call == call for each in leak.releases)
        if is_release and not any(_steps_back(program, key, MAX_DEPTH) for key in known):
            return f"{name} may point into the block: `{call}` needs its beginning"
    return ""


class Insides:
    """What functions hand out by places inside of blocks, each asked once per depth: it depends on nothing but the tree."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._inside: dict[tuple[ProcedureKey, int], bool] = {}
        self._places: dict[tuple[ProcedureKey, int], frozenset[str]] = {}

    def is_inside(self, key: ProcedureKey, depth: int) -> bool:
        """Whether what a function acquires for its caller may be handed out by a place inside of it."""
        found = self._inside.get((key, depth))
        if found is None:
            found = self._inside[key, depth] = self._is_inside(key, depth)
        return found

    def _is_inside(self, key: ProcedureKey, depth: int) -> bool:
        known = facts(self._program, key) if depth else None
        if known is None:
            return False
        paths = {
            path for transfer in self._program.effects(key).transfers if not transfer.entry for one in transfer.outcomes for path in one.paths
        }
        fields = {path[-1] for path in paths if len(path) > 1}
        moved, others = self._moved(known, depth), _others(known, paths)
        for node, each in enumerate(known.linked.body.nodes):
            match each:
                case ir.Return(src=src) if src in moved and ("$ret",) in paths and self._is_moved_at(known, (src, node), moved, depth):
                    return True
                case ir.Store(base=base, field=field, src=src) if src in moved and field in fields and base not in {*others, _inside_of(known, src)}:
                    if self._is_moved_at(known, (src, node), moved, depth):
                        return True
                case ir.StoreElement(src=src) if src in moved and "[]" in fields and self._is_moved_at(known, (src, node), moved, depth):
                    return True
                case ir.Call() if fields and any(self._leaves_inside(other, depth - 1) for other in _bodies(known.linked, node)):
                    return True
                case _:
                    pass
        return False

    def _leaves_inside(self, key: ProcedureKey, depth: int) -> bool:
        """The same of what a function leaves behind its arguments."""
        left = (path for t in self._program.effects(key).transfers if not t.entry for one in t.outcomes for path in one.paths)
        return any(path[0] != "$ret" for path in left) and self.is_inside(key, depth)

    def _moved(self, known: Facts, depth: int) -> frozenset[str]:
        """The variables that may point to another place of a block than its beginning."""
        asked = known.linked.key, depth
        if asked in self._places:
            return self._places[asked]
        linked, found = known.linked, set[str]()
        grown = True
        while grown:
            grown = False
            for node, each in enumerate(linked.body.nodes):
                dst: str = getattr(each, "dst", "")
                if dst and dst not in found and self._moves(known, (node, each), found, depth):
                    found.add(dst)
                    grown = True
        self._places[asked] = frozenset(found)
        return self._places[asked]

    def _is_moved_at(self, known: Facts, held: tuple[str, int], moved: Set[str], depth: int) -> bool:
        """Whether a variable may point to another place than the beginning where a node begins."""
        nodes, cfg = known.linked.body.nodes, known.cfg
        shown = {each.name for each in known.linked.body.variables if each.is_address_taken}
        seen, waiting = {held}, [held]
        while waiting:
            name, at = waiting.pop()
            if name not in moved:
                continue
            places = {node for node in cfg.order if name in assigned(nodes[node])}
            if name in shown or not places:
                return True
            for node in reaching_definitions(cfg, places, at) - {ir.ENTRY}:
                match nodes[node]:
                    case ir.Copy(src=source):
                        if (source, node) not in seen:
                            seen.add((source, node))
                            waiting.append((source, node))
                    case each if self._moves(known, (node, each), moved, depth):
                        return True
        return False

    def _moves(self, known: Facts, at: tuple[int, ir.Instruction], moved: Set[str], depth: int) -> bool:
        """Whether what an instruction assigns may be another place than the beginning."""
        node, instruction = at
        match instruction:
            case ir.Copy(src=src):
                return src in moved
            case ir.Op(operator=operator, operands=operands):
                is_same = operator in _SAME or (operator == "[]+" and operands[1:] == ("=0",))
                return bool(operands) and (operands[0] in moved if is_same else True)
            case ir.AddressOf(base=base, field=field):
                return bool(base) and field not in ("", "*")
            case ir.Load(field=field):
                return any(isinstance(each, ir.Store) and each.field == field and each.src in moved for each in known.linked.body.nodes)
            case ir.Call(args=args):
                if (bodies := _bodies(known.linked, node)) != ():
                    return any(self.is_inside(key, depth - 1) or self._is_moving(key, depth - 1) for key in bodies)
                effects = known.effects.get(node, ())
                passed = (args[int(root[1:])] for each in effects for root in each.aliases if root[1:].isdigit() and int(root[1:]) < len(args))
                return any(set(each.inner) - replaced(each) for each in effects) or any(name in moved for name in passed)
            case _:
                return False

    def _is_moving(self, key: ProcedureKey, depth: int) -> bool:
        """Whether a function that acquires nothing may return another place of what it was given."""
        known = facts(self._program, key) if depth > 0 else None
        if known is None or not self._program.effects(key).aliases:
            return False
        moved = self._moved(known, depth)
        return any(
            isinstance(each, ir.Return) and each.src in moved and self._is_moved_at(known, (each.src, node), moved, depth)
            for node, each in enumerate(known.linked.body.nodes)
        )


def _others(known: Facts, paths: Set[tuple[str, ...]]) -> frozenset[str]:
    """The parameters behind which no block is handed out: what is stored there (a length) is something else. What others assign to
    a parameter tells nothing of it."""
    body, roots = known.linked.body, {path[0] for path in paths}
    changed = {name for each in body.nodes for name in assigned(each)}
    return frozenset(name for n, name in enumerate(body.parameters) if f"${n}" not in roots and name not in changed)


def _inside_of(known: Facts, name: str) -> str:
    """The variable whose object a name leads into (`&list->first`); empty where it is no such address. Who has that only in a member of the same
    object (`list->last = &list->first;`) has the beginning first."""
    nodes = known.linked.body.nodes
    match [each for each in nodes if name in assigned(each)]:
        case [ir.AddressOf(base=base, field=field)] if field not in ("", "*") and sum(base in assigned(each) for each in nodes) == 1:
            return base
        case _:
            return ""


def _is_for_another(leak: Leak, given: str, program: Program, key: ProcedureKey) -> bool:
    """Whether a function takes a pointer to another struct than the variable points to that it is given. False where either is not known."""
    linked = program.linked(key)
    if linked is None or not linked.body.parameters:
        return False
    taken = _struct(linked, linked.body.parameters[0])
    had = _struct(leak.linked, given)
    return bool(taken and had) and taken != had


def _struct(linked: Linked, name: str) -> str:
    """The struct that a variable points to, by its tag; empty where that is not written so."""
    written = next((each.type for each in linked.body.variables if each.name == name), "")
    words = written.replace("*", " * ").split()
    return words[words.index("struct") + 1] if words.count("*") == 1 and "struct" in words[:-1] else ""


def _steps_back(program: Program, key: ProcedureKey, depth: int) -> bool:
    """Whether a function computes another place from what it is given first, or finds it there."""
    linked = program.linked(key) if depth else None
    if linked is None or not linked.body.parameters:
        return False
    names = {linked.body.parameters[0]}
    for node, each in _repeated(linked):
        match each:
            case ir.Copy(dst=dst, src=src) if src in names:
                names.add(dst)
            case ir.Op(dst=dst, operator=operator, operands=operands) if not names.isdisjoint(operands):
                if operator not in _SAME:
                    return True
                names.add(dst)
            case ir.LoadElement(base=base) | ir.AddressOf(base=base) if base in names:
                return True
            case ir.Call(args=args) if args and args[0] in names:
                if any(_steps_back(program, other, depth - 1) for other in _bodies(linked, node)):
                    return True
            case _:
                pass
    return False


def _repeated(linked: Linked) -> Iterator[tuple[int, ir.Instruction]]:
    """The instructions of a body twice: what a loop has assigned is known the second time."""
    for _ in range(2):
        yield from enumerate(linked.body.nodes)


def _bodies(linked: Linked, node: int) -> tuple[ProcedureKey, ...]:
    target = linked.targets.get(node)
    return target.procedures if target is not None else ()


def _called(text: str) -> list[str]:
    """The names before parentheses in a text."""
    found = []
    for part in text.split("(")[:-1]:
        words = part.rstrip()
        length = len(words)
        while length and (words[length - 1].isalnum() or words[length - 1] == "_"):
            length -= 1
        found.append(words[length:])
    return [each for each in found if each]
