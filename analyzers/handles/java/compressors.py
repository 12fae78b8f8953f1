"""Streams that compress or expand over memory, or into what the caller passed, and that nobody ever closes.

They make a compressor of their own, which holds memory outside of the heap until they are closed, and what is not finished is
cut short. Only where a procedure shows no trace of an end: who finishes such a stream, and leaves what is below it open, has
done the most of it. Misses those that are closed on one path and not on another.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.java.implied import CLOSEABLE, RESOURCE
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_release
from analyzers.queries import Target
from analyzers.summaries import Certainty, Outcome, Transfer

_INPUTS = ("java.util.zip.GZIPInputStream", "java.util.zip.InflaterInputStream")
_OUTPUTS = ("java.util.zip.GZIPOutputStream", "java.util.zip.DeflaterOutputStream")

COMPRESSING = (*_INPUTS, *_OUTPUTS)


def compressing(call: ir.Call, target: Target, scene: Scene) -> Transfer | None:
    """The obligation of a new stream with a compressor of its own; None where something else answers for it."""
    if call.kind != "new" or target.type not in COMPRESSING or not call.args:
        return None
    below = call.args[0]
    is_the_callers = target.type in _OUTPUTS and below in scene.formals
    if any(each != "=null" for each in call.args[1:]) or not (is_the_callers or _is_memory(below, scene)) or _is_ended(call.receiver, scene):
        return None
    return Transfer((), RESOURCE, target.type, (Outcome("return", (), "held", (("this",),), Certainty.MAY),))


def _is_memory(name: str, scene: Scene) -> bool:
    type_name = scene.type_of(name)
    return scene.queries.is_closeable(type_name) is False and scene.queries.is_subtype(type_name, CLOSEABLE) is True


def _is_ended(made: str, scene: Scene) -> bool:
    """Whether the procedure ends the stream somewhere, or one that it makes over it, or leaves that to others."""
    names, waiting = {made}, [made]
    while waiting:
        name = waiting.pop()
        over = [node.receiver for node in scene.nodes if isinstance(node, ir.Call) and node.kind == "new" and name in node.args]
        found = {*over, *(copy.dst for copy in scene.copies.get(name, ()))} - names
        names |= found
        waiting += sorted(found)
    return any(_ends(node, names) for node in scene.nodes)


def _ends(node: ir.Instruction, names: set[str]) -> bool:
    match node:
        case ir.Return(src=src) | ir.Store(src=src) | ir.StoreElement(src=src):
            return src in names
        case ir.Call(receiver=receiver, name=name, args=args):
            return (receiver in names and name in ("close", "finish")) or (is_release(name) and not names.isdisjoint(args))
        case _:
            return False
