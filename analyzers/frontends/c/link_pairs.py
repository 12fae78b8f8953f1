"""Two handles that a library leaves in an array of two (`pipe(ends)`), each as a variable of its own: they are lost one by one.

`pipe(ends)` becomes a call with two addresses, of `ends[0]` and `ends[1]`, which specs know as `pipe.pair`. Only for local arrays that
the function names with the numbers of elements alone (`&ends[1]`, too); others stay one thing, of which any release is the release of all.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.queries import Queries

PAIR = ".pair"
"""What specs add to the name of a function to say how it is called here."""

_INDICES = ("=0", "=1")


def with_pairs(path: str, body: ir.Procedure, queries: Queries) -> ir.Procedure:
    """A procedure with the elements of such arrays as variables."""
    arrays = {each.name: each for each in body.variables if each.kind == "local" and each.type == "int[]" and "static" not in each.attributes}
    made = dict(_made(path, body, arrays, queries)) if arrays else {}
    split = {array for array in made.values() if _is_named_by_number(body, array, made)}
    if not split:
        return body
    nodes = [_rewritten(node, split) for node in body.nodes]
    following, raises = list(body.next), list(body.raises)
    variables = list(body.variables)
    for array in sorted(split):
        variables += [
            msgspec.structs.replace(arrays[array], name=ir.element_name(array, index), type="int", is_address_taken=True) for index in (0, 1)
        ]
    for place, array in made.items():
        call = nodes[place]
        if array not in split or not isinstance(call, ir.Call):
            continue
        first, names = len(nodes), (f"%{place}.0", f"%{place}.1")
        following = [tuple(first if each == place else each for each in ways) for ways in following]
        for index, name in enumerate(names):
            nodes.append(ir.AddressOf(call.start, call.end, name, ir.element_name(array, index), ""))
            following.append((place if index else first + 1,))
            raises.append(())
            variables.append(ir.Variable(name, "", "temporary"))
        nodes[place] = msgspec.structs.replace(call, name=call.name + PAIR, args=names)
    variables.sort(key=lambda each: each.name)
    return msgspec.structs.replace(body, nodes=tuple(nodes), next=tuple(following), raises=tuple(raises), variables=tuple(variables))


def _made(path: str, body: ir.Procedure, arrays: dict[str, ir.Variable], queries: Queries) -> Iterator[tuple[int, str]]:
    """The calls that leave a pair in one of some arrays, with it."""
    for place, node in enumerate(body.nodes):
        if not isinstance(node, ir.Call) or node.kind != "function" or arrays.keys().isdisjoint(node.args):
            continue
        if queries.model((node.name + PAIR,), ()) is None or queries.functions(path, node.name):
            continue
        model = queries.model((node.name,), ())
        paths = {p for each in model.transfers for outcome in each.outcomes for p in outcome.paths} if model is not None else set()
        for position, argument in enumerate(node.args):
            if argument in arrays and (f"${position}", "[]") in paths:
                yield place, argument


def _is_named_by_number(body: ir.Procedure, array: str, made: dict[int, str]) -> bool:
    """Whether an array is used for nothing but its two elements, and given to nobody but who fills it."""
    zeroed = False
    stored = set()
    for place, node in enumerate(body.nodes):
        match node:
            case ir.LoadElement(base=base, index=index, dst=dst) if base == array:
                if index not in _INDICES or dst == array:
                    return False
            case ir.StoreElement(base=base, index=index, src=src) if base == array:
                if index not in _INDICES or src == array:
                    return False
                stored.add(index)
            case ir.AddressOf(dst=dst, base=base, index=index) if base == array:
                if index not in _INDICES or dst == array:
                    return False
            case ir.Op(dst=dst, operator="zero") if dst == array:
                zeroed = True
            case ir.Call() if made.get(place) == array:
                pass
            case ir.Havoc(variables=names) if array in names:
                return False
            case _ if array in operands(node) or getattr(node, "dst", "") == array:
                return False
    return not zeroed or len(stored) == len(_INDICES)


def _rewritten(node: ir.Instruction, split: set[str]) -> ir.Instruction:
    match node:
        case ir.LoadElement(dst=dst, base=base, index=index) if base in split:
            return ir.Copy(node.start, node.end, dst, ir.element_name(base, _INDICES.index(index)))
        case ir.StoreElement(base=base, index=index, src=src) if base in split:
            return ir.Copy(node.start, node.end, ir.element_name(base, _INDICES.index(index)), src)
        case ir.AddressOf(dst=dst, base=base, index=index) if base in split:
            return ir.AddressOf(node.start, node.end, dst, ir.element_name(base, _INDICES.index(index)), "")
        case ir.ScopeEnd(variables=names) if not split.isdisjoint(names):
            ended = tuple(ir.element_name(name, index) for name in names if name in split for index in (0, 1))
            return msgspec.structs.replace(node, variables=(*names, *ended))
        case _:
            return node
