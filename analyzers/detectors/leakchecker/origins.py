"""What is put into a field: a fresh container without bound, nothing, or something unknown.

Also which procedures run again and again: constructors and initialisers fill an object once.
Errs towards «unknown», which keeps the detector silent.
"""

from __future__ import annotations

import enum

from analyzers import ir
from analyzers.graphs.cfg import build_unlinked
from analyzers.graphs.dominators import dominates, dominators
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import SlotReader, Touched, Use

MAX_CALLERS = 3
"""How deep private callers are followed."""


class Origin(enum.StrEnum):
    """What a Store puts into a field."""

    FRESH = "fresh"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


def definitions(body: ir.Procedure, variable: str) -> list[ir.Instruction]:
    """The instructions that assign a variable."""
    return [node for node in body.nodes if getattr(node, "dst", "") == variable]


class Origins:
    """Judges what the fields of a file are filled with."""

    def __init__(self, queries: Queries, reader: SlotReader) -> None:
        self._queries = queries
        self._reader = reader

    def of(self, use: Use) -> Origin:
        """What one Store to a field puts there."""
        body = self._queries.procedure(use.key)
        return Origin.UNKNOWN if body is None else self._value(use.key, body, use.operands[0], 4)

    def _value(self, key: ProcedureKey, body: ir.Procedure, operand: str, depth: int) -> Origin:
        if operand == "=null":
            return Origin.NOTHING
        found = definitions(body, operand)
        if not found or depth == 0 or operand in body.parameters:
            return Origin.UNKNOWN
        values = {self._instruction(key, body, each, depth) for each in found}
        return values.pop() if len(values) == 1 else Origin.UNKNOWN

    def _instruction(self, key: ProcedureKey, body: ir.Procedure, node: ir.Instruction, depth: int) -> Origin:
        match node:
            case ir.Alloc(type=type_name):
                return Origin.FRESH if self._is_unbounded(key, body, node, type_name) else Origin.UNKNOWN
            case ir.Copy(src=src) | ir.Op(operator="cast", operands=(src, *_)):
                return self._value(key, body, src, depth - 1)
            case ir.Call(args=args) if args and self._reader.is_wrapper(key.path, body.owner, node):
                return self._value(key, body, args[0], depth - 1)
            case ir.Call() if self._reader.is_factory(key.path, body.owner, node):
                return Origin.FRESH
            case _:
                return Origin.UNKNOWN

    def _is_unbounded(self, key: ProcedureKey, body: ir.Procedure, node: ir.Alloc, type_name: str) -> bool:
        if type_name.endswith("]"):
            return True
        simple = type_name.partition("<")[0]
        resolved = self._queries.resolve_type(key.path, body.owner, simple) or simple
        if self._reader.container(resolved) is None:
            return False
        made = next((
            each for each in body.nodes if isinstance(each, ir.Call) and each.kind == "new" and each.receiver == node.dst
        ), None)
        is_copy = made is not None and any(
            not ir.is_literal(each) and self._is_container(key, body, each) for each in made.args
        )
        is_limited = "Blocking" in simple and made is not None and bool(made.args)
        return not is_copy and not is_limited

    def _is_container(self, key: ProcedureKey, body: ir.Procedure, variable: str) -> bool:
        written = next((each.type for each in body.variables if each.name == variable), "")
        erased = written.partition("<")[0]
        resolved = self._queries.resolve_type(key.path, body.owner, erased) if erased else ""
        return bool(resolved) and self._reader.container(resolved) is not None

    # --- again and again

    def is_repeated(self, touched: Touched, use: Use) -> bool:
        """Whether a use may happen any number of times to one slot."""
        body = self._queries.procedure(use.key)
        if body is None:
            return False
        return self._runs_again(use.key, body, touched.slot.is_static, MAX_CALLERS)

    def _runs_again(self, key: ProcedureKey, body: ir.Procedure, is_static: bool, depth: int) -> bool:
        if body.kind == "initialiser":
            return False
        if body.kind == "constructor":
            return is_static
        if "private" not in body.attributes or depth == 0 or body.kind == "lambda":
            return True
        simple = body.name.partition("(")[0].rpartition(".")[2]
        unit = self._queries.unit(key.path)
        callers = [each for each in (unit.procedures if unit is not None else ()) if each.name != key.name]
        for each in callers:
            caller = ProcedureKey(key.path, each.name)
            found = self._queries.procedure(caller)
            if (
                found is not None
                and any(isinstance(node, ir.Call) and node.name == simple for node in found.nodes)
                and self._runs_again(caller, found, is_static, depth - 1)
            ):
                return True
        return False

    def is_first_fill(self, touched: Touched, use: Use) -> bool:
        """Whether a use always meets a container that the same run of its procedure has just made."""
        body = self._queries.procedure(use.key)
        if body is None:
            return False
        made = {each.operands[0] for each in touched.origins if each.key == use.key}
        above = [
            number for number, node in enumerate(body.nodes) if isinstance(node, ir.Alloc) and node.dst in made
        ]
        if not above:
            return False
        tree = dominators(build_unlinked(body))
        return any(dominates(tree, each, use.node) for each in above)

    def is_of_returned(self, use: Use) -> bool:
        """Whether a use meets the container of an object that the same run of its procedure has made, and returns: that grows by one run alone."""
        body = self._queries.procedure(use.key)
        if body is None:
            return False
        made = {node.dst for node in body.nodes if isinstance(node, ir.Alloc)}
        for _ in range(2):
            made |= {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in made}
        fresh = {each for each in made if all(isinstance(one, ir.Alloc) or getattr(one, "src", "") in made for one in definitions(body, each))}
        returned = {node.src for node in body.nodes if isinstance(node, ir.Return)} & fresh
        call = body.nodes[use.node]
        held = getattr(call, "receiver", "") or getattr(call, "base", "")
        sources = definitions(body, held)
        return bool(sources) and all(isinstance(each, ir.Load) and self._is_same(body, each.base, returned) for each in sources)

    def _is_same(self, body: ir.Procedure, variable: str, others: set[str]) -> bool:
        """Whether a variable is one of some others, or what they are copies of."""
        return variable in others or any(
            isinstance(node, ir.Copy) and node.dst in others and node.src == variable for node in body.nodes
        )

    def is_guarded(self, use: Use, touched: Touched) -> bool:
        """Whether a Store to a field happens only where the field holds nothing yet."""
        body = self._queries.procedure(use.key)
        if body is None:
            return False
        held = {
            node.dst for node in body.nodes
            if isinstance(node, ir.Load) and node.field.rpartition(".")[2] == touched.slot.name
        }
        held |= {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in held}
        return any(
            isinstance(node, ir.Branch) and node.operator in ("==", "!=") and node.right == "=null" and node.left in held
            for node in body.nodes
        )

    def is_kept(self, touched: Touched) -> bool:
        """Whether the field holds one and the same fresh container without bound for as long as its owner lives."""
        for use in touched.origins:
            origin = self.of(use)
            body = self._queries.procedure(use.key)
            if origin is Origin.UNKNOWN or body is None:
                return False
            is_first = body.kind == "initialiser" or (body.kind == "constructor" and not touched.slot.is_static)
            if is_first or (origin is Origin.FRESH and self.is_guarded(use, touched)):
                continue
            if self._runs_again(use.key, body, touched.slot.is_static, MAX_CALLERS):
                return False
        return any(self.of(use) is Origin.FRESH for use in touched.origins)
