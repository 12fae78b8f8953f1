"""The calls of a static function of C, where all of them are known: none for functions that others than their own file may call, that are
passed around as values, that nobody calls, or that have more callers than are looked at.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.scene import Scene
from analyzers.queries import Linked

MAX_CALLERS = 12


def own_calls(scene: Scene) -> list[tuple[Linked, int, ir.Call]]:
    """Each call of the procedure, with its caller and its node there."""
    own = scene.linked.key
    callers = [key for key in scene.queries.callers(own.name) if key.path == own.path] if "static" in scene.linked.body.attributes else []
    found: list[tuple[Linked, int, ir.Call]] = []
    for key in callers if len(callers) <= MAX_CALLERS else ():
        caller = scene.queries.linked(key)
        if caller is None or caller.body.error:
            return []
        for place, node in enumerate(caller.body.nodes):
            if isinstance(node, ir.Call) and node.name == own.name and node.kind == "function":
                found.append((caller, place, node))
            elif f"=&{own.name}" in operands(node):
                return []
    return found
