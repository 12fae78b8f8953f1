"""Which loops and procedures run for long, or again and again: by their form, by what they wait for, by who calls them.

Beyond LeakChecker, where a person names the loop: its own future work. Errs towards «runs seldom».
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.graphs.loops import natural_loop
from analyzers.queries import Linked, ProcedureKey, Queries

WAITING = frozenset((
    "accept", "take", "takeFirst", "takeLast", "readLine", "select", "receive", "dequeue", "nextRequest", "nextEvent",
    "getNextEvent", "readObject", "waitFor", "pollEvent", "awaitEvent",
))
"""Calls that wait for work and answer it."""


_INTERRUPTS = frozenset((
    "java.lang.InterruptedException", "java.lang.RuntimeException", "java.lang.Error", "java.lang.Throwable",
    "java.lang.Exception",
))
"""What ends a loop only when somebody wants it to, or when the program is wrong."""


def may_run_long(body: ir.Procedure) -> bool:
    """Whether a body may hold such a loop, before its names are resolved: linking only ever takes edges away."""
    return any(
        _is_waiting(body, inside) or _is_endless(body, body.next, loop, inside)
        for loop in body.loops if (inside := natural_loop(body.next, body.raises, loop.header))
    )


def long_loops(linked: Linked) -> Iterator[int]:
    """The headers of the loops that never end by themselves, or that wait in each turn."""
    body = linked.body
    for loop in body.loops:
        inside = natural_loop(linked.next, linked.raises, loop.header)
        if inside and (_is_waiting(body, inside) or _is_endless(body, linked.next, loop, inside)):
            yield loop.header


def _is_waiting(body: ir.Procedure, inside: frozenset[int]) -> bool:
    """Whether a turn of the loop waits for work."""
    return any(isinstance(node, ir.Call) and node.name in WAITING for node in (body.nodes[each] for each in inside))


def _is_endless(
    body: ir.Procedure, next: Sequence[Sequence[int]], loop: ir.Loop, inside: frozenset[int]
) -> bool:
    """Whether the loop is left by nothing but an exception or a return."""
    return all(
        successor in inside
        or (isinstance(body.nodes[successor], ir.Return) and loop.start <= body.nodes[successor].start < loop.end)
        for node in inside for successor in next[node]
    )


def never_ends(queries: Queries, thread: str) -> bool:
    """Whether the `run` of a thread's class holds a loop without an end."""
    for method in queries.methods(thread, "run"):
        if method.procedure is not None and method.owner != "java.lang.Thread":
            return has_endless_loop(queries, method.procedure)
    return False


def has_endless_loop(queries: Queries, key: ProcedureKey) -> bool:
    """Whether a procedure holds a loop that nothing leaves but an interrupt or an error."""
    linked = queries.linked(key)
    return linked is not None and any(
        _is_closed(linked, inside)
        for loop in linked.body.loops
        if (inside := natural_loop(linked.next, linked.raises, loop.header))
    )


def _is_closed(linked: Linked, inside: frozenset[int]) -> bool:
    """Whether no way out of a loop is an ordinary one: an exit by a checked exception ends it like a return."""
    return all(
        set(linked.next[node]) <= inside
        and (set(linked.raises[node]) <= inside or set(linked.thrown.get(node, ())) <= _INTERRUPTS)
        for node in inside
    )
