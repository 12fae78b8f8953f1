"""Objects of a class of Java that nobody knows, made over a stream, asked for what they read, and dropped.

A constructor may keep the stream that it is given; then whoever drops the object drops the stream with it. Or it reads the stream to its end, and may
close it: so what is lost behind such a constructor is in doubt. Told only of objects that never leave the procedure, on which methods are called that by
their names read or answer. Reports too much where the constructor closes what it has read; misses objects that are returned, kept or handed on.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import used
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.handles.unknown import is_consuming, words_of
from analyzers.queries import Target

_ANSWERING = ("contains", "count", "find", "for", "get", "has", "is", "length", "list", "lookup", "next", "num", "number", "size", "to")
"""Words that the names of methods begin with that answer from what was read."""

_PLAIN = ("boolean", "byte", "char", "short", "int", "long", "float", "double", "String")
"""Types of results, as they are written, that hold nothing."""


def is_local_reader(call: ir.Call, target: Target, scene: Scene) -> bool:
    """Whether a constructor that nobody knows makes an object that is only asked, and dropped."""
    if call.kind != "new" or not call.receiver or target.procedures or _may_be_closed(target.type, scene):
        return False
    names, asked = _names(call.receiver, scene), False
    for node in scene.nodes:
        if node is call or isinstance(node, ir.Branch | ir.ScopeEnd) or names.isdisjoint(used(node)):
            continue
        if isinstance(node, ir.Copy) and node.dst in names:
            continue
        if not isinstance(node, ir.Call) or not _is_asked(node, names, scene):
            return False
        asked = True
    return asked


def _may_be_closed(type_name: str, scene: Scene) -> bool:
    """Whether objects of a class are known to be closed, or known not to hold anything."""
    return not type_name or type_name.startswith(("java.", "javax.")) or scene.queries.is_closeable(type_name) is not None


def _names(first: str, scene: Scene) -> frozenset[str]:
    """A variable, and those that its value is copied to."""
    found, waiting = {first}, [first]
    while waiting:
        copied = [each.dst for each in scene.copies.get(waiting.pop(), ()) if each.dst not in found]
        found.update(copied)
        waiting += copied
    return frozenset(found)


def _is_asked(call: ir.Call, names: frozenset[str], scene: Scene) -> bool:
    """Whether a call only asks an object something, and keeps nothing of its answer that could hold a stream."""
    if call.kind != "virtual" or call.receiver not in names or not names.isdisjoint(call.args):
        return False
    if is_consuming(call.name) or not call.dst or scene.type_of(call.dst) in PLAIN_JAVA:
        return is_consuming(call.name) or words_of(call.name)[:1] in [(word,) for word in _ANSWERING]
    return words_of(call.name)[:1] in [(word,) for word in _ANSWERING] and not _leaves(call.dst, scene)


def _leaves(name: str, scene: Scene) -> bool:
    """Whether an answer is returned, kept or handed on, and may be more than a number or a text."""
    names = _names(name, scene)
    return any(_is_leaving(node, names, scene) for node in scene.nodes if not names.isdisjoint(used(node)))


def _is_leaving(node: ir.Instruction, names: frozenset[str], scene: Scene) -> bool:
    match node:
        case ir.Return():
            return scene.body.result not in _PLAIN
        case ir.Op(operator=operator):
            return operator == "cast"
        case ir.Call(args=args):
            return not names.isdisjoint(args)
        case _:
            return isinstance(node, ir.Store | ir.StoreElement | ir.Throw)
