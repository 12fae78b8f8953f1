"""Which variables matter to a resource: those that may hold it, or hold what holds it."""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import AccessPath
from fixers.paths.values import is_plain_type


def holding(linked: Linked, sites: frozenset[int], owned: tuple[AccessPath, ...] = ()) -> set[str]:
    """The variables that a handle may come to, that may point to one, or that what holds one is known by, too."""
    names = {linked.body.parameters[int(root[1:])] if root[1:].isdigit() else root for root, *_ in owned}
    for node in sites:
        call = linked.body.nodes[node]
        if isinstance(call, ir.Call):
            names.update(name for name in (call.dst, call.receiver, *call.args) if name and name[0] != "=")
    plain = _plain(linked)
    steps = [step for each in linked.body.nodes if (step := _moved(each, plain)) is not None]
    grown = True
    while grown:
        grown = False
        for sources, targets in steps:
            if not names.isdisjoint(sources):
                new = set(targets) - names
                names |= new
                grown = grown or bool(new)
    return names


def _moved(instruction: ir.Instruction, plain: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The variables from which an instruction may move a handle, and those that it may come to. An object is filled
    under any of its names, so what is copied or loaded goes both ways; a call may store what it is given in all that
    is not `plain`."""
    match instruction:
        case ir.Copy(dst=dst, src=src):
            found: tuple[str, ...] = (dst, src)
        case ir.Op(dst=dst, operator="cast" | "[]+", operands=operands):
            found = (dst, *operands[:1])
        case ir.Op(dst=dst, operands=operands):
            return operands, (dst,)
        case ir.Call(dst=dst, receiver=receiver, args=args):
            given = tuple(each for each in (receiver, *args) if each and each[0] != "=")
            return given, (*((dst,) if dst else ()), *(each for each in given if each not in plain))
        case ir.Load(dst=dst, base=base, field=field):
            found = (dst, base or f"::{field}")
        case ir.LoadElement(dst=dst, base=base) | ir.AddressOf(dst=dst, base=base):
            found = (dst, base)
        case ir.Store(base=base, field=field, src=src):
            found = (base or f"::{field}", src)
        case ir.StoreElement(base=base, src=src):
            found = (base, src)
        case _:
            return None
    kept = tuple(each for each in found if each and each[0] != "=")
    return (kept, kept) if len(kept) > 1 else None


def _plain(linked: Linked) -> frozenset[str]:
    """The variables of types that nothing can be reached from."""
    return frozenset(name for name, written in linked.types.items() if is_plain_type(written, linked.language))


def irrelevant(linked: Linked, sites: frozenset[int], owned: tuple[AccessPath, ...] = ()) -> frozenset[str]:
    """The variables of the source whose values need not be known for most proofs."""
    names = holding(linked, sites, owned)
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
