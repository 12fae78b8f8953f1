"""Arrays of a function's own that it names with the numbers of elements alone, each element as a variable: they are lost one by one.

`char *names[2]; names[0] = make(); names[1] = make();` Arrays that are passed on, walked over, or looked into with an index that
varies stay one thing, of which any release is the release of all.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.c import grids
from analyzers.frontends.c.constants import is_integer
from analyzers.graphs.operands import operands

_MOST = 8
"""Elements of an array that is told by its elements."""


def with_elements(body: ir.Procedure) -> ir.Procedure:
    """A procedure with the elements of such arrays as variables."""
    arrays = {each.name: each for each in body.variables if _may_be_split(each)}
    used = _used(body, arrays) if arrays else {}
    if not used:
        return body
    nodes, following = list(body.nodes), list(body.next)
    for place, node in enumerate(body.nodes):
        match node:
            case ir.LoadElement(dst=dst, base=base, index=index) if base in used:
                nodes[place] = ir.Copy(node.start, node.end, dst, _element(arrays[base], index))
            case ir.StoreElement(base=base, index=index, src=src) if base in used:
                nodes[place] = ir.Copy(node.start, node.end, _element(arrays[base], index), src)
            case ir.ScopeEnd(variables=names) if not used.keys().isdisjoint(names):
                ended = tuple(_element(arrays[name], index) for name in names for index in used.get(name, ()))
                nodes[place] = msgspec.structs.replace(node, variables=(*names, *ended))
            case ir.Op(dst=dst, operator="zero") if dst in used:
                empty = "=null" if "*" in arrays[dst].type else "=0"
                zeroed = [ir.Copy(node.start, node.end, _element(arrays[dst], index), empty) for index in used[dst]]
                after = following[place]
                for copy in zeroed:
                    following[place] = (len(nodes),)
                    place = len(nodes)
                    nodes.append(copy)
                    following.append(after)
    variables = [
        msgspec.structs.replace(arrays[name], name=_element(arrays[name], index), type=arrays[name].type.removesuffix("[]").rstrip())
        for name in used for index in used[name]
    ]
    raises = (*body.raises, *[()] * (len(nodes) - len(body.nodes)))
    return msgspec.structs.replace(
        body, nodes=tuple(nodes), next=tuple(following), raises=raises,
        variables=tuple(sorted((*body.variables, *variables), key=lambda each: each.name)),
    )


def _may_be_split(variable: ir.Variable) -> bool:
    """Whether a variable is an array of pointers or of descriptors that nobody has the address of."""
    if variable.kind != "local" or variable.is_address_taken or not {"static", "extern"}.isdisjoint(variable.attributes):
        return False
    return variable.type == "int[]" or (variable.type.endswith("[]") and variable.type.count("*") == 1)


def _used(body: ir.Procedure, arrays: dict[str, ir.Variable]) -> dict[str, list[str]]:
    """The indices by which such arrays are named, for those that are used for nothing else."""
    found: dict[str, set[str]] = {name: set() for name in arrays}
    zeroed: set[str] = set()
    for node in body.nodes:
        match node:
            case ir.LoadElement(base=base, index=index) | ir.StoreElement(base=base, index=index) if base in found and is_integer(index):
                found[base].add(index)
                others = {getattr(node, "dst", ""), getattr(node, "src", "")}
            case ir.Op(dst=dst, operator="zero") if dst in found:
                zeroed.add(dst)
                others = set()
            case ir.ScopeEnd():
                others = set()
            case ir.Havoc(variables=names):
                others = set(names)
            case _:
                others = {*operands(node), getattr(node, "dst", "")}
        for name in found.keys() & others:
            del found[name]
    return {name: sorted(indices) for name, indices in sorted(found.items()) if 0 < len(indices) <= _MOST}


def _element(array: ir.Variable, index: str) -> str:
    return ir.element_name(array.name, grids.written(array.attributes, int(index[1:])))
