"""Whether what a fix would close is handed out again: a connection gives the same stream each time that it is asked.

Declines too often where each call opens another stream.
"""

from __future__ import annotations

from analyzers import ir
from fixers.leak import Leak

_ACCESSORS = frozenset((
    "getInputStream", "getOutputStream", "getErrorStream", "getContent", "getReader", "getWriter", "getBody", "getResponseBody", "byteStream",
))


def asked_again(leak: Leak) -> str:
    """The call that gives what is lost, where the procedure makes it once more; else empty."""
    nodes = leak.linked.body.nodes
    loaded = {node.dst: (node.base, node.field) for node in nodes if isinstance(node, ir.Load)}
    asked: dict[tuple[str, tuple[str, str]], int] = {}
    for node in nodes:
        if not isinstance(node, ir.Call) or node.args or node.name not in _ACCESSORS or f"{node.name}()" not in leak.finding.text:
            continue
        question = (node.name, loaded.get(node.receiver, (node.receiver, "")))
        if asked.setdefault(question, node.start) != node.start:  # A `finally` has several copies of one text.
            return f"{node.name}()"
    return ""
