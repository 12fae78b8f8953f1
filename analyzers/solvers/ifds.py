"""The tabulation algorithm for the facts of one procedure.

Reps, Horwitz, Sagiv: Precise Interprocedural Dataflow Analysis via Graph Reachability. The facts that a seed
leads to are found node by node, each by itself; a flow function of a call reads the summary edges of its
callees (`summaries.Effects`, tabulated elsewhere). Where too many facts meet at one node, later ones are
joined. Facts are kept only where paths meet.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec

from analyzers.graphs.cfg import Cfg

F = TypeVar("F", bound=Hashable)

Flow = Callable[[F], Sequence[tuple[int, F]]]
"""The flow function of a node: a fact to (successor, fact) pairs. None stands for the identity."""


class Crowding(msgspec.Struct, Generic[F], frozen=True):
    """What happens where many facts meet at one node.

    group, width, merge      facts of one group are kept apart up to `width`, then merged into the last
    total, kind, collapse    more groups than `total` are joined per kind, and marked as joined
    """

    group: Callable[[F], Hashable]
    width: int
    merge: Callable[[F, F], F]
    total: int
    kind: Callable[[F], Hashable]
    collapse: Callable[[F, F], F]


Leap = Callable[[int, F], tuple[int, Sequence[tuple[int, F]]] | None]
"""A node and a fact to what they lead to later, and after how many flow functions; None where that is not known. What it
leads to are nodes where control meets, and others from which the way goes on."""

Trace = dict[tuple[int, F], list[tuple[int, F]]]
"""Per (node, fact) the (node, fact) pairs that it leads to."""


def tabulate(
    cfg: Cfg,
    flows: Sequence[Flow[F] | None],
    seeds: Iterable[tuple[int, F]],
    crowding: Crowding[F],
    budget: int,
    trace: Trace[F] | None = None,
    shortcuts: Sequence[int] | None = None,
    leap: Leap[F] | None = None,
) -> bool:
    """Run every fact that the seeds lead to through the flow functions; False when the budget is spent.

    What the facts amount to is for the flow functions to note. Nodes are visited in reverse post-order.
    `shortcuts` (see there) save the way over nodes that do nothing, `leap` the way to where paths meet.
    """
    table = _Table(cfg, crowding)
    for node, fact in seeds:
        table.meet(node, fact)
    successors, is_met, meet = cfg.successors, cfg.is_met, table.meet
    ahead = shortcuts if trace is None else None
    leap = leap if trace is None else None
    while table.heap:
        for start, begin in table.take():
            chain = [(start, begin)]
            is_begun = False
            seen: set[tuple[int, F]] | None = None
            while chain and budget >= 0:
                node, fact = chain.pop()
                if is_met[node] and is_begun:
                    meet(node, fact)
                    continue
                is_begun = True
                leapt = leap(node, fact) if leap is not None else None
                if leapt is not None:
                    budget -= leapt[0]
                    chain += leapt[1]
                    continue
                flow = flows[node]
                after = flow(fact) if flow is not None else [(each, fact) for each in successors[node]]
                budget -= 1
                if seen is None and (len(after) > 2 or (len(after) == 2 and after[0][0] == after[1][0])):
                    seen = set()  # Several facts on one way: what they become may be the same, and double at every call.
                for successor, next_fact in after:
                    if ahead is not None:
                        successor = ahead[successor]
                    if is_met[successor]:
                        next_fact = meet(successor, next_fact)
                    elif seen is None:
                        chain.append((successor, next_fact))
                    elif (successor, next_fact) not in seen:
                        seen.add((successor, next_fact))
                        chain.append((successor, next_fact))
                    if trace is not None:
                        trace.setdefault((node, fact), []).append((successor, next_fact))
            if budget < 0:
                return False
    return True


def shortcuts(cfg: Cfg, flows: Sequence[Flow[F] | None]) -> list[int]:
    """Per node the first one on its only way on that has a flow function, several ways on, or several ways in."""
    ahead = list(range(len(cfg.successors)))
    for node in reversed(cfg.order):
        following = cfg.successors[node]
        if flows[node] is None and len(following) == 1 and len(cfg.predecessors[node]) < 2:
            ahead[node] = ahead[following[0]] if cfg.position[following[0]] > cfg.position[node] else following[0]
    return ahead


def shortest_path(
    trace: Trace[F], begun: Iterable[tuple[int, F]], is_goal: Callable[[int, F], bool]
) -> list[tuple[int, F]]:
    """The shortest way from a seed to a goal, seeds and successors in their order; empty where there is none."""
    before: dict[tuple[int, F], tuple[int, F] | None] = dict.fromkeys(begun)
    queue = deque(before)
    while queue:
        state = queue.popleft()
        if is_goal(*state):
            path = [state]
            while (earlier := before[path[-1]]) is not None:
                path.append(earlier)
            return path[::-1]
        for following in trace.get(state, ()):
            if following not in before:
                before[following] = state
                queue.append(following)
    return []


class _Table(Generic[F]):
    """The facts at the nodes where paths meet, and those that wait there."""

    def __init__(self, cfg: Cfg, crowding: Crowding[F]) -> None:
        self.heap: list[int] = []
        self._cfg = cfg
        self._crowding = crowding
        self._seen: dict[int, set[F]] = {}
        self._groups: dict[int, dict[Hashable, list[F]]] = {}
        self._waiting: dict[int, dict[F, None]] = {}

    def meet(self, node: int, fact: F) -> F:
        """Add a fact to a node, unless it is there; answers with what stands for it from then on."""
        seen = self._seen.get(node)
        if seen is None:
            seen = self._seen[node] = set()
            self._groups[node] = {}
        if fact in seen:
            return fact
        waiting = self._waiting.get(node)
        if waiting is None:
            waiting = self._waiting[node] = {}
            heapq.heappush(self.heap, self._cfg.position[node])
        joined = self._join(self._groups[node], fact, waiting)
        if joined not in seen:
            seen.add(joined)
            waiting[joined] = None
        return joined

    def _join(self, groups: dict[Hashable, list[F]], fact: F, waiting: dict[F, None]) -> F:
        """The fact, joined where its group is full; what it takes in need not be visited any more."""
        crowding = self._crowding
        group, join, width = crowding.group(fact), crowding.merge, crowding.width
        if group not in groups and len(groups) >= crowding.total:
            group, join, width = ("joined", crowding.kind(fact)), crowding.collapse, 1
            groups.setdefault(group, [join(fact, fact)])
        members = groups.setdefault(group, [])
        if len(members) < width:
            members.append(fact)
            return fact
        joined = join(members[-1], fact)
        if joined != members[-1]:
            waiting.pop(members[-1], None)
            members[-1] = joined
        return joined

    def take(self) -> list[tuple[int, F]]:
        """The waiting facts of the first node in reverse post-order."""
        node = self._cfg.order[heapq.heappop(self.heap)]
        return [(node, fact) for fact in self._waiting.pop(node)]
