"""Which variables an instruction assigns, and which it reads.

Memory (fields, elements, globals) is not a variable: see `domains.access_path`. Misses what a callee
writes through the address of a variable; `is_address_taken` says which variables that can happen to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from analyzers import ir

_ASSIGNING = frozenset((ir.Call, ir.Load, ir.Copy, ir.Op, ir.AddressOf, ir.LoadElement, ir.Alloc, ir.Catch))


def assigned(node: ir.Instruction) -> tuple[str, ...]:
    """The variables that hold another value after the instruction."""
    if type(node) in _ASSIGNING:
        target: str = node.dst  # type: ignore[union-attr]
        return (target,) if target else ()
    return node.variables if isinstance(node, ir.Havoc) else ()


_READ: dict[type[ir.Instruction], Callable[[Any], tuple[str, ...]]] = {
    ir.Copy: lambda node: (node.src,),
    ir.Return: lambda node: (node.src,),
    ir.Throw: lambda node: (node.src,),
    ir.Op: lambda node: node.operands,
    ir.Load: lambda node: (node.base,),
    ir.AddressOf: lambda node: (node.base,),
    ir.Store: lambda node: (node.base, node.src),
    ir.LoadElement: lambda node: (node.base, node.index),
    ir.StoreElement: lambda node: (node.base, node.index, node.src),
    ir.Call: lambda node: (node.receiver, *node.args),
    ir.Branch: lambda node: (node.left, node.right),
}


def operands(node: ir.Instruction) -> tuple[str, ...]:
    """The operands that the instruction reads, literals among them, in the order of the source."""
    read = _READ.get(type(node))
    return read(node) if read is not None else ()


def variables(read: Iterable[str]) -> tuple[str, ...]:
    """The variables among operands."""
    return tuple(operand for operand in read if operand and operand[0] != "=")


def used(node: ir.Instruction) -> tuple[str, ...]:
    """The variables that the instruction reads."""
    return variables(operands(node))
