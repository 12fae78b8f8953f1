"""Locks of Java that are let go by closing what taking them returned: `try (Held held = section.enter()) { … }`.

Believed of a method of the repository that calls `lock()` and returns something of a class of the repository whose `close`
calls `unlock()`. Always a doubt: whoever called it may unlock in another way. Misses other names.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.java.implied import RESOURCE
from analyzers.handles.scene import Scene
from analyzers.queries import ProcedureKey, Target
from analyzers.summaries import Certainty, Outcome, Transfer

_TAKING = ("lock", "lockInterruptibly")
_LETTING_GO = ("unlock", "close", "exit", "leave", "release")
_MOST_BODIES = 3


def taken_by(call: ir.Call, target: Target, scene: Scene) -> Transfer | None:
    """The obligation to close what a call returns that takes a lock; None where it is none, or its owner is told otherwise."""
    if not scene.is_java or call.kind == "new" or not call.dst or not 0 < len(target.procedures) <= _MOST_BODIES:
        return None
    if not target.result or not scene.queries.declaring_file(target.result) or not scene.queries.is_closeable(target.result):
        return None
    lock = scene.loads.get(call.receiver, (call.receiver,))
    if any(isinstance(node, ir.Call) and node.name in _LETTING_GO and scene.loads.get(node.receiver, (node.receiver,)) == lock for node in scene.nodes):
        return None
    if not all(_takes(key, scene) for key in target.procedures) or not _is_let_go(target.result, scene):
        return None
    return Transfer((), RESOURCE, target.result, (Outcome("return", (), "held", (("$ret",),), Certainty.MAY),))


def _takes(key: ProcedureKey, scene: Scene) -> bool:
    body = scene.queries.procedure(key)
    return body is not None and _calls(body, _TAKING) and not _calls(body, _LETTING_GO)


def _is_let_go(type_name: str, scene: Scene) -> bool:
    """Whether closing an object of a class unlocks, by its own method or by one that overrides it."""
    keys = [method.procedure for method in scene.queries.methods(type_name, "close") if method.procedure is not None]
    bodies = (scene.queries.procedure(key) for key in keys)
    return any(body is not None and _calls(body, ("unlock",)) for body in bodies)


def _calls(body: ir.Procedure, names: tuple[str, ...]) -> bool:
    return any(isinstance(node, ir.Call) and node.kind != "new" and node.name in names and not node.args for node in body.nodes)
