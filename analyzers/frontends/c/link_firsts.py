"""What a formal, or a local that is given one block, points to, where it is written now `*out` and now `out[0]`: the same place, so one name.

`*argv = calloc(2, sizeof(char *)); *argv[0] = strdup(name);` means the first element of what was just made. What is
looked into with other numbers, or walked over, is an array, and stays one. Misses nothing: where only one of both is written, either name is understood.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.operands import assigned, operands


def with_firsts(body: ir.Procedure) -> ir.Procedure:
    """A procedure in which the first element of such formals is what they point to."""
    formals = {each.name for each in body.variables if each.kind == "parameter" and each.type.replace(" ", "").endswith("**")}
    blocks = _given_once(body)
    pointed = {node.base for node in body.nodes if isinstance(node, ir.Load | ir.Store) and node.field == "*" and node.base in formals | blocks}
    firsts = pointed - {name for node in body.nodes for name in _looked_into(node, blocks)}
    if not firsts:
        return body
    nodes = list(body.nodes)
    for place, node in enumerate(body.nodes):
        match node:
            case ir.LoadElement(dst=dst, base=base) if base in firsts:
                nodes[place] = ir.Load(node.start, node.end, dst, base, "*")
            case ir.StoreElement(base=base, src=src) if base in firsts:
                nodes[place] = ir.Store(node.start, node.end, base, "*", src)
    return body if nodes == list(body.nodes) else msgspec.structs.replace(body, nodes=tuple(nodes))


def _given_once(body: ir.Procedure) -> frozenset[str]:
    """The locals that a call gives the one value that they ever have."""
    found = {each.name for each in body.variables if each.kind == "local" and not each.is_address_taken and each.type.replace(" ", "").endswith("**")}
    given = [(name, node) for node in body.nodes for name in assigned(node) if name in found]
    return frozenset(name for name, node in given if isinstance(node, ir.Call) and [each for each, _ in given].count(name) == 1)


def _looked_into(node: ir.Instruction, blocks: frozenset[str]) -> tuple[str, ...]:
    """The variables that an instruction takes for arrays, or makes point elsewhere."""
    match node:
        case ir.LoadElement(base=base, index=index) | ir.StoreElement(base=base, index=index):
            return () if index == "=0" else (base,)
        case ir.Op():
            return (*operands(node), node.dst)
        case ir.Call(dst=dst) if dst in blocks:
            return ()
        case _:
            return (getattr(node, "dst", ""),)
