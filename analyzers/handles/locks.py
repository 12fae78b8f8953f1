"""Descriptors on which a lock of POSIX is taken: it lasts as long as they stay open, so that they are left open on purpose.

`fcntl(fd, F_SETLK, &lock)` is known by its third argument, an address. Misses descriptors that are lost behind a lock.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy


def locked(scene: Scene, call: ir.Call) -> tuple[Exposure, ...]:
    """What a call locks."""
    if scene.is_java or call.name not in ("fcntl", "fcntl64") or len(call.args) != 3:
        return ()
    is_lock = call.args[2] in scene.addresses or "*" in scene.type_of(call.args[2])
    return (Exposure((call.args[0],), Policy.ESCAPE),) if is_lock and not ir.is_literal(call.args[0]) else ()
