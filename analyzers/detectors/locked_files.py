"""Files of Java that are left open with a lock: it lasts as long as they are open, and keeps a second instance of a program out.

`new RandomAccessFile(file, "rw").getChannel().tryLock()` in a method that goes on is meant as a rule. Misses nothing: such reports are
assumed, and only those of files that are lost on an ordinary way behind the lock, in a method that gives no lock back.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.told_by_sign import comes
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene

_LOCKABLE = ("FileOutputStream", "FileInputStream", "RandomAccessFile", "FileChannel")
_LOCKING = frozenset(("lock", "tryLock"))


def is_left_with_a_lock(scene: Scene, kind: str, acquired: int, loss: Loss) -> bool:
    """Whether a file is locked between its opening and an ordinary end, where the lock was to be had. `kind`: the type of what is lost."""
    if not scene.is_java or loss.exit != "return" or not kind.endswith(_LOCKABLE):
        return False
    calls = [(node, each) for node, each in enumerate(scene.nodes) if isinstance(each, ir.Call)]
    if any(each.name == "release" for _, each in calls):
        return False
    ahead = scene.cfg.reachable_from(acquired)
    return any(
        node in ahead and each.name in _LOCKING and "FileChannel" in (each.qualifier or scene.type_of(each.receiver))
        and comes(scene, node, loss.node, set(), {each.dst, *(copy.dst for copy in scene.copies.get(each.dst, ()))} - {""})
        for node, each in calls
    )
