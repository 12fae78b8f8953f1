"""Pointers that all callers of a static function of C pass it: `if (room == NULL) …` where each passes `&room` is taken on no way.

Knows a pointer by being the address of something at every call. Says nothing of functions that others than their own file may call, that are passed around
as values, or that have more callers than are looked at; so misses pointers that are never null for another reason, and hides no way that a call takes.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.c.own_calls import own_calls
from analyzers.handles.scene import Scene
from analyzers.queries import Linked


def is_given_always(scene: Scene, name: str) -> bool:
    """Whether a formal leads to something at every call, and is never set to anything else."""
    if scene.is_java or name not in scene.formals or name in scene.assigned_formals or "static" not in scene.linked.body.attributes:
        return False
    if name not in scene.given_always:
        scene.given_always[name] = _is_given_always(scene, name)
    return scene.given_always[name]


def _is_given_always(scene: Scene, name: str) -> bool:
    variable = scene.variables.get(name)
    if variable is None or variable.is_address_taken:
        return False
    position, calls = scene.formals[name], own_calls(scene)
    return bool(calls) and all(position < len(call.args) and call.args[position] in _places(caller) for caller, _, call in calls)


def _places(caller: Linked) -> set[str]:
    """What is an address: a variable that was given one may hold something else by now."""
    return {node.dst for node in caller.body.nodes if isinstance(node, ir.AddressOf) and ir.is_temporary(node.dst)}
