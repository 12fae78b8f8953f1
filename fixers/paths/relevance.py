"""Which variables matter to a resource: those that may hold it, or hold what holds it."""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Linked


def holding(body: ir.Procedure, sites: frozenset[int]) -> set[str]:
    """The variables that a handle may come to, or that may point to one."""
    names: set[str] = set()
    for node in sites:
        call = body.nodes[node]
        if isinstance(call, ir.Call):
            names.update(name for name in (call.dst, call.receiver, *call.args) if name and name[0] != "=")
    grown = True
    while grown:
        grown = False
        for each in body.nodes:
            match each:
                case ir.Copy(dst=dst, src=src) if src in names:
                    new = (dst,)
                case ir.Op(dst=dst, operands=operands) | ir.Call(dst=dst, args=operands) if not names.isdisjoint(operands):
                    new = (dst,)
                case ir.Call(dst=dst, receiver=receiver) if receiver in names:
                    new = (dst,)
                case ir.Load(dst=dst, base=base) | ir.AddressOf(dst=dst, base=base) if base in names:
                    new = (dst,)
                case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if src in names:
                    new = (base,)
                case _:
                    continue
            if new[0] and new[0] not in names:
                names.add(new[0])
                grown = True
    return names


def irrelevant(linked: Linked, sites: frozenset[int]) -> frozenset[str]:
    """The variables of the source whose values need not be known for most proofs."""
    names = holding(linked.body, sites)
    return frozenset(
        each.name for each in linked.body.variables if each.kind != "temporary" and each.name not in names
    ) - {"this"}


def counters(linked: Linked) -> frozenset[str]:
    """Variables that hold numbers which change by arithmetic."""
    found = {
        node.dst for node in linked.body.nodes
        if isinstance(node, ir.Op) and node.operator not in ("cast", "[]+", "==", "!=", "<", "<=", ">", ">=", "!")
    }
    numbers = {name for name in found if "*" not in linked.types.get(name, "")}
    return frozenset(name for name in numbers if not ir.is_temporary(name))
