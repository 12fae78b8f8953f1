"""Stores of C through a pointer: it leads somewhere, or the program ends there.

`all = realloc(all, size); all[0] = text;` goes on only where there was room: nobody has to ask, and the block of before is gone. Misses
nothing: what is lost behind a store through null is not lost by a program that runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.obligation import Fact
from analyzers.handles.flows import After, Flow, Flows


def through_pointer(flows: Flows, node: int, base: str, flow: Flow | None) -> Flow | None:
    """The flow function of a store: no way leads on from where the pointer is known to be null."""
    if flows.scene.is_java or not base or ir.is_literal(base) or flows.subjects.number(node, base) is None:
        return flow
    read = flows.reader(node, base)

    def follow(fact: Fact) -> Sequence[tuple[int, Fact]]:
        if read(fact[0], fact[1]) == guard.ZERO:
            return ()
        if flow is not None:
            return flow(fact)
        after: After = []
        flows.go(node, fact, fact[0], after)
        return after

    return follow
