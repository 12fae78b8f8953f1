"""Static functions of C behind which the program ends: `exit(work(fd))`, as a child does that was forked for the work.

What such a function leaves is lost with the process. Each of its calls has to be the whole of what a call is passed that never returns. Says nothing
of functions that others than their own file may call, that are passed around as values, or that have more callers than are looked at; so tells
of more than a maintainer would, and hides nothing that a program goes on without.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.scene import Scene
from analyzers.queries import Linked

MAX_CALLERS = 12
_STEPS = 4
"""Copies and casts of a result before it is passed on."""


def is_left_to_the_end(scene: Scene) -> bool:
    """Whether the program ends behind every call of a procedure."""
    if scene.is_java or "static" not in scene.linked.body.attributes:
        return False
    own = scene.linked.key
    callers = [key for key in scene.queries.callers(own.name) if key.path == own.path]
    if len(callers) > MAX_CALLERS:
        return False
    found = False
    for key in callers:
        caller = scene.queries.linked(key)
        if caller is None or caller.body.error:
            return False
        for place, node in enumerate(caller.body.nodes):
            if isinstance(node, ir.Call) and node.name == own.name and node.kind == "function":
                if not _is_last(caller, place, node.dst):
                    return False
                found = True
            elif f"=&{own.name}" in operands(node):
                return False
    return found


def _is_last(caller: Linked, place: int, result: str) -> bool:
    """Whether the call behind a node gets its result alone, and ends the program."""
    if not result or not ir.is_temporary(result):
        return False
    for _ in range(_STEPS):
        if len(caller.next[place]) != 1:
            return False
        place = caller.next[place][0]
        match caller.body.nodes[place]:
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)) if src == result:
                result = dst
            case ir.Call(args=(given,)) if given == result:
                return not caller.next[place]
            case _:
                return False
    return False
