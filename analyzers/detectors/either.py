"""What a method of Java answers that gives either what its object keeps or something new that it keeps nowhere, and its caller drops.

`if (client == null) { return make(); } return client;`, or a client out of a map: whoever asks does not know whose it is, and mostly the field
is set. A caller that closes it on some way has decided that it is its own. Misses callers that always get the new one: such reports are assumed.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.java.implied import Closed
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.queries import ProcedureKey
from analyzers.summaries import Transfer

_LOOKING_UP = ("get", "getIfPresent")
"""Methods of maps and caches that give what was put there under a key."""


def is_perhaps_kept(scene: Scene, acquired: int, site: CallSite, transfer: Transfer) -> bool:
    """Whether the result of a call that acquires may be what lies in a field, and the procedure never closes it."""
    target = scene.linked.targets.get(acquired) if scene.is_java and transfer.site is not None else None
    if target is None or site.call.kind == "new" or not any(_is_giving_own(each, scene) for each in target.procedures):
        return False
    names = {site.call.dst, *(copy.dst for copy in scene.copies.get(site.call.dst, ()))} - {""}
    closed = Closed(scene)
    return not any(closed.is_closed_itself(each) for each in sorted(names))


def _is_giving_own(key: ProcedureKey, scene: Scene) -> bool:
    """Whether a body returns what it loads from a field of its object, or looks up in one, on some way."""
    body = scene.queries.procedure(key)
    if body is None:
        return False
    names = {node.dst for node in body.nodes if isinstance(node, ir.Load) and node.base == "this"}
    names |= {node.dst for node in body.nodes if isinstance(node, ir.Call) and node.receiver in names and node.name in _LOOKING_UP and node.args and node.dst}
    while copied := {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in names} - names:
        names |= copied
    return any(isinstance(node, ir.Return) and node.src in names for node in body.nodes)
