"""What a macro of C gives that only counts with its arguments: `#define IS_ERROR(status) ((status) & (MASK << OFFSET))`.

Where all arguments are known numbers, so is the result. Misses macros that choose (`?:`, `&&`), and arguments that are several numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.guard import TOP, Value
from analyzers.frontends.c.constants import fold
from analyzers.graphs.operands import assigned
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite

_LONGEST = 30
"""Instructions of a macro that is still counted through."""

_NEAREST = 6
"""Instructions between a call and the test of what it gives."""


class Sum(msgspec.Struct, frozen=True):
    """What a macro does with numbers: its operations, and which formals (by position) take part."""

    nodes: tuple[ir.Instruction, ...]
    formals: tuple[str, ...]
    constants: dict[str, str]

    def value(self, known: Callable[[int], Value]) -> Value:
        """The result, given what is known of the arguments; TOP where that does not say it."""
        values = dict(self.constants)
        for position, name in enumerate(self.formals):
            low, high, _ = passed = known(position)
            if low != high or guard.is_symbol(passed) or guard.is_stream(passed):
                return TOP
            values[name] = f"={low}"
        for node in self.nodes:
            match node:
                case ir.Copy(dst=dst, src=src):
                    values[dst] = _read(values, src)
                case ir.Op(dst=dst, operator=operator, operands=(one, other)):
                    left, right = _read(values, one), _read(values, other)
                    values[dst] = fold(operator, left, right) if left and right else ""
                case ir.Op(dst=dst, operator="cast", operands=(one,)):
                    values[dst] = "" if (value := _read(values, one))[:2] == "=-" else value  # A type without a sign makes it large.
                case ir.Return(src=src) if _read(values, src):
                    return guard.literal(_read(values, src))
                case _:
                    pass
        return TOP


def _read(values: dict[str, str], operand: str) -> str:
    return operand if ir.is_literal(operand) else values.get(operand, "")


def counted(scene: Scene, node: int, site: CallSite) -> Sum | None:
    """How the macro counts that a call runs; None where it runs anything else."""
    target = scene.linked.targets.get(node)
    if scene.is_java or target is None or len(target.procedures) != 1 or not site.call.dst or site.acquired or site.moves:
        return None
    linked = scene.queries.linked(target.procedures[0])
    if linked is None or linked.body.kind != "macro" or not 0 < len(linked.body.parameters) == len(site.call.args):
        return None
    nodes = tuple(each for each in linked.body.nodes if not isinstance(each, ir.Entry | ir.Exit))
    if len(nodes) > _LONGEST or not all(_is_number(each) for each in nodes) or sum(isinstance(each, ir.Return) for each in nodes) != 1:
        return None
    loads = [each for each in nodes if isinstance(each, ir.Load)]
    constants = {each.dst: scene.queries.constant(linked.key.path, each.field) for each in loads}
    is_known = all(value and ir.is_literal(value) for value in constants.values())
    return Sum(nodes, tuple(linked.body.parameters), constants) if is_known and any(isinstance(each, ir.Op) for each in nodes) else None


def is_just_before(scene: Scene, call: int, node: int, names: tuple[str, ...]) -> bool:
    """Whether a call is the last thing before a branch that may change what it was passed."""
    for _ in range(_NEAREST):
        before = scene.cfg.predecessors[node]
        if len(before) != 1:
            return False
        node = before[0]
        if node == call:
            return True
        if not set(names).isdisjoint(assigned(scene.nodes[node])) or isinstance(scene.nodes[node], ir.Call):
            return False
    return False


def _is_number(node: ir.Instruction) -> bool:
    match node:
        case ir.Load(base=""):
            return True
        case ir.Op(operator=operator, operands=operands):
            return operator == "cast" or len(operands) == 2
        case ir.Copy(src=src) | ir.Return(src=src):
            return bool(src)
        case _:
            return False
