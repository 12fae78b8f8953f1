"""Whether what a fix would close is handed out again: a connection gives the same stream each time that it is asked.

Declines too often where each call opens another stream.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from fixers.fix import Check, Verdict
from fixers.leak import Leak

_ACCESSORS = frozenset((
    "getInputStream", "getOutputStream", "getErrorStream", "getContent", "getReader", "getWriter", "getBody", "getResponseBody", "byteStream",
))


def _made_in(nodes: tuple[ir.Instruction, ...], receiver: str, loop: ir.Loop) -> bool:
    """Whether a loop gives what a call is made on another value each time."""
    names, grown = {receiver}, True
    while grown:
        found = {node.src for node in nodes if isinstance(node, ir.Copy) and node.dst in names} - names
        names |= found
        grown = bool(found)
    return any(
        loop.start <= node.start < loop.end and node.dst in names
        for node in nodes if isinstance(node, (ir.Call, ir.LoadElement))
    )


_DOUBTS = ("its acquisition is not certain", "that was acquired elsewhere")


def kept_by_its_owner(leak: Leak, proof: Sequence[Check]) -> str:
    """What is asked of an object of the program by `get…`, which may have what it gives already, as a proof has found: then the
    object closes it. Empty where nobody else has it."""
    body, at = leak.linked.body, leak.finding.acquired
    doubts = [each.reason for each in proof if each.verdict is Verdict.ASSUMED]
    if not any(each.endswith(_DOUBTS) for each in doubts):
        return ""
    for number, call in enumerate(body.nodes):
        target = leak.linked.targets.get(number)
        is_it = isinstance(call, ir.Call) and (call.start + body.start, call.end + body.start) == (at.start, at.end)
        if is_it and isinstance(call, ir.Call) and call.kind == "virtual" and call.name.startswith("get") and target is not None and target.procedures:
            return f"{call.name}()"
    return ""


def asked_again(leak: Leak) -> str:
    """The call that gives what is lost, where the procedure makes it once more; else empty."""
    nodes = leak.linked.body.nodes
    loaded = {node.dst: (node.base, node.field) for node in nodes if isinstance(node, ir.Load)}
    asked: dict[tuple[str, tuple[str, str]], int] = {}
    for node in nodes:
        if not isinstance(node, ir.Call) or node.args or node.name not in _ACCESSORS or f"{node.name}()" not in leak.finding.text:
            continue
        if any(loop.start <= node.start < loop.end and not _made_in(nodes, node.receiver, loop) for loop in leak.linked.body.loops):
            return f"{node.name}()"
        question = (node.name, loaded.get(node.receiver, (node.receiver, "")))
        if asked.setdefault(question, node.start) != node.start:  # A `finally` has several copies of one text.
            return f"{node.name}()"
    return ""
