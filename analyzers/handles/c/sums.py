"""What operations give. Sums of C that are not 0, whatever their parts are: `tree->len + 1 + len` of lengths without a sign; and distances in a block,
which are not negative: `end - start`. A length and 1 is not 0, and what grows by a length stays above it (`size += strlen(text)`).

Reports too little where such a sum overflows, and where somebody counts backwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.guard import INFINITY, POSITIVE, TOP, Value
from analyzers.handles.scene import Scene

_DEEPEST = 4
_NATURAL: Value = (0, INFINITY, ())
_UNSIGNED = frozenset(("size_t", "unsigned", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t", "gsize", "guint"))


def count(scene: Scene, operand: str) -> Value:
    """What is known of an operand that is a sum with a positive number of what cannot be negative, or a distance."""
    if scene.is_java or not ir.is_temporary(operand):
        return TOP
    match _definition(scene, operand):
        case ir.Op(operator="+"):
            return POSITIVE if _is_positive(scene, operand, _DEEPEST) else TOP
        case ir.Op(operator="-", operands=operands) if _is_distance(scene, operands):
            return _NATURAL
        case _:
            return TOP


def _merged(operator: str, values: Sequence[Value]) -> Value | None:
    """What is known of a flag that another is put into (`failed |= block == NULL`), and of what grows (`size += size; size *= 2;`);
    None for other operations. No sum is taken to overflow."""
    if len(values) != 2 or any(guard.is_symbol(each) for each in values):
        return None
    one, other = values
    if operator == "|" and guard.ZERO in values:
        return other if one == guard.ZERO else one
    if operator == "&" and guard.ZERO in values:
        return guard.ZERO
    if operator == "&" and guard.ONE in values and all(each[0] >= 0 and each[1] <= 1 for each in values):
        return other if one == guard.ONE else one
    if one[0] < 0 or (operator != "<<" and other[0] < 0):
        return None
    if operator == "+" and other[0] != other[1]:
        return POSITIVE if one[0] > 0 or other[0] > 0 else _NATURAL
    if operator in ("*", "<<"):
        return POSITIVE if one[0] > 0 and (operator == "<<" or other[0] > 0) else _NATURAL
    return None


def _is_distance(scene: Scene, operands: Sequence[str]) -> bool:
    return not scene.is_java and len(operands) == 2 and all("*" in scene.type_of(each) for each in operands)


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


def results(scene: Scene, op: ir.Op, values: list[Value]) -> list[tuple[Value, tuple[tuple[str, Value], ...]]]:
    """What an operation may give, with what then holds of its operands."""
    operator, operands = op.operator, op.operands
    if operator == "!" and len(operands) == 1:
        operator, operands, values = "==", (operands[0], "=0"), [values[0], guard.ZERO]
    if operator in ("+", "*") and not scene.is_java:
        values = [_NATURAL if value == TOP and _is_counted(scene, each, _DEEPEST) else value for each, value in zip(operands, values, strict=True)]
    if operator in guard.NEGATED and len(operands) == 2:
        found: list[tuple[Value, tuple[tuple[str, Value], ...]]] = []
        for result, relation in ((guard.ONE, operator), (guard.ZERO, guard.NEGATED[operator])):
            refined = guard.refine(values[0], relation, values[1])
            if refined is not None:
                found.append((result, ((operands[0], refined),)))
        return found
    if operator == "|" and not scene.is_java and any(guard.meet(each, guard.ZERO) is None and not guard.is_symbol(each) for each in values):
        return [(guard.NON_ZERO, ())]
    if (merged := _merged(operator, values)) is not None and not scene.is_java:
        return [(merged, ())]
    if operator in ("+", "-") and len(operands) == 2 and values[1][0] == values[1][1] and not guard.is_symbol(values[1]):
        return [(guard.add(values[0], values[1][0] if operator == "+" else -values[1][0]), ())]
    if operator == "-" and len(operands) == 1:
        return [(guard.negative(values[0]), ())]
    return [(_NATURAL if operator == "-" and _is_distance(scene, operands) else TOP, ())]
