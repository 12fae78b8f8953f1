"""Variables of C of which an array has the addresses (`char **all[] = {&name, &path};`): whoever goes through it may release what they hold.

Which element an index means is followed for numbers that are written there; for others nobody knows which variable is meant. Says too much
where the array is only looked at.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.facts import Facts
from fixers.leak import Leak
from fixers.obliged import sites_of


def reached_by_index(leak: Leak) -> str:
    """The variable that holds the resource and that an array may lead to; empty for none."""
    nodes = leak.linked.body.nodes
    holders = _holders(nodes, sites_of(Facts(leak.linked, leak.effects), leak.finding))
    addresses = {each.dst: each.base for each in nodes if isinstance(each, ir.AddressOf) and each.base in holders}
    elements: dict[str, str] = {}
    for each in nodes:
        match each:
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if src in addresses and dst not in holders:
                addresses[dst] = addresses[src]
            case ir.Op(dst=dst, operator="[]+", operands=(base, index)) if ir.is_literal(index):
                elements[dst] = elements.get(base, base)
            case _:
                pass
    kept = {}
    for each in nodes:
        match each:
            case ir.StoreElement(base=base, src=src) if src in addresses:
                kept[elements.get(base, base)] = addresses[src]
            case ir.Store(base=base, src=src) if src in addresses and base in elements:
                kept[elements[base]] = addresses[src]
            case _:
                pass
    return next((kept[array] for array in kept if _goes_through(nodes, array, elements)), "")


def _holders(nodes: tuple[ir.Instruction, ...], sites: Iterable[int]) -> set[str]:
    """The variables that some calls fill, copies of them, and structs with such members."""
    calls = [call for node in sites if isinstance(call := nodes[node], ir.Call)]
    given = {name for call in calls for name in call.args}
    found = {call.dst for call in calls if call.dst}
    found |= {each.base for each in nodes if isinstance(each, ir.AddressOf) and each.dst in given and each.base}
    grown = True
    while grown:
        size = len(found)
        for each in nodes:
            match each:
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if src in found:
                    found.add(dst)
                case ir.Store(base=base, src=src) if src in found and base:
                    found.add(base)
                case _:
                    pass
        grown = len(found) > size
    return found


def _goes_through(nodes: tuple[ir.Instruction, ...], array: str, elements: dict[str, str]) -> bool:
    """Whether somebody reads an array by an index that no number says, or gets it as a whole."""
    for each in nodes:
        match each:
            case ir.LoadElement(base=base, index=index) | ir.Op(operator="[]+", operands=(base, index)) if elements.get(base, base) == array:
                if not ir.is_literal(index):
                    return True
            case ir.Call(args=args) if array in args or any(elements.get(name) == array for name in args):
                return True
            case ir.Copy(src=src) | ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src) if src == array:
                return True
            case _:
                pass
    return False
