"""What the answer gives that a client of HTTP hands to a handler, or shows to an interceptor: the client reads it to its end, and closes it, when the
handler is done, and closes it where an interceptor fails. And what one gives that is handed to a method named like one that ends it.

Knows handlers by their type. A handler that another one of the tree calls is taken for one, too, and so is every lambda that is given an answer. Misses
what is lost where such a method runs at times only.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_HANDLERS = {
    "org.apache.http.client.ResponseHandler": "handleResponse",
    "org.apache.hc.core5.http.io.HttpClientResponseHandler": "handleResponse",
    "org.apache.http.HttpResponseInterceptor": "process",
}
"""The types of handlers, and the method of each that is given an answer."""


def is_handled(scene: Scene, owner: str) -> bool:
    """Whether a procedure is how such a handler handles the answer that it is given, which the variable names, or, of a lambda, whose part it is;
    or a private one of the handler, which is given the answer or a part of it."""
    if scene.body.kind == "lambda":
        made = [scene.nodes[node] for node in scene.definitions.get(owner, ())]
        return owner in scene.formals or any(isinstance(each, ir.Call) and each.receiver in scene.formals for each in made)
    if not scene.is_java or owner not in scene.formals or owner in scene.assigned_formals:
        return False
    name = scene.linked.key.name.partition("(")[0].rpartition(".")[2]
    known = [each for each, method in _HANDLERS.items() if name == method or "private" in scene.body.attributes]
    return any(scene.queries.is_subtype(scene.body.owner, each) is True for each in known)


_ENDINGS = frozenset(("cleanup", "close", "consume", "discard", "disconnect", "dispose", "release", "shutdown"))


def is_ended_by_name(scene: Scene, acquired: int, owners: Sequence[str]) -> bool:
    """Whether a procedure of Java gives what closes the content of an answer with itself to a method that is named like one that ends it
    (`closeConnection(response)`), whatever that is seen to do: it may look up by it what there is to close."""
    if not scene.is_java or not owners:
        return False
    names = {*owners, *(copy.dst for each in owners for copy in scene.copies.get(each, ()))}
    later = (scene.nodes[each] for each in scene.cfg.reachable_from(acquired))
    return any(isinstance(each, ir.Call) and words_of(each.name)[:1] in [(word,) for word in _ENDINGS] and not names.isdisjoint(each.args) for each in later)
