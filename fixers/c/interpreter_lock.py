"""Python's objects and memory are given back only while the thread holds the interpreter's lock.

A release behind `PyGILState_Release(state)` or `PyEval_SaveThread()` races with every thread of Python, and may end the program. Asked of
the releases of a patch, by the order of calls in the function alone. Misses a lock that a callee gives up, or that the caller never had.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.facts import Facts

_GIVING_UP = frozenset(("PyEval_ReleaseLock", "PyEval_ReleaseThread", "PyEval_SaveThread", "PyGILState_Release", "Py_BEGIN_ALLOW_THREADS", "Py_UNBLOCK_THREADS"))
_TAKING = frozenset((
    "PyEval_AcquireLock", "PyEval_AcquireThread", "PyEval_RestoreThread", "PyGILState_Ensure", "Py_BLOCK_THREADS", "Py_END_ALLOW_THREADS",
))  # fmt: skip
_OF_PYTHON = "python-"
_OF_NOBODY = "python-raw-memory"
"""The kind of memory that any thread may give back."""


def without_lock(after: Facts, ours: Iterable[int], resource: str) -> str:
    """The call behind which a release of a patch stands while nobody has taken the lock again; empty where there is none."""
    if not resource.startswith(_OF_PYTHON) or resource == _OF_NOBODY:
        return ""
    nodes, wanted = after.linked.body.nodes, frozenset(ours)
    for start, given in enumerate(nodes):
        if not isinstance(given, ir.Call) or given.name not in _GIVING_UP:
            continue
        seen, waiting = set[int](), list(after.linked.next[start])
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            call = nodes[node]
            if isinstance(call, ir.Call) and call.name in _TAKING:
                continue
            if node in wanted:
                return given.name
            waiting += after.linked.next[node]
    return ""
