"""Members of structs that lie in another one by value, which the destructor of that forgets (`rule->name.set`).

Told only of what nobody at all takes out of the inner struct, and where it is this place in the outer one that is filled: by a
store that names both, or by the procedure that gets the address of the inner struct. Misses what goes further down, arrays of
structs, what is filled by way of a third procedure, and structs that are copied or shown to strangers anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.destructors.reading import Body, is_of, struct_of
from analyzers.detectors.destructors.uses import Fill, Tree
from analyzers.handles.scene import Scene

_CLEARING = frozenset(("memset", "bzero"))
"""Functions of the library that leave nothing of a struct."""


class Embedded(msgspec.Struct, frozen=True):
    """A struct by value in another one: the member it is, and its own name."""

    name: str
    written: str
    owner: str


def embedded(scene: Scene, written: str) -> Iterator[Embedded]:
    """The structs that lie by value in one that a file declares, in order."""
    declared = scene.c_types.declared(written)
    for each in declared.fields if declared is not None and declared.kind == "struct" else ():
        inner = scene.c_types.declared(each.type) if each.name and not {"*", "[", "("} & set(each.type) else None
        owner = struct_of(scene, f"{each.type} *") if inner is not None and inner.kind == "struct" else ""
        if owner:
            yield Embedded(each.name, f"{each.type} *", owner)


def filled(scene: Scene, tree: Tree, outer: str, inner: Embedded, member: str) -> Fill | None:
    """The fill of a member of the inner struct, where it is that of the outer one; None for none."""
    fill = tree.never_taken(scene, inner.owner, member)
    if fill is None:
        return None
    bodies = [body for _, body, _ in tree.uses(scene, outer, inner.name)]
    if not all(_is_understood(body, outer, inner.name) for body in bodies):
        return None
    for key, body, _ in tree.uses(scene, inner.owner, member):
        stores = [node for node in body.scene.nodes if isinstance(node, ir.Store) and node.field == f"{inner.name}.{member}"] if key == fill.key else []
        if any(struct_of(body.scene, body.scene.type_of(node.base)) == outer for node in stores):
            return fill
    is_given = any(
        isinstance(node, ir.Call) and node.name == fill.key.name and not _addresses(body, outer, inner.name).isdisjoint(node.args)
        for body in bodies for node in body.scene.nodes
    )
    return fill if is_given else None


def _addresses(body: Body, outer: str, name: str) -> set[str]:
    """The variables that hold the address of the inner struct."""
    nodes = body.scene.nodes
    found = {node.dst for node in nodes if isinstance(node, ir.AddressOf) and is_of(body.scene, node, outer, name)}
    return found | {node.dst for node in nodes if isinstance(node, ir.Copy) and node.src in found}


def _is_understood(body: Body, outer: str, name: str) -> bool:
    """Whether a procedure neither moves the inner struct as a whole nor lets its address go but to functions of the program."""
    scene, addresses = body.scene, _addresses(body, outer, name)
    for at, node in enumerate(scene.nodes):
        if isinstance(node, ir.Load | ir.Store) and (is_of(scene, node, outer, name) or (node.base in addresses and node.field == "*")):
            return False
        if isinstance(node, ir.Call) and not addresses.isdisjoint(node.args):
            target = scene.linked.targets.get(at)
            if node.name not in _CLEARING and (target is None or not target.procedures):
                return False
        elif isinstance(node, ir.Store | ir.StoreElement | ir.Return) and node.src in addresses:
            return False
    return True
