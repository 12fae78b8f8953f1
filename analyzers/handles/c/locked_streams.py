"""Streams of C whose descriptor is locked: the lock lasts as long as the stream is open (`flock(fileno(out), LOCK_EX)`), as with a file that
holds the number of a daemon. A function of the program's own is known by its name (`lock_fd(fd)`).

A stream whose lock the procedure gives back on every way is told like any other. Misses streams that are lost where the lock was not to be
had, or on a way on which it is given back beside one on which it stays.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.cfg import reached
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy, is_releaser, words_of

_NUMBERS_OF = frozenset(("fileno", "fileno_unlocked", "_fileno"))
_LOCKING = frozenset(("flock", "lockf", "lockf64", "setlk", "setlkw", "lock", "locked", "locking", "trylock"))
_GIVING_BACK = frozenset(("unlock", "unflock"))
_NOTHING = frozenset(("::LOCK_UN", "::F_ULOCK", "::F_UNLCK"))
"""What says that a lock is given back."""


def held_by_locks(scene: Scene, call: ir.Call) -> tuple[Exposure, ...]:
    """The streams whose descriptor a call locks for as long as they are open; the locked descriptor that one is made of."""
    if is_locked(scene, call):
        return (Exposure((call.args[0],), Policy.ESCAPE),)
    if scene.is_java or not call.args or not _locks(scene, call) or not _stays(scene, call):
        return ()
    names = {name for node in scene.nodes if isinstance(node, ir.Call) for name in _stream(scene, node, call.args[0])}
    return tuple(Exposure((name,), Policy.ESCAPE) for name in sorted(names))


def is_locked(scene: Scene, call: ir.Call) -> bool:
    """Whether a call makes a stream of a descriptor that the procedure locks, with `fdopen`."""
    if scene.is_java or call.name != "fdopen" or not call.args:
        return False
    return any(isinstance(node, ir.Call) and node.args[:1] == call.args[:1] and _locks(scene, node) and _stays(scene, node) for node in scene.nodes)


def _stream(scene: Scene, node: ir.Call, descriptor: str) -> tuple[str, ...]:
    """The variables that hold the stream which a call made of a descriptor, or was asked for it."""
    if node.name in _NUMBERS_OF and node.args and descriptor in _names(scene, node.dst):
        return (node.args[0],)
    return tuple(_names(scene, node.dst)) if node.name == "fdopen" and node.args[:1] == (descriptor,) else ()


def _names(scene: Scene, name: str) -> set[str]:
    return {name, *(copy.dst for copy in scene.copies.get(name, ()))} - {""}


def _locks(scene: Scene, call: ir.Call) -> bool:
    """Whether a call locks what its first argument is the number of."""
    if call.kind != "function" or ir.is_literal(call.args[0]):
        return False
    if call.name in ("fcntl", "fcntl64"):
        return len(call.args) == 3 and (call.args[2] in scene.addresses or "*" in scene.type_of(call.args[2]))
    if any(scene.loads.get(each, ("",))[0] in _NOTHING for each in call.args):
        return False
    words = set(words_of(call.name))
    return not words.isdisjoint(_LOCKING) and words.isdisjoint(_GIVING_BACK)


def _stays(scene: Scene, lock: ir.Call) -> bool:
    """Whether a way leads from a lock to the end of the procedure on which nothing is unlocked, and nothing ended."""
    normal = [() if _gives_back(scene, node) else scene.cfg.normal[each] for each, node in enumerate(scene.nodes)]
    return any(node is lock and ir.EXIT in reached(normal, each) for each, node in enumerate(scene.nodes))


def _gives_back(scene: Scene, node: ir.Instruction) -> bool:
    """Whether an instruction unlocks something, says that this is to be done, or ends what is locked."""
    match node:
        case ir.Call(name=name):
            return not _GIVING_BACK.isdisjoint(words_of(name)) or is_releaser(name)
        case ir.Load(dst=dst):
            return scene.loads.get(dst, ("",))[0] in _NOTHING
    return False
