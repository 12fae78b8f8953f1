"""Which variables an instruction assigns, and which it reads.

Memory (fields, elements, globals) is not a variable: see `domains.access_path`. Misses what a callee
writes through the address of a variable; `is_address_taken` says which variables that can happen to.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir

_ASSIGNING = (ir.Call, ir.Load, ir.Copy, ir.Op, ir.AddressOf, ir.LoadElement, ir.Alloc, ir.Catch)


def assigned(node: ir.Instruction) -> tuple[str, ...]:
    """The variables that hold another value after the instruction."""
    if isinstance(node, _ASSIGNING):
        return (node.dst,) if node.dst else ()
    return node.variables if isinstance(node, ir.Havoc) else ()


def operands(node: ir.Instruction) -> tuple[str, ...]:
    """The operands that the instruction reads, literals among them, in the order of the source."""
    match node:
        case ir.Copy(src=src) | ir.Return(src=src) | ir.Throw(src=src):
            return (src,)
        case ir.Op(operands=read):
            return read
        case ir.Load(base=base) | ir.AddressOf(base=base):
            return (base,)
        case ir.Store(base=base, src=src):
            return (base, src)
        case ir.LoadElement(base=base, index=index):
            return (base, index)
        case ir.StoreElement(base=base, index=index, src=src):
            return (base, index, src)
        case ir.Call(receiver=receiver, args=args):
            return (receiver, *args)
        case ir.Branch(left=left, right=right):
            return (left, right)
        case _:
            return ()


def variables(read: Iterable[str]) -> tuple[str, ...]:
    """The variables among operands."""
    return tuple(operand for operand in read if operand and operand[0] != "=")


def used(node: ir.Instruction) -> tuple[str, ...]:
    """The variables that the instruction reads."""
    return variables(operands(node))
