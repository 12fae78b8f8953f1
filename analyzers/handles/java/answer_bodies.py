"""Answers of `java.net.http.HttpClient` whose body is still on its way: a stream that has to be closed.

What `body()` gives depends on the handler that `send` is passed: `ofInputStream()` and `ofLines()` give a stream, `ofString()` a text that
is there already. Misses handlers that are kept in a field or that the program writes itself, and `sendAsync`. A guess as to who closes it:
a stream that is read to its end needs no closing.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.java.implied import RESOURCE
from analyzers.handles.scene import Scene
from analyzers.queries import Target
from analyzers.summaries import Outcome, Transfer

_CLIENT = "java.net.http.HttpClient"
_STREAMS = {"ofInputStream": "java.io.InputStream", "ofLines": "java.util.stream.Stream"}


def body_of(call: ir.Call, target: Target, scene: Scene) -> Transfer | None:
    """What an answer holds open; None where it does not, or nobody knows."""
    if call.name != "send" or target.type != _CLIENT or len(call.args) != 2 or not call.dst:
        return None
    made = {_handled_as(node, scene) for node in scene.definitions.get(call.args[1], ())}
    type_name = made.pop() if len(made) == 1 else ""
    return Transfer((), RESOURCE, type_name, (Outcome("return", (), "held", (("$ret", "body"),)),)) if type_name else None


def _handled_as(node: int, scene: Scene) -> str:
    """The type of what the handler makes of a body that an instruction gives; empty where that needs no closing."""
    match scene.nodes[node]:
        case ir.Call(name=name, kind="static", qualifier=qualifier) if qualifier.endswith("BodyHandlers") or not qualifier:
            return _STREAMS.get(name, "")
        case ir.Copy(src=src) if not ir.is_literal(src):
            made = {_handled_as(each, scene) for each in scene.definitions.get(src, ()) if each != node}
            return made.pop() if len(made) == 1 else ""
        case _:
            return ""
