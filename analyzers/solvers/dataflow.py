"""The classic iterative data-flow solver: one value per node, joined over the edges.

Kildall's algorithm with a worklist in reverse post-order (forward) or its reverse (backward). Ends when the
values of a lattice of finite height stop growing; `transfer` has to be monotone for the least solution.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import TypeVar

from analyzers.graphs.cfg import Cfg, reverse_post_order

V = TypeVar("V")

Transfer = Callable[[int, V], Mapping[int, V]]
"""(node, value at the node) to the value per successor; a successor that is left out is not reached."""

Join = Callable[[V, V], V]


def solve_forward(cfg: Cfg, start: Mapping[int, V], transfer: Transfer[V], join: Join[V]) -> dict[int, V]:
    """Per reached node the value at its beginning. `start` gives the values to begin with."""
    return _solve(cfg.position, start, transfer, join)


def solve_backward(cfg: Cfg, start: Mapping[int, V], transfer: Transfer[V], join: Join[V]) -> dict[int, V]:
    """Per reached node the value at its end; `transfer` answers per predecessor."""
    position = [-1] * len(cfg.position)
    place = 0
    for goal in start:
        for node in reverse_post_order(cfg.predecessors, goal):
            if position[node] < 0:
                position[node] = place
                place += 1
    return _solve(position, start, transfer, join)


def _solve(position: list[int], start: Mapping[int, V], transfer: Transfer[V], join: Join[V]) -> dict[int, V]:
    values = dict(start)
    work = [(position[node], node) for node in start]
    heapq.heapify(work)
    waiting = set(start)
    while work:
        _, node = heapq.heappop(work)
        waiting.discard(node)
        for successor, value in transfer(node, values[node]).items():
            if successor in values:
                old = values[successor]
                value = join(old, value)
                if value == old:
                    continue
            values[successor] = value
            if successor not in waiting:
                waiting.add(successor)
                heapq.heappush(work, (position[successor], successor))
    return values
