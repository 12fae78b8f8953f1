"""What the answer gives that a client of HTTP hands to a handler: the client reads it to its end, and closes it, when the handler is done.

Knows handlers by their type. A handler that another one of the tree calls is taken for one, too, and so is every lambda that is given an answer.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene

_HANDLERS = ("org.apache.http.client.ResponseHandler", "org.apache.hc.core5.http.io.HttpClientResponseHandler")
_HANDLES = "handleResponse"


def is_handled(scene: Scene, owner: str) -> bool:
    """Whether a procedure is how such a handler handles the answer that it is given, which the variable names, or, of a lambda, whose part it is."""
    if scene.body.kind == "lambda":
        made = [scene.nodes[node] for node in scene.definitions.get(owner, ())]
        return owner in scene.formals or any(isinstance(each, ir.Call) and each.receiver in scene.formals for each in made)
    if not scene.is_java or owner not in scene.formals or owner in scene.assigned_formals:
        return False
    name = scene.linked.key.name.partition("(")[0].rpartition(".")[2]
    return name == _HANDLES and any(scene.queries.is_subtype(scene.body.owner, each) is True for each in _HANDLERS)
