"""Which calls can matter to a handle, by types alone: Tracker's relevant callees (2.3, section 4) before any body is read.

A call into the repository is relevant when its result, its receiver or an argument has a type that leaves room
for a handle. Depends on the call only, so results do not depend on who asked first.
Misses a handle that travels in an object whose class neither closes nor declares a field that may be closeable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.handles.java.invoked import IN_A_BODY
from analyzers.handles.moves import identity
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.queries import Queries, Target

_ROOM = (
    "java.lang.Object", "java.lang.Iterable", "java.lang.Runnable", "java.lang.Thread", "java.lang.Appendable", "java.lang.Readable",
    "java.lang.ClassLoader", "java.io.DataInput", "java.io.DataOutput", "java.io.Flushable",
)
_ROOM_PACKAGES = ("java.util.", "java.lang.ref.", "lambda:")
_VALUE_PACKAGES = ("java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong", "java.util.regex.", "java.time.", "java.math.")
_VALUES = frozenset(("String", "Integer", "Long", "Boolean", "Double", "Float", "Short", "Byte", "Character", "File", "Path", "Class", "UUID", "URI", "URL"))
_WORDS = re.compile(r"\w+")
_DEEPEST = 2
"""Fields of fields that are looked into for room."""


class Relevance:
    """Answers for the calls of one procedure of Java."""

    def __init__(self, scene: Scene, closers: tuple[str, ...]) -> None:
        self._scene = scene
        self._queries: Queries = scene.queries
        self._closers = closers
        self._known: dict[str, bool] = {}
        self._keeping: dict[tuple[str, str], bool] = {}
        self._giving: dict[str, bool] = {}
        self._carrying: dict[tuple[str, int], bool] = {}

    def is_relevant(self, call: ir.Call, target: Target) -> bool:
        """Whether the bodies of a call have to be looked at."""
        if self.has_room(target.result or self._scene.type_of(call.dst)):
            return True
        if call.receiver and self.has_room(target.type or self._scene.type_of(call.receiver)):
            return True
        if call.receiver and any(self._keeps(key.path, _class_of(key.name)) for key in target.procedures):
            return True
        if call.receiver and target.procedures and self._may_capture(call.receiver):
            return True
        if any(self._is_room(self._scene.type_of(argument)) for argument in call.args if argument and not ir.is_literal(argument)):
            return True
        made = target.result or self._scene.type_of(call.dst)
        if call.dst and self._is_passed_through(call, target, made):
            return True
        return bool(call.receiver and call.dst) and self._carries(made, 0) and self._is_carrier(target)

    def _may_capture(self, receiver: str) -> bool:
        """Whether an object is of a class without a name, or one that a procedure declares: it holds variables of whoever made it, which no
        field of it is declared for."""
        sources = (identity(self._scene.nodes[node]) for node in self._scene.definitions.get(receiver, ()))
        return any(IN_A_BODY.search(self._scene.type_of(each)) for each in (receiver, *sources) if each)

    def _is_passed_through(self, call: ir.Call, target: Target, made: str) -> bool:
        """Whether a method may answer what it was passed: `<T> T check(T value, String message)`."""
        passed = zip(call.args, target.parameters, strict=False)
        return any(
            declared == "java.lang.Object" and argument and not ir.is_literal(argument) and self._scene.type_of(argument) == made
            for argument, declared in passed
        ) and made not in PLAIN_JAVA

    def carried(self, call: ir.Call, target: Target) -> Iterator[Exposure]:
        """The arguments of a call that is not relevant that may hold a handle nevertheless, and that the procedure made: the callee
        may store them where its class has room, and else somewhere else."""
        for argument in call.args:
            if argument and not ir.is_literal(argument) and self._is_made(argument) and self._may_carry(argument):
                yield Exposure((argument,), Policy.ESCAPE if self._is_carrier(target) else Policy.DOUBT)

    def _may_carry(self, argument: str) -> bool:
        """Whether an argument may hold a handle: an object under construction does in any field that may be closeable."""
        type_name = self._scene.type_of(argument)
        path = self._queries.declaring_file(type_name) if argument == "this" else ""
        return self._carries(type_name, 0) or bool(path and self._keeps(path, type_name))

    def _is_made(self, name: str) -> bool:
        sources = [identity(self._scene.nodes[node]) for node in self._scene.definitions.get(name, ())]
        return self._scene.is_new(name) or (name == "this" and self._scene.is_constructor) or any(each and self._scene.is_new(each) for each in sources)

    def _is_carrier(self, target: Target) -> bool:
        return any(self._carries(_class_of(key.name), 0) for key in target.procedures)

    def has_room(self, type_name: str) -> bool:
        """Whether a value of this type may be a handle, or hold one that somebody can release."""
        known = self._known.get(type_name)
        if known is None:
            known = self._known[type_name] = self._has_room(type_name)
        return known

    def _is_room(self, type_name: str) -> bool:
        """Whether an argument of a type may be a handle, or an object of the repository that gives one out to its reader."""
        known = self._giving.get(type_name)
        if known is None:
            known = self._giving[type_name] = self.has_room(type_name) or self._gives(type_name)
        return known

    def _gives(self, type_name: str) -> bool:
        """Whether a type of the repository has a method that returns something that can be closed."""
        path = self._queries.declaring_file(type_name)
        results = self._queries.declared_types(path, type_name)[1] if path else ()
        return any(self._queries.is_closeable(each) is True for each in dict.fromkeys(results))

    def _keeps(self, path: str, type_name: str) -> bool:
        """Whether a class of the repository declares a field that has room."""
        known = self._keeping.get((path, type_name))
        if known is None:
            fields = dict.fromkeys(self._queries.declared_types(path, type_name)[0])
            known = self._keeping[path, type_name] = any(
                self._queries.is_closeable(each) is not False for each in fields if each not in PLAIN_JAVA
            )
        return known

    def _carries(self, type_name: str, depth: int) -> bool:
        """Whether an object of a type of the repository may hold whatever it is given, though its class closes nothing: what a
        builder hands on to what it builds (`Object body`)."""
        known = self._carrying.get((type_name, depth))
        if known is None:
            path = self._queries.declaring_file(type_name)
            unit = self._queries.unit(path) if path else None
            declared = next((each for each in unit.types if each.name == type_name), None) if unit is not None else None
            known = declared is not None and (declared.kind == "interface" or self._has_wide(path, declared, depth))
            self._carrying[type_name, depth] = known
        return known

    def _has_wide(self, path: str, declared: ir.TypeDeclaration, depth: int) -> bool:
        if not declared.fields:
            return False
        types = self._queries.declared_types(path, declared.name)[0]
        return any(self._is_wide(each.type, resolved, depth) for each, resolved in zip(declared.fields, types, strict=False))

    def _is_wide(self, written: str, resolved: str, depth: int) -> bool:
        """Whether a field of a type may hold a handle."""
        if all(word in _VALUES for word in _WORDS.findall(written.partition("<")[2])) and "<" in written:
            return False
        if resolved in PLAIN_JAVA or resolved.startswith(_VALUE_PACKAGES):
            return False
        return self.has_room(resolved) or (depth < _DEEPEST and self._carries(resolved, depth + 1))

    def _has_room(self, type_name: str) -> bool:
        if type_name in PLAIN_JAVA:
            return False
        if not type_name or type_name.endswith("[]") or type_name in _ROOM or type_name.startswith(_ROOM_PACKAGES):
            return not type_name.endswith("[]") or self._has_room(type_name[:-2])
        if self._queries.is_closeable(type_name) is not False or self._is_wrapper(type_name):
            return True
        return self._queries.has_method(type_name, self._closers)

    def _is_wrapper(self, type_name: str) -> bool:
        """Whether objects of a library class hold what they are made of, though nobody closes them (an input source)."""
        model = self._queries.model((f"{type_name}.<init>",), ("",))
        return model is not None and any(
            path[-1] == WRAPPED for each in model.transfers for outcome in each.outcomes for path in outcome.paths
        )


def _class_of(procedure: str) -> str:
    """The binary name of the class that declares a procedure of Java."""
    return procedure.partition("(")[0].rpartition(".")[0]
