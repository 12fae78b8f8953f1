"""Fields that a constructor fills with what nobody knows, and that their own class closes.

Whoever closes a field owns what lies there: so does the constructor that fills it, until it returns (a belief, after Engler).
Reports too much when the field is closed for somebody else, who notices that the constructor failed; misses fields that a
superclass closes.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.implied import RESOURCE
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.queries import Target
from analyzers.summaries import Outcome, Transfer

_CLOSING = ("close", "dispose", "shutdown", "stop", "destroy", "disconnect", "cleanup", "cleanUp", "release")


def believed_member(call: ir.Call, target: Target, scene: Scene) -> Transfer | None:
    """What an unknown callee hands out to a constructor, if the class closes the field that takes it."""
    made = call.receiver if call.kind == "new" else call.dst
    if not scene.is_constructor or not ir.is_temporary(made):
        return None
    type_name = target.type if call.kind == "new" else target.result or scene.type_of(made)
    if type_name in PLAIN_JAVA or scene.queries.is_closeable(type_name) is False:
        return None
    fields = [node.field for node in scene.nodes if isinstance(node, ir.Store) and node.base == "this" and node.src == made]
    if len(fields) != 1 or not _is_closed_by_its_class(fields[0], scene):
        return None
    return Transfer((), RESOURCE, type_name, (Outcome("return", (), "held", (("this",) if call.kind == "new" else ("$ret",),)),))


def _is_closed_by_its_class(field: str, scene: Scene) -> bool:
    """Whether a method that ends the life of the object calls `close` on what the field holds."""
    owner = scene.body.owner
    for name in _CLOSING:
        for method in scene.queries.methods(owner, name):
            body = scene.queries.procedure(method.procedure) if method.procedure is not None and method.owner == owner else None
            if body is not None and _closes(body, field):
                return True
    return False


def _closes(body: ir.Procedure, field: str) -> bool:
    loaded = {node.dst for node in body.nodes if isinstance(node, ir.Load) and (node.base, node.field) == ("this", field)}
    return any(isinstance(node, ir.Call) and node.name == "close" and not node.args and node.receiver in loaded for node in body.nodes)
