"""Static functions of C behind which the program ends: `exit(work(fd))`, as a child does that was forked for the work.

What such a function leaves is lost with the process. Each of its calls has to be the whole of what a call is passed that never returns. Says nothing
of functions that others than their own file may call, that are passed around as values, or that have more callers than are looked at; so tells
of more than a maintainer would, and hides nothing that a program goes on without.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.c.own_calls import own_calls
from analyzers.handles.scene import Scene
from analyzers.queries import Linked

_STEPS = 4
"""Copies and casts of a result before it is passed on."""


def is_left_to_the_end(scene: Scene) -> bool:
    """Whether the program ends behind every call of a procedure."""
    calls = [] if scene.is_java else own_calls(scene)
    return bool(calls) and all(_is_last(caller, place, call.dst) for caller, place, call in calls)


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
