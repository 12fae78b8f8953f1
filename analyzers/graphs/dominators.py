"""Immediate dominators and post-dominators.

Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. Post-dominators count both exits as ends of
the procedure; a node from which no exit can be reached has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.graphs.cfg import Cfg, reached, reverse_post_order

NONE = -1
"""The immediate (post-)dominator of a node that has none."""


def dominators(cfg: Cfg) -> list[int]:
    """Per node its immediate dominator: the entry's is itself, an unreachable node has none."""
    return _solve(cfg.order, cfg.predecessors, len(cfg.successors))


def post_dominators(cfg: Cfg) -> list[int]:
    """Per node its immediate post-dominator. `len(cfg.successors)` is the end that both exits lead to."""
    end = len(cfg.successors)
    exits = [exit_ for exit_ in (ir.EXIT, ir.RAISE) if cfg.is_reachable(exit_)]
    after = [*cfg.successors, ()]
    for exit_ in exits:
        after[exit_] = (end,)
    before = [*cfg.predecessors, tuple(exits)]
    return _solve(reverse_post_order(before, end), after, end + 1)


def dominates(tree: Sequence[int], above: int, below: int) -> bool:
    """Whether `above` lies on the way from `below` to the root of a tree of (post-)dominators."""
    while below != above:
        up = tree[below]
        if up in (below, NONE):
            return False
        below = up
    return True


def dominated(tree: Sequence[int], node: int) -> frozenset[int]:
    """A node and all below it in a tree of (post-)dominators."""
    below: list[list[int]] = [[] for _ in tree]
    for each, up in enumerate(tree):
        if up not in (each, NONE):
            below[up].append(each)
    return reached(below, node)


def _solve(order: Sequence[int], before: Sequence[Sequence[int]], count: int) -> list[int]:
    place = [NONE] * count
    for index, node in enumerate(order):
        place[node] = index
    tree = [NONE] * count
    if not order:
        return tree
    tree[order[0]] = order[0]
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            best = NONE
            for candidate in before[node]:
                if tree[candidate] != NONE:
                    best = candidate if best == NONE else _meet(tree, place, best, candidate)
            if best != tree[node]:
                tree[node] = best
                changed = True
    return tree


def _meet(tree: Sequence[int], place: Sequence[int], one: int, other: int) -> int:
    while one != other:
        while place[one] > place[other]:
            one = tree[one]
        while place[other] > place[one]:
            other = tree[other]
    return one
