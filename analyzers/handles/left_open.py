"""Descriptors of C that are left open on purpose: those that hold a lock of POSIX, which lasts as long as they are open, and copies
that are made for their number alone (`close(0); dup(fd);`).

`fcntl(fd, F_SETLK, &lock)` is known by its third argument, an address. Misses descriptors that are lost behind a lock.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy


def locked(scene: Scene, call: ir.Call) -> tuple[Exposure, ...]:
    """What a call locks."""
    if scene.is_java or call.name not in ("fcntl", "fcntl64") or len(call.args) != 3:
        return ()
    is_lock = call.args[2] in scene.addresses or "*" in scene.type_of(call.args[2])
    return (Exposure((call.args[0],), Policy.ESCAPE),) if is_lock and not ir.is_literal(call.args[0]) else ()


def is_only_compared(scene: Scene, call: ir.Call) -> bool:
    """Whether a copy of a descriptor is asked for nothing but whether there is one."""
    if call.name != "dup" or not call.dst:
        return False
    names = {call.dst}
    for copy in (each for copies in scene.copies.values() for each in copies):
        if copy.src in names:
            names.add(copy.dst)
    return not any(names & set(operands(node)) for node in scene.nodes if not isinstance(node, ir.Branch | ir.Copy))
