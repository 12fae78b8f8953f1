"""Locals of C that may name parts of one structure.

What is in a list has had several names (`head`, `last`, `node`) before the list is freed, or given away, by one of them:
the members of all its nodes go with it. By copies, without regard to order. Misses a member of a node that was never linked.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import Paths, PathTable
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import AccessPath


class Kinship:
    """The kinship of the locals of a procedure."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._copied: dict[str, list[str]] = {}
        for copy in (copy for copies in scene.copies.values() for copy in copies):
            self._copied.setdefault(copy.src, []).append(copy.dst)
            self._copied.setdefault(copy.dst, []).append(copy.src)

    def of(self, name: str) -> tuple[str, ...]:
        """The other locals of a type that have been copied from or to a variable, directly or by way of others."""
        scene = self._scene
        if scene.is_java or name not in self._copied or scene.outlives(name) or scene.is_aggregate(name):
            return ()
        found, waiting = {name}, [name]
        while waiting:
            for other in self._copied.get(waiting.pop(), ()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        own = scene.type_of(name)
        return tuple(sorted(each for each in found if each != name and scene.type_of(each) == own and not scene.outlives(each)))

    def is_passing(self, name: str) -> bool:
        """Whether a local of C only ever leads to what another local has (`prev = last;` in a loop): when its scope ends, that goes on."""
        scene = self._scene
        if scene.is_java or name not in self._copied or scene.is_aggregate(name) or "*" not in scene.type_of(name):
            return False
        at = [scene.nodes[node] for node in scene.definitions.get(name, ())]
        return bool(at) and all(isinstance(each, ir.Copy) and scene.type_of(each.src) == scene.type_of(name) for each in at)

    def freed_with(self, site: CallSite) -> tuple[AccessPath, ...]:
        """The members that a destructor of the program's own frees, as members of what is akin to its object."""
        if self._scene.is_java or site.is_library:
            return ()
        freed = [each.entry for each in site.moves if len(each.entry) > 1 and any(o.fate == "released" for o in each.outcomes)]
        return tuple((name, *entry[1:]) for entry in freed for name in self.of(entry[0]))


def is_parted(table: PathTable, paths: Paths, left: Paths, pointer: AccessPath) -> bool:
    """Whether a handle of C lay in an object that a pointer leads to no more: what becomes of it is the object's affair."""
    gone = paths & table.starting_with(pointer)
    if not gone:
        return False
    members = {path[len(pointer) :] for path in table.list(gone)}
    if () in members or any(fields[0] == "*" for fields in members):
        return False
    return not any(path[1:] in members for path in table.list(left))
