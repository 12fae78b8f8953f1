"""Which elements of its arrays a procedure looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.handles.moves import identity
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


def is_left_behind(scene: Scene, operand: str) -> bool:
    """Whether an operand was loaded from where a pointer was before it moved on at once (`*text++`): what it points to then is another element."""
    load = scene.nodes[scene.definitions[operand][0]]
    name = load.base if isinstance(load, ir.Load) else ""
    if not ir.is_temporary(name) or len(scene.definitions.get(name, ())) != 1:
        return False
    copied = scene.definitions[name][0]
    source = identity(scene.nodes[copied])
    return bool(source) and any(source in assigned(scene.nodes[each]) for each in scene.cfg.normal[copied])
