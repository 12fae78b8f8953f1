"""Pointers that all callers of a static function of C pass it: `if (room == NULL) …` where each passes `&room` is taken on no way.

Knows a pointer by being the address of something at every call. Says nothing of functions that others than their own file may call, that are passed around
as values, or that have more callers than are looked at; so misses pointers that are never null for another reason, and hides no way that a call takes.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.scene import Scene

MAX_CALLERS = 12


def is_given_always(scene: Scene, name: str) -> bool:
    """Whether a formal leads to something at every call, and is never set to anything else."""
    if scene.is_java or name not in scene.formals or name in scene.assigned_formals or "static" not in scene.linked.body.attributes:
        return False
    if name not in scene.given_always:
        scene.given_always[name] = _is_given_always(scene, name)
    return scene.given_always[name]


def _is_given_always(scene: Scene, name: str) -> bool:
    own = scene.linked.key
    variable = scene.variables.get(name)
    if variable is None or variable.is_address_taken:
        return False
    position = scene.formals[name]
    callers = [key for key in scene.queries.callers(own.name) if key.path == own.path]
    if not callers or len(callers) > MAX_CALLERS:
        return False
    found = False
    for key in callers:
        caller = scene.queries.linked(key)
        if caller is None or caller.body.error:
            return False
        # A variable that was given an address may hold something else by now.
        places = {node.dst for node in caller.body.nodes if isinstance(node, ir.AddressOf) and ir.is_temporary(node.dst)}
        for node in caller.body.nodes:
            if isinstance(node, ir.Call) and node.name == own.name and node.kind == "function":
                if position >= len(node.args) or node.args[position] not in places:
                    return False
                found = True
            elif f"=&{own.name}" in operands(node):
                return False
    return found
