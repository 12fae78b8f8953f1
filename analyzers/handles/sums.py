"""Sums of C that are not 0, whatever their parts are: `tree->len + 1 + len` of lengths without a sign.

Reports too little where such a sum overflows.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains import guard
from analyzers.handles.scene import Scene

_DEEPEST = 4
_UNSIGNED = frozenset(("size_t", "unsigned", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t", "gsize", "guint"))


def is_positive_sum(scene: Scene, operand: str) -> bool:
    """Whether an operand is a sum with a positive number of what cannot be negative."""
    return not scene.is_java and ir.is_temporary(operand) and _is_positive(scene, operand, _DEEPEST)


def _is_positive(scene: Scene, operand: str, depth: int) -> bool:
    if ir.is_literal(operand):
        low, _, _ = guard.literal(operand)
        return low > 0 and not guard.is_symbol(guard.literal(operand))
    found = _definition(scene, operand)
    match found:
        case ir.Op(operator="+", operands=(one, other)) if depth:
            return any(_is_positive(scene, a, depth - 1) and _is_counted(scene, b, depth - 1) for a, b in ((one, other), (other, one)))
        case _:
            return False


def _is_counted(scene: Scene, operand: str, depth: int) -> bool:
    """Whether an operand has no sign."""
    if ir.is_literal(operand) or _is_positive(scene, operand, depth):
        return _is_positive(scene, operand, depth) or operand == "=0"
    match _definition(scene, operand):
        case ir.Load(base=base, field=field) if base:
            written = scene.c_types.member(scene.type_of(base), field)
        case ir.Call(kind="function", name="strlen"):
            return True
        case _:
            written = scene.type_of(operand)
    return not _UNSIGNED.isdisjoint(written.split()) and "*" not in written


def _definition(scene: Scene, operand: str) -> ir.Instruction | None:
    """What gives a temporary its value."""
    found = scene.definitions.get(operand, []) if ir.is_temporary(operand) else []
    return scene.nodes[found[0]] if len(found) == 1 else None
