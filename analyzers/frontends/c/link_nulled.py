"""Formals of C that are only ever set to null, where nobody reads them again: `free(box); box = NULL; }`, at the end of a destructor.

They hold what the caller passed wherever they are read, so the procedure is read as if it assigned something else. Misses formals that are
set to something besides, or read behind one of these.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.operands import assigned, operands

_NULLS = ("=null", "=0")
_NOBODY = "%nulled"
"""What is assigned in their place: nothing reads it."""


def with_formals_kept(body: ir.Procedure) -> ir.Procedure:
    """A procedure in which such formals are never assigned."""
    formals = {each.name for each in body.variables if each.kind == "parameter" and not each.is_address_taken and "*" in each.type}
    places: dict[str, list[int]] = {}
    for place, node in enumerate(body.nodes):
        for name in assigned(node):
            if name in formals:
                places.setdefault(name, []).append(place)
    nodes = list(body.nodes)
    for name, found in places.items():
        if all(_is_last(body, place, name) for place in found):
            for place in found:
                nodes[place] = msgspec.structs.replace(body.nodes[place], dst=_NOBODY)
    if nodes == list(body.nodes):
        return body
    return msgspec.structs.replace(body, nodes=tuple(nodes), variables=(*body.variables, ir.Variable(_NOBODY, "", "temporary")))


def _is_last(body: ir.Procedure, place: int, name: str) -> bool:
    """Whether a node sets a variable to null, and no way from there reads it."""
    node = body.nodes[place]
    if not isinstance(node, ir.Copy) or node.src not in _NULLS:
        return False
    seen, waiting = {place}, [place]
    while waiting:
        at = waiting.pop()
        for following in (*body.next[at], *body.raises[at]):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
                if name in operands(body.nodes[following]):
                    return False
    return True
