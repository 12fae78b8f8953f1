"""Instructions that hand a value on: copies, casts, and pointers that are moved or marked in their lowest bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers import ir
from analyzers.graphs.operands import variables


def identity(node: ir.Instruction) -> str:
    """The variable whose value an instruction hands on unchanged; empty where it is none."""
    match node:
        case ir.Copy(src=src):
            return src if variables((src,)) else ""
        case ir.Op(operator="cast" | "[]+" | "|", operands=operands):
            return operands[0] if variables(operands[:1]) else ""
        case ir.Op(operator="&", operands=(pointer, mask)) if mask[:2] == "=-":
            return pointer  # Without the lowest bits, in which a mark may be kept.
        case _:
            return ""


def handed_on(nodes: Sequence[ir.Instruction], name: str, hands_on: Callable[[ir.Instruction, set[str]], bool] = lambda node, names: False) -> set[str]:
    """A variable and those that get its value, wherever in a procedure: by `identity`, or by what `hands_on` says of an instruction
    and the variables so far."""
    names, size = {name}, 0
    while size != len(names):
        size = len(names)
        names |= {dst for node in nodes if (dst := getattr(node, "dst", "")) and (identity(node) in names or hands_on(node, names))}
    return names


def is_offset(node: ir.Op) -> bool:
    """Whether a pointer of C is moved by the size of something, or by where a member lies: to the whole, or to another part."""
    return node.operator == "[]+" and node.operands[1:] == ("=?",)
