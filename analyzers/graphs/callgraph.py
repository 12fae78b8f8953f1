"""Strongly connected components of a call graph, callees first: the order of bottom-up summaries.

Tarjan's algorithm without recursion. The graph is given by a function, so that only what is asked for is
ever linked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from analyzers.queries import Linked, ProcedureKey

T = TypeVar("T", bound=Hashable)


def callees(linked: Linked) -> tuple[ProcedureKey, ...]:
    """The procedures of the repository that the calls of a procedure may run, sorted."""
    return tuple(sorted({key for target in linked.targets.values() for key in target.procedures}))


def components(roots: Iterable[T], successors: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, ...]]:
    """The components that the roots reach, each after all that it leads to; members as first met."""
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    open_: dict[T, None] = {}
    for root in roots:
        if root in index:
            continue
        work = [_enter(root, index, low, open_, successors)]
        while work:
            node, rest = work[-1]
            for successor in rest:
                if successor not in index:
                    work.append(_enter(successor, index, low, open_, successors))
                    break
                if successor in open_:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    yield _close(node, index, open_)


def _enter(
    node: T, index: dict[T, int], low: dict[T, int], open_: dict[T, None], successors: Callable[[T], Iterable[T]]
) -> tuple[T, Iterator[T]]:
    index[node] = low[node] = len(index)
    open_[node] = None
    return node, iter(successors(node))


def _close(node: T, index: dict[T, int], open_: dict[T, None]) -> tuple[T, ...]:
    members: list[T] = []
    while not members or members[-1] != node:
        members.append(open_.popitem()[0])
    return tuple(sorted(members, key=index.__getitem__))
