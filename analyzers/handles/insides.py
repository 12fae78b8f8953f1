"""Pointers of C into an object: moved over its elements, from a member to the whole, or taken of a member.

Each keeps the object in reach, with what its other members lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.domains.guard import NON_ZERO
from analyzers.domains.obligation import CUT, Fact
from analyzers.handles.moves import is_offset

if TYPE_CHECKING:
    from analyzers.handles.flows import After, Flow, Flows


def advance_flow(flows: Flows, node: int, dst: str, src: str, copy: Flow) -> Flow:
    """A pointer moved inside its object: what lay under it is now some element. Moved from a member to the whole, or
    back, it leads to what the whole holds."""
    table, pointee, source, target = flows.table, (src, "*"), (src,), (dst,)
    instruction = flows.scene.nodes[node]
    is_whole = isinstance(instruction, ir.Op) and is_offset(instruction)

    def flow(fact: Fact) -> Sequence[tuple[int, Fact]]:
        paths, environment, marks = fact
        whole = paths & table.starting_with((src, WRAPPED)) if is_whole and src != dst else 0
        if whole:
            left = paths & ~table.starting_with(target)
            left |= table.rename(whole, (src, WRAPPED), target)[0] | table.rename(paths, source, target)[0]
            found: After = []
            flows.go(node, (left, flows.set_value(environment, dst, NON_ZERO), marks), paths, found)
            return found
        under = paths & table.starting_with(pointee)
        if not under:
            return copy(fact)
        left, is_cut = table.rename(under, pointee, (dst, "[]"))
        if src == dst:
            left |= paths & ~under
        else:
            left |= paths & ~table.starting_with(target) | table.rename(paths & ~under, source, target)[0]
        after: After = []
        fact = (left, flows.set_value(environment, dst, NON_ZERO), marks | CUT * is_cut)
        flows.go(node, fact, paths, after)
        return after

    return flow

def interior_flow(flows: Flows, node: int, dst: str, base: str) -> Flow:
    """A pointer into a block keeps it in reach, like one to its beginning, with what its other members lead to."""
    table, target = flows.table, (dst,)

    def flow(fact: Fact) -> After:
        paths, environment, marks = fact
        left = paths & ~table.starting_with(target)
        if paths & table.exact((base,)):
            left |= table.single(target)
        below = paths & table.starting_with((base,)) & ~table.exact((base,))
        if below:
            left |= table.rename(below, (base,), (dst, WRAPPED))[0]
        after: After = []
        flows.go(node, (left, flows.set_value(environment, dst, NON_ZERO), marks), paths, after)
        return after

    return flow
