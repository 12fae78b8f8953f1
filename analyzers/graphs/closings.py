"""What a procedure of Java does with an object after it called its `close`.

Of a type that nobody declares `close` may end something else than a resource: the outline of a path that is drawn
then, a group of elements. Reports too little where a library lets its objects be asked for more than `ENDED` after they ended.
"""

from __future__ import annotations

from analyzers import ir

ENDED = frozenset(("close", "isClosed", "isOpen", "join", "awaitTermination", "toString", "getName"))
"""Methods that what is closed may still be asked."""


def is_used_when_closed(body: ir.Procedure, name: str) -> bool:
    """Whether a variable's object is passed on or asked for more after each `close`, before the variable holds another."""
    closes = [
        node for node, call in enumerate(body.nodes)
        if isinstance(call, ir.Call) and call.name == "close" and not call.args and call.receiver == name
    ]
    return bool(closes) and all(_is_used_after(node, body, name) for node in closes)


def _is_used_after(closed: int, body: ir.Procedure, name: str) -> bool:
    waiting = list(body.next[closed])
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        each = body.nodes[node]
        if node in seen or getattr(each, "dst", "") == name:
            continue
        seen.add(node)
        if isinstance(each, ir.Call) and (name in each.args or (each.receiver == name and each.name not in ENDED)):
            return True
        waiting.extend(body.next[node])
    return False
