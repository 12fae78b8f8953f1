"""What a map does not take because it has something by that name, in Java, and is lost by the exception that tells of it.

`if (map.putIfAbsent(name, made) != null) { throw new IllegalStateException(name); }` says that two of a name are a mistake of the
program, and so does `assert`. Misses maps that are filled in several threads, where it is none: such reports are assumed. So are those
of pools of threads that a map does not take: they have had no task, and no thread, yet.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene

_PUTTING = "putIfAbsent"

_RAISED = ("throw", "raised")


def is_refused(scene: Scene, acquired: int, loss: Loss, *, is_pool: bool) -> bool:
    """Whether something is lost by an exception behind a call that was to put it into a map, a pool of threads on any way."""
    call = scene.nodes[acquired]
    if not scene.is_java or not (is_pool or loss.exit in _RAISED) or not isinstance(call, ir.Call):
        return False
    made = call.receiver or call.dst
    names = {made, *(copy.dst for copy in scene.copies.get(made, ()))} - {""}
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)
    calls = (node for each in sorted(between) if isinstance(node := scene.nodes[each], ir.Call))
    return any(each.name == _PUTTING and not names.isdisjoint(each.args) for each in calls)
