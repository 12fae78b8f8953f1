"""Arrays of a function's own that it names with the numbers of elements alone, each element as a variable: they are lost one by one.

`char *names[2]; names[0] = make(); names[1] = make();` Where `names` is a block, they are members of it. Arrays that are passed on,
walked over, or looked into with an index that varies stay one thing, of which any release is the release of all.
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
    body = _with_members(body)
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


def _with_members(body: ir.Procedure) -> ir.Procedure:
    """A procedure with the elements of such blocks as members of them (`names = malloc(…); names[0] = make();`)."""
    blocks = {
        each.name for each in body.variables
        if each.kind == "local" and not each.is_address_taken and each.type.count("*") == 2 and {"static", "extern"}.isdisjoint(each.attributes)
    }
    split = _named_by_number(body, blocks) if blocks else frozenset()
    if not split:
        return body
    nodes = list(body.nodes)
    for place, node in enumerate(body.nodes):
        match node:
            case ir.LoadElement(dst=dst, base=base, index=index) if base in split:
                nodes[place] = ir.Load(node.start, node.end, dst, base, f"[{index[1:]}]")
            case ir.StoreElement(base=base, index=index, src=src) if base in split:
                nodes[place] = ir.Store(node.start, node.end, base, f"[{index[1:]}]", src)
    return msgspec.structs.replace(body, nodes=tuple(nodes))


def _named_by_number(body: ir.Procedure, blocks: set[str]) -> frozenset[str]:
    """Those of some pointers that get one new block, and are used for nothing but its elements, by number, and its release."""
    found: dict[str, set[str]] = {name: set() for name in blocks}
    stored: dict[str, set[str]] = {name: set() for name in blocks}
    made: set[str] = set()
    for node in body.nodes:
        others: set[str] = set()
        match node:
            case ir.LoadElement(dst=dst, base=base, index=index) if base in found and is_integer(index):
                found[base].add(index)
                others = {dst}
            case ir.StoreElement(base=base, index=index, src=src) if base in found and is_integer(index):
                found[base].add(index)
                stored[base].add(index)
                others = {src}
            case ir.Call(dst=dst, name=name, args=args):
                is_release = name == "free" and len(args) == 1
                is_new = dst not in made and blocks.isdisjoint(args)
                others = (set() if is_release else set(args)) | (set() if is_new else {dst})
                made.add(dst)
            case ir.ScopeEnd() | ir.Branch():
                pass
            case ir.Copy(src=src) if ir.is_literal(src):
                pass
            case ir.Havoc(variables=names):
                others = set(names)
            case _:
                others = {*operands(node), getattr(node, "dst", "")}
        for name in found.keys() & others:
            del found[name]
    return frozenset(name for name, indices in found.items() if name in made and 0 < len(indices) <= _MOST and indices == stored[name])
