"""Getters of an object's own that give what a connection hands out which a field of it holds: the connection goes on, and gives the same again.

Looks one call deep. Doubts a leak, too, where the object asks its connection only once.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.source import Span

_ASKED = ("getInputStream", "getErrorStream")


def is_of_a_field(scene: Scene, node: int, site: Span | None) -> bool:
    """Whether what a call gives was asked, at a place in its body, of what a field of the object holds."""
    target = scene.linked.targets.get(node)
    if target is None or site is None:
        return False
    for key in target.procedures:
        body = scene.queries.procedure(key)
        nodes = body.nodes if body is not None and key.path == site.path else ()
        held = {each.dst for each in nodes if isinstance(each, ir.Load) and each.base == "this"}
        if any(isinstance(each, ir.Call) and each.name in _ASKED and not each.args and each.receiver in held for each in nodes):
            return True
    return False
