"""Members of structs that lie in another one by value, which the destructor of that forgets (`rule->name.set`).

Told only of what nobody at all takes out of the inner struct, and where it is this place in the outer one that is filled: by a
store that names both, or by the procedure that gets the address of the inner struct. Misses what goes further down, arrays of
structs, and what is filled by way of a third procedure.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.destructors.reading import is_of, struct_of
from analyzers.detectors.destructors.uses import Fill, Tree
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene


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
    for key, body, _ in tree.uses(scene, inner.owner, member):
        stores = [node for node in body.scene.nodes if isinstance(node, ir.Store) and node.field == f"{inner.name}.{member}"] if key == fill.key else []
        if any(struct_of(body.scene, body.scene.type_of(node.base)) == outer for node in stores):
            return fill
    for _, body, _ in tree.uses(scene, outer, inner.name):
        given = {node.dst for node in body.scene.nodes if isinstance(node, ir.AddressOf) and is_of(body.scene, node, outer, inner.name)}
        given |= {node.dst for node in body.scene.nodes if isinstance(node, ir.Copy) and identity(node) in given}
        if any(isinstance(node, ir.Call) and node.name == fill.key.name and not given.isdisjoint(node.args) for node in body.scene.nodes):
            return fill
    return None
