"""Methods of the repository that do nothing but close what they are given, whatever they are called.

They may ask whether it is null, tell of what closing throws, and hand it to others of the kind. What else a body does makes it no such
method: then its call has to stay where a patch closes.
"""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.queries import Linked, ProcedureKey

_CLOSING = frozenset(("close", "shutdown", "shutdownNow", "disconnect"))

TELLING = frozenset((
    "printStackTrace", "print", "println", "printf", "log", "debug", "info", "warn", "warning", "error", "trace", "severe", "fine", "finer", "finest",
    "logError", "logWarning", "e", "w", "d", "i", "v",
))  # fmt: skip
"""Methods that only tell somebody."""

ASKING = frozenset((
    "getMessage", "getLocalizedMessage", "getLogger", "getLog", "getClass", "getName", "getSimpleName", "toString", "valueOf", "concat", "isDebugEnabled", "isWarnEnabled",
    "isInfoEnabled", "isTraceEnabled", "isErrorEnabled", "isLoggable", "isClosed", "isOpen",
))  # fmt: skip
"""Methods that only tell something, or make what is told."""

MAX_DEPTH = 3
"""Calls of methods of the kind, one below the other."""


def only_closes(program: Program, key: ProcedureKey, depth: int = MAX_DEPTH) -> bool:
    """Whether a method does nothing but close what it is given."""
    known: dict[ProcedureKey, bool] = program.once("only closes", dict)
    if key not in known:
        linked = program.linked(key) if depth else None
        known[key] = linked is not None and linked.language == "java" and _does(program, linked, depth)
    return known[key]


def _does(program: Program, linked: Linked, depth: int) -> bool:
    body = linked.body
    given = _copies(body)
    is_closing = False
    for number, node in enumerate(body.nodes):
        match node:
            case ir.Call():
                if _closes(program, linked, number, node, given, depth):
                    is_closing = True
                elif node.name not in TELLING | ASKING:
                    return False
            case ir.Return(src=src) if src:
                return False
            case ir.Store() | ir.StoreElement() | ir.Throw() | ir.Havoc():
                return False
            case _:
                pass
    return is_closing


def _closes(program: Program, linked: Linked, number: int, call: ir.Call, given: frozenset[str], depth: int) -> bool:
    """Whether a call closes what the method was given, or something of that."""
    if not call.args:
        return call.name in _CLOSING and call.receiver in given
    target = linked.targets.get(number)
    keys = target.procedures if target is not None else ()
    return bool(keys) and given.issuperset(call.args) and all(only_closes(program, each, depth - 1) for each in keys)


def _copies(body: ir.Procedure) -> frozenset[str]:
    """Variables that hold what a procedure was given, or an element of that."""
    found = set(body.parameters)
    grows = True
    while grows:
        before = len(found)
        for node in body.nodes:
            match node:
                case ir.Copy(dst=dst, src=source) | ir.LoadElement(dst=dst, base=source) if source in found:
                    found.add(dst)
                case _:
                    pass
        grows = len(found) > before
    return frozenset(found)
