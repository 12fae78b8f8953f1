"""Numbers of C that descriptors are not kept in as a rule, but have the room (`uint32_t id`, `unsigned long key`): which of them to follow.

Most are lengths, sizes, and numbers that go into a message: whoever follows all of them follows every number. Misses a descriptor that
an argument of such a type brings to a function that only hands it on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.handles.c.types import is_wide
from analyzers.summaries import AccessPath

if TYPE_CHECKING:
    from analyzers.handles.scene import Scene


def goes_on(scene: Scene, name: str) -> bool:
    """Whether a variable has the room and comes from a call, a member or behind a pointer, and is given on; a formal, whether something
    ends or stores it."""
    if scene.is_java or not is_wide(scene.type_of(name)):
        return False
    if name in scene.formals:
        return name in scene.readers.ended or any(isinstance(each, ir.Store | ir.StoreElement) for each in scene.readers.of(name))
    is_made = name in scene.variables and scene.variables[name].is_address_taken
    is_made = is_made or any(isinstance(scene.nodes[node], ir.Call | ir.Load) for node in scene.definitions.get(name, ()))
    return is_made and name in scene.readers.given


def may_enter(scene: Scene, path: AccessPath) -> bool:
    """Whether a handle can lie at a path below a formal: in a number that only has the room where something ends such a member."""
    if len(path) == 1:
        return path[0] in scene.holders
    if scene.is_java or not scene.is_wide_number(path):
        return scene.may_hold(path)
    return any(isinstance(node, ir.Load) and node.field == path[-1] and node.dst in scene.readers.ended for node in scene.nodes)
