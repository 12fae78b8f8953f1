"""Pointer variables that are used again for another address (`at = &box->name; drop(at); at = &box->old; drop(at);`).

Each life that begins with an address, and whose uses no other life reaches, becomes a variable of its own: what lies behind it is
known then. The variable of the source keeps the other lives (`for (t = &first; …; t = t->next)` is one). Misses lives of parameters, and of
variables whose address is taken.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.operands import assigned, used


def with_lives(body: ir.Procedure) -> ir.Procedure:
    """A procedure with such lives as variables of their own."""
    begun = _begun(body)
    own = {each.name: each for each in body.variables if each.kind == "local" and not each.is_address_taken and "static" not in each.attributes}
    nodes = list(body.nodes)
    made: dict[str, list[str]] = {}
    for name in sorted(begun.keys() & own.keys()):
        definitions = [place for place, node in enumerate(body.nodes) if name in assigned(node)]
        if len(definitions) < 2 or any(isinstance(body.nodes[place], ir.Havoc) for place in definitions):
            continue
        reached = {place: _reached(body, place, set(definitions)) for place in definitions}
        uses = {place for place, node in enumerate(body.nodes) if name in used(node)}
        for place in begun[name]:
            mine = reached[place] & uses
            others = {each for other in definitions if other != place for each in reached[other]}
            if not mine or not mine.isdisjoint(others) or not mine.isdisjoint(definitions):
                continue
            life = f"{name}{'@' if '#' in name else '#@'}{len(made.get(name, ())) + 1}"
            made.setdefault(name, []).append(life)
            nodes[place] = msgspec.structs.replace(nodes[place], dst=life)
            for use in mine:
                nodes[use] = _renamed(nodes[use], name, life)
    if not made:
        return body
    for place, node in enumerate(nodes):
        if isinstance(node, ir.ScopeEnd) and not made.keys().isdisjoint(node.variables):
            ended = tuple(life for name in node.variables for life in made.get(name, ()))
            nodes[place] = msgspec.structs.replace(node, variables=(*node.variables, *ended))
    variables = [*body.variables, *(msgspec.structs.replace(own[name], name=life) for name, lives in made.items() for life in lives)]
    return msgspec.structs.replace(body, nodes=tuple(nodes), variables=tuple(sorted(variables, key=lambda each: each.name)))


def _begun(body: ir.Procedure) -> dict[str, list[int]]:
    """The variables that are given addresses, and where."""
    addresses = {node.dst for node in body.nodes if isinstance(node, ir.AddressOf) and node.dst[:1] == "%"}
    found: dict[str, list[int]] = {}
    for place, node in enumerate(body.nodes):
        match node:
            case ir.AddressOf(dst=dst) if dst[:1] != "%":
                found.setdefault(dst, []).append(place)
            case ir.Op(dst=dst, operator="cast", operands=(src, *_)) | ir.Copy(dst=dst, src=src) if src in addresses:
                found.setdefault(dst, []).append(place)
            case _:
                pass
    return found


def _reached(body: ir.Procedure, place: int, definitions: set[int]) -> set[int]:
    """The nodes at whose beginning a variable may have what it is given somewhere."""
    found: set[int] = set()
    waiting = list(body.next[place])
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.add(node)
        if node not in definitions:
            waiting += body.next[node]
    return found


def _renamed(node: ir.Instruction, old: str, new: str) -> ir.Instruction:
    """An instruction that reads another variable."""
    changed = {
        field: tuple(new if each == old else each for each in value) if isinstance(value, tuple) else new
        for field in ("src", "base", "index", "left", "right", "receiver", "args", "operands")
        if (value := getattr(node, field, None)) == old or (isinstance(value, tuple) and old in value)
    }
    return msgspec.structs.replace(node, **changed)
