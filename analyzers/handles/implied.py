"""What the types of a Java call say about it where no spec entry and no body does.

Of the JDK and of types that are known to be closeable: a constructor makes a handle, or wraps the
closeable that it is given; a method whose name says that it opens something hands one out. Outside the JDK
that is a guess. Reports too much when a closeable needs no closing and no spec exempts it.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of
from analyzers.queries import Target
from analyzers.summaries import Effects, Outcome, Transfer

RESOURCE = "closeable"
"""The spec resource of all that is closed by `close()`."""

_OPENING = ("accept", "build", "connect", "create", "execute", "make", "new", "obtain", "open", "prepare")


def implied_effects(call: ir.Call, target: Target, scene: Scene) -> Effects | None:
    """The Effects that types suggest; None where they say nothing."""
    is_new = call.kind == "new"
    made = target.type if is_new else target.result
    if not made or scene.queries.is_closeable(made) is not True:
        return None
    if is_new:
        return _constructor(call, made, scene)
    words = words_of(call.name)
    if not words or words[0] not in _OPENING or made == target.type:
        return None
    held = Outcome("return", (), "held", (("$ret",),))
    return Effects(transfers=(Transfer((), RESOURCE, made, (held,)),), is_known=_is_jdk(made))


def _constructor(call: ir.Call, made: str, scene: Scene) -> Effects | None:
    closeable = [
        position for position, argument in enumerate(call.args)
        if argument and not ir.is_literal(argument) and scene.queries.is_closeable(scene.type_of(argument))
    ]
    if closeable:
        if not _is_jdk(made):
            return None
        wrapped = [
            Transfer((f"${position}",), "", "", (Outcome("return", (), "held", ((f"${position}",), ("this", "~"))),))
            for position in closeable
        ]
        return Effects(transfers=tuple(wrapped))
    if _is_repository(made, scene):
        return None
    held = Outcome("return", (), "held", (("this",),))
    return Effects(transfers=(Transfer((), RESOURCE, made, (held,)),), is_known=_is_jdk(made))


def _is_jdk(type_name: str) -> bool:
    return type_name.startswith(("java.", "javax."))


def _is_repository(type_name: str, scene: Scene) -> bool:
    """Whether the repository has the type's source: then its own constructors and fields say what it holds."""
    methods = scene.queries.methods(type_name, "close")
    return any(method.owner == type_name and method.procedure is not None for method in methods)
