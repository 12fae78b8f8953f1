"""Which elements of its arrays a procedure looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.summaries import AccessPath

if TYPE_CHECKING:
    from analyzers.handles.scene import Scene


def indices(scene: Scene) -> dict[AccessPath, frozenset[str]]:
    """Per array what tells which element of it is meant: index operands, and pointers that walk over it. An array that is
    loaded before it is looked into goes by both names, that of the temporary and that of the place."""
    found: dict[AccessPath, set[str]] = {}
    for node in scene.cfg.order:
        match scene.nodes[node]:
            case ir.LoadElement(base=base, index=index) | ir.StoreElement(base=base, index=index):
                place = scene.normalise((base, "[]"))
                found.setdefault(place, set()).add(index)
                found.setdefault(scene.loaded_from(place), set()).add(index)
            case ir.Op(dst=dst, operator="[]+", operands=(_, index)) if dst in scene.addresses:
                found.setdefault(scene.addresses[dst], set()).add(index)
    for name, array in scene.walkers.items():
        if not ir.is_temporary(name):
            found.setdefault(array, set()).add(name)
    return {array: frozenset(names) for array, names in found.items()}
