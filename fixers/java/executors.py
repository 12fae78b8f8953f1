"""What work may still wait in a pool of threads when a fix shuts it down.

`shutdown()` lets what was submitted, or is to run once later, come to its end; what is repeated ends with it, and who
repeats something in a pool that nobody can reach wants it to go on. Misses a task that submits others.
"""

from __future__ import annotations

from analyzers import ir
from fixers.leak import Leak

_REPEATING = frozenset(("scheduleAtFixedRate", "scheduleWithFixedDelay"))

_EXECUTOR = "java.util.concurrent.Executor"


def repeated(leak: Leak) -> str:
    """The call that gives a pool of the procedure something to repeat; empty where none does."""
    for node, call in enumerate(leak.linked.body.nodes):
        target = leak.linked.targets.get(node)
        models = target.models if target is not None else ()
        if isinstance(call, ir.Call) and call.name in _REPEATING and any(each.startswith(_EXECUTOR) for each in models):
            return call.name
    return ""
