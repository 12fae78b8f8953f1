"""What work may still wait in a pool of threads when a fix shuts it down.

`shutdown()` lets what was submitted, or is to run once later, come to its end; what is repeated ends with it, and who
repeats something in a pool that nobody can reach wants it to go on. A task without an end is as long as the program.
Who waits for the end of a pool that nobody has shut down forgot it before the wait, and not at the end.
Misses a task that submits others.
"""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.graphs.cfg import reverse_post_order
from analyzers.queries import Linked
from fixers.leak import Leak

_REPEATING = frozenset(("scheduleAtFixedRate", "scheduleWithFixedDelay"))

_POOLS = "java.util.concurrent."

_EXECUTOR = f"{_POOLS}Executor"


def repeated(leak: Leak) -> str:
    """The call that gives a pool of the procedure something to repeat; empty where none does."""
    for node, call in enumerate(leak.linked.body.nodes):
        target = leak.linked.targets.get(node)
        models = target.models if target is not None else ()
        if isinstance(call, ir.Call) and call.name in _REPEATING and any(each.startswith(_EXECUTOR) for each in models):
            return call.name
    return ""


_AWAITING = frozenset(("awaitTermination", "isTerminated"))

_ENDING = frozenset(("close", "shutdown", "shutdownNow"))


_DEPTH = 3
"""Calls below the procedure that are looked into."""


def awaited(leak: Leak, program: Program) -> str:
    """The call that waits for the end of a pool that nothing has shut down before, or that passes the pool to who waits; empty where none does.

    A release behind it comes too late, and where one belongs before it only the author knows.
    """
    return _waiting(program, leak.linked, "", _DEPTH) if leak.finding.resource.startswith(_POOLS) else ""


def _waiting(program: Program, linked: Linked, pool: str, depth: int) -> str:
    """The call of a procedure that waits for a pool, if only for that one where it is named."""
    for node, call in enumerate(linked.body.nodes):
        if not isinstance(call, ir.Call):
            continue
        if call.name in _AWAITING and pool in ("", call.receiver) and _is_open_at(linked, call.receiver, node):
            return call.name
        passed = [n for n, each in enumerate(call.args) if each and pool in ("", each) and linked.types.get(each, "").startswith(_POOLS)]
        if depth and any(_waits(program, linked, node, n, depth) and _is_open_at(linked, call.args[n], node) for n in passed):
            return call.name
    return ""


def _waits(program: Program, linked: Linked, node: int, index: int, depth: int) -> bool:
    """Whether a method of the code that a call may run waits for the pool that it is given there."""
    target = linked.targets.get(node)
    for key in target.procedures if target is not None else ():
        callee = program.linked(key)
        parameters = callee.body.parameters if callee is not None else ()
        if callee is not None and index < len(parameters) and _waiting(program, callee, parameters[index], depth - 1):
            return True
    return False


def _is_open_at(linked: Linked, pool: str, goal: int) -> bool:
    """Whether a way without exceptions leads to the node on which nothing ends the pool."""
    nodes, seen, pending = linked.body.nodes, {ir.ENTRY}, [ir.ENTRY]
    while pending:
        node = pending.pop()
        if node == goal:
            return True
        each = nodes[node]
        if isinstance(each, ir.Call) and each.name in _ENDING and each.receiver == pool:
            continue
        for following in linked.next[node]:
            if following not in seen:
                seen.add(following)
                pending.append(following)
    return False


_GIVING = frozenset(("execute", "submit"))


def endless(leak: Leak, program: Program) -> str:
    """The type of a task without an end that a pool of the procedure is given; empty where all come to theirs."""
    nodes = leak.linked.body.nodes
    for call in nodes:
        if not isinstance(call, ir.Call) or call.name not in _GIVING or not call.args:
            continue
        written = leak.linked.types.get(call.args[0], "")
        found = [each.procedure for name in ("run", "call") for each in program.methods(written, name)[:1]] if written else []
        for key in found:
            linked = program.linked(key) if key is not None else None
            if linked is not None and ir.EXIT not in reverse_post_order(linked.next, ir.ENTRY):
                return written.rpartition(".")[2].rpartition("$")[2]
    return ""
