"""What is opened in place: `Socket s = new Socket(); s.connect(…);`. Fixers look at where the object came from, since closing
it is right from there on; what the proof asks of is still the call that opened it.

Only locals with one value; `lock.lock()` and the like stay where they are, for ending what was not begun is an error there.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.source import Span
from fixers.java.scope import procedure_node
from fixers.java.statements import assigns, call_parts, declarators, initialiser
from fixers.leak import Leak
from fixers.tree import find

_CALM = frozenset(("close", "disconnect"))
"""Preferred releases that do nothing to what was never opened."""


def from_its_origin(leak: Leak) -> Leak:
    """The leak as if the object had been acquired where it came from; the same leak where it is not opened in place."""
    name = _opened(leak)
    if not name or not leak.releases or leak.releases[0].call.rpartition(".")[2] not in _CALM:
        return leak
    root, at = procedure_node(leak), leak.finding.acquired
    values = [
        value for each in find(root, "local_variable_declaration") for one in declarators(each)
        if leak.tree.text(one.kids[0]) == name and (value := initialiser(one)) is not None
    ]
    if len(values) != 1 or any(True for _ in assigns(leak.tree, root, name)) or values[0].end > at.start:
        return leak
    if values[0].kind not in ("object_creation_expression", "method_invocation"):
        return leak
    origin = Span(at.path, values[0].start, values[0].end)
    return msgspec.structs.replace(leak, finding=msgspec.structs.replace(leak.finding, acquired=origin))


def _opened(leak: Leak) -> str:
    """The local variable that a call opens; empty where the acquisition is no such call."""
    body, at = leak.linked.body, leak.finding.acquired
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or (call.start + body.start, call.end + body.start) != (at.start, at.end) or call.kind == "new":
            continue
        into = {
            path[0] for effects in leak.effects.get(node, ()) for each in effects.transfers if not each.entry
            for outcome in each.outcomes for path in outcome.paths
        }
        written = next((each for each in reversed(leak.tree.path(at.start, at.end)) if each.kind == "method_invocation"), None)
        receiver = call_parts(leak.tree, written)[0] if written is not None else None
        if into == {"this"} and receiver is not None and receiver.kind == "identifier":
            return leak.tree.text(receiver)
    return ""
