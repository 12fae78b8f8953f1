"""What the types of a Java call, and its own procedure, say about it where no spec entry and no body does.

Of the JDK and of types that are known to be closeable: a constructor makes a handle, or wraps the
closeable that it is given; a method whose name says that it opens something hands one out. Outside the JDK
that is a guess; so is that what a procedure closes on one path it has to close on all (belief).
Reports too much when a closeable needs no closing and no spec exempts it.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import PLAIN_JAVA, Scene
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


def closed_variables(scene: Scene) -> frozenset[str]:
    """The local variables that a procedure of Java closes somewhere."""
    found = set()
    for node in scene.cfg.order:
        call = scene.nodes[node]
        if isinstance(call, ir.Call) and call.name == "close" and not call.args:
            variable = scene.variables.get(call.receiver)
            if variable is not None and variable.kind == "local":
                found.add(call.receiver)
    return frozenset(found)


def believed_acquisition(call: ir.Call, target: Target, scene: Scene, closed: frozenset[str]) -> Transfer | None:
    """What an unknown callee hands out, if the procedure closes the variable that takes it."""
    made = call.receiver if call.kind == "new" else call.dst
    names = {made, *(node.dst for node in scene.copies.get(made, ()))}
    if not made or names.isdisjoint(closed):
        return None
    type_name = target.type if call.kind == "new" else target.result or scene.type_of(made)
    if type_name in PLAIN_JAVA or scene.queries.is_closeable(type_name) is False:
        return None
    held = Outcome("return", (), "held", (("this",) if call.kind == "new" else ("$ret",),))
    return Transfer((), RESOURCE, type_name, (held,))


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
