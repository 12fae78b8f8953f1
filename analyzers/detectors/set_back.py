"""Streams of Java that a getter gives and the procedure sets back, as the last thing that it does with them: whoever asks for it next reads
it from its beginning (`in = source.getInputStream(); … in.reset();`).

Misses what is lost of those for which the getter makes a new stream each time.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.shapes import copied
from analyzers.graphs.operands import used
from analyzers.handles.scene import Scene

_GETTER = "get"
_BACK = "reset"


def is_set_back(scene: Scene, acquired: int) -> bool:
    """Whether a getter's stream is set back, and read by nobody behind that."""
    call = scene.nodes[acquired]
    if not scene.is_java or not isinstance(call, ir.Call) or call.kind != "virtual" or not call.name.startswith(_GETTER) or not call.dst:
        return False
    names = copied(scene, {call.dst})
    users = {
        number for number, node in enumerate(scene.nodes)
        if not isinstance(node, ir.ScopeEnd | ir.Branch | ir.Copy) and not names.isdisjoint(used(node))
    }
    backs = [number for number in users if isinstance(node := scene.nodes[number], ir.Call) and node.name == _BACK and not node.args]
    return any(not users & (scene.cfg.reachable_from(number) - {number}) for number in backs)
