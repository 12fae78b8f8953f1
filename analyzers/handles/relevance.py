"""Which calls can matter to a handle, by types alone: Tracker's relevant callees (2.3, section 4) before any body is read.

A call into the repository is relevant when its result, its receiver or an argument has a type that leaves room
for a handle. Depends on the call only, so results do not depend on who asked first.
Misses a handle that travels in an object whose class neither closes nor declares a field that may be closeable.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.queries import Queries, Target

_ROOM = ("java.lang.Object", "java.lang.Iterable", "java.lang.Runnable", "java.lang.Thread")
_ROOM_PACKAGES = ("java.util.", "java.lang.ref.", "lambda:")


class Relevance:
    """Answers for the calls of one procedure of Java."""

    def __init__(self, scene: Scene, closers: Sequence[str]) -> None:
        self._scene = scene
        self._queries: Queries = scene.queries
        self._closers = closers
        self._known: dict[str, bool] = {}
        self._keeping: dict[tuple[str, str], bool] = {}

    def is_relevant(self, call: ir.Call, target: Target) -> bool:
        """Whether the bodies of a call have to be looked at."""
        if self.has_room(target.result or self._scene.type_of(call.dst)):
            return True
        if call.receiver and self.has_room(target.type or self._scene.type_of(call.receiver)):
            return True
        if call.receiver and any(self._keeps(key.path, _class_of(key.name)) for key in target.procedures):
            return True
        return any(
            self.has_room(self._scene.type_of(argument)) for argument in call.args if argument and not ir.is_literal(argument)
        )

    def has_room(self, type_name: str) -> bool:
        """Whether a value of this type may be a handle, or hold one that somebody can release."""
        known = self._known.get(type_name)
        if known is None:
            known = self._known[type_name] = self._has_room(type_name)
        return known

    def _keeps(self, path: str, type_name: str) -> bool:
        """Whether a class of the repository declares a field that has room."""
        known = self._keeping.get((path, type_name))
        if known is None:
            unit = self._queries.unit(path)
            fields = [f for each in (unit.types if unit else ()) if each.name == type_name for f in each.fields]
            known = self._keeping[path, type_name] = any(
                self._queries.is_closeable(resolved) is not False
                for each in fields
                if (resolved := self._queries.resolve_type(path, type_name, each.type)) not in PLAIN_JAVA
            )
        return known

    def _has_room(self, type_name: str) -> bool:
        if type_name in PLAIN_JAVA:
            return False
        if not type_name or type_name.endswith("[]") or type_name in _ROOM or type_name.startswith(_ROOM_PACKAGES):
            return not type_name.endswith("[]") or self._has_room(type_name[:-2])
        if self._queries.is_closeable(type_name) is not False or self._is_wrapper(type_name):
            return True
        return any(self._queries.methods(type_name, name) for name in self._closers)

    def _is_wrapper(self, type_name: str) -> bool:
        """Whether objects of a library class hold what they are made of, though nobody closes them (an input source)."""
        model = self._queries.model((f"{type_name}.<init>",), ("",))
        return model is not None and any(
            path[-1] == WRAPPED for each in model.transfers for outcome in each.outcomes for path in outcome.paths
        )


def _class_of(procedure: str) -> str:
    """The binary name of the class that declares a procedure of Java."""
    return procedure.partition("(")[0].rpartition(".")[0]
