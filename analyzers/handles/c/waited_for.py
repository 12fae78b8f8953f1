"""Descriptors of C in a set of the procedure's own (`FD_SET(fd, &set); select(…)`).

Whoever asks a set by number (`for (i = 0; i <= max; i++) if (FD_ISSET(i, &set))`) has every descriptor in it. Where each is asked
for by the name under which it was put in, the set is but a way to wait, and the descriptor still the procedure's.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene

_SET, _ASKED = "FD_SET", "FD_ISSET"


def is_only_waited_for(scene: Scene, call: ir.Call) -> bool:
    """Whether a call puts a descriptor into a set that nobody asks by number."""
    if scene.is_java or call.name != _SET or len(call.args) != 2:
        return False
    place = scene.addresses.get(call.args[1])
    if place is None or scene.outlives(place[0]) or len(place) != 1:
        return False
    calls = [node for node in scene.nodes if isinstance(node, ir.Call) and len(node.args) == 2]
    names = {node.args[0] for node in calls if node.name == _SET}
    return all(node.args[0] in names for node in calls if node.name == _ASKED)
