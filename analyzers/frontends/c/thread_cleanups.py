"""`pthread_cleanup_push(release, p); … pthread_cleanup_pop(1);`: what a pop runs is called where it stands.

The two are macros of POSIX that open and close one block, so they pair as they are written, whatever jumps stand between. A
wrapper that casts the function (`pthread_cleanup_push_cast`) counts by its name. That a cancelled thread runs the cleanup as well
is not modelled: nothing of the function follows.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.clearing import named_function
from analyzers.syntax import Node

_PUSH = "pthread_cleanup_push"
_POP = "pthread_cleanup_pop"


def pushed(body: Body, name: str, operands: tuple[str, ...], node: Node) -> None:
    """Remember what the matching pop runs; the argument has the value that it has here."""
    if not name.startswith(_PUSH) or len(operands) != 2:
        return
    argument = operands[1]
    if not ir.is_literal(argument) and argument[:1] != "%":
        kept = body.temporary()
        body.emit(ir.Copy(node.start - body.base, node.end - body.base, kept, argument))
        argument = kept
    body.thread_cleanups.append((f"=&{function}" if (function := named_function(body, node.kids[1].kids[0])) else operands[0], argument))


def popped(body: Body, name: str, operands: tuple[str, ...], node: Node) -> bool:
    """Lower a pop whose push was seen; whether it is one."""
    if not name.startswith(_POP) or len(operands) != 1 or not body.thread_cleanups:
        return False
    function, argument = body.thread_cleanups.pop()
    if operands[0] in ("=0", "=null"):
        return True
    kind: ir.CallKind = "function" if function[:2] == "=&" else "pointer"
    name, receiver = (function[2:], "") if kind == "function" else ("", function)
    start, end = node.start - body.base, node.end - body.base
    run = ir.Call(start, end, "", kind, name, "", receiver, (argument,))
    if ir.is_literal(operands[0]) and operands[0] != "=?":
        body.emit(run)
        return True
    taken, other = body.branch("true", operands[0], "", node)
    body.open = taken
    body.emit(run)
    body.open = body.open + other
    return True
