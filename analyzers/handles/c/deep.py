"""What a procedure of C puts so deep into a structure of its own that nobody follows it there, and whose owner it hands to a release.

`free_groups(&groups, n)` ends the names in the structs of an array in the structs of an array; summaries name no places that deep. Such a release
may end it: by its name, whatever is known of its body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import ir
from analyzers.handles.unknown import is_releaser

MIN_HOPS = 2
"""Pointers that are followed from the variable to what holds it."""

_STEPS = 10


def ended_from_above(nodes: Sequence[ir.Instruction], definitions: Mapping[str, Sequence[int]], made: int) -> str:
    """The release that is given the owner of what a call puts below it; empty where there is none."""
    call = nodes[made]
    if not isinstance(call, ir.Call):
        return ""
    places = {each.dst: each.base for each in nodes if isinstance(each, ir.AddressOf) and each.field}
    names = {call.dst, *(each.dst for each in nodes if isinstance(each, ir.Copy) and each.src == call.dst)} - {""}
    bases = [places[each] for each in call.args if each in places]
    bases += [each.base for each in nodes if isinstance(each, ir.Store | ir.StoreElement) and each.src in names and each.base]
    owners = {root for base in bases for root, hops in (_owner(nodes, definitions, base),) if hops >= MIN_HOPS}
    addresses = {each.dst for each in nodes if isinstance(each, ir.AddressOf) and not each.field and each.base in owners}
    return next(
        (each.name for each in nodes if isinstance(each, ir.Call) and is_releaser(each.name) and not (owners | addresses).isdisjoint(each.args)), ""
    )


def _owner(nodes: Sequence[ir.Instruction], definitions: Mapping[str, Sequence[int]], name: str) -> tuple[str, int]:
    """The variable from which a pointer was reached, and over how many others."""
    hops = 0
    for _ in range(_STEPS):
        found = definitions.get(name, ())
        if len(found) != 1:
            break
        match nodes[found[0]]:
            case ir.Load(base=base) | ir.LoadElement(base=base) if base:
                name, hops = base, hops + 1
            case ir.AddressOf(base=base, field=field) if base and field:
                name = base
            case ir.Copy(src=src) if not ir.is_literal(src):
                name = src
            case ir.Op(operator="cast" | "[]+", operands=(first, *_)) if not ir.is_literal(first):
                name = first
            case _:
                break
    return name, hops
