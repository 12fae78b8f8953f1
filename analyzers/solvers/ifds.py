"""The tabulation algorithm for the facts of one procedure.

Reps, Horwitz, Sagiv: Precise Interprocedural Dataflow Analysis via Graph Reachability. The facts that a seed
leads to are found node by node, each by itself; a flow function of a call reads the summary edges of its
callees (`summaries.Effects`, tabulated elsewhere). Where too many facts meet at one node, later ones are
joined. Facts are kept only where paths meet.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec

from analyzers.graphs.cfg import Cfg

F = TypeVar("F", bound=Hashable)

Flow = Callable[[F], Sequence[tuple[int, F]]]
"""The flow function of a node: a fact to (successor, fact) pairs. None stands for the identity."""


class Crowding(msgspec.Struct, Generic[F], frozen=True):
    """What happens where more than `cap` facts meet.

    group   (facts there so far, fact) to what it is joined with: facts of one group
    join    an upper bound of two facts of a group, marked as joined
    """

    cap: int
    group: Callable[[int, F], Hashable]
    join: Callable[[F, F], F]


Trace = dict[tuple[int, F], tuple[int, F]]
"""Per (node, fact) the (node, fact) that it first came from."""


def tabulate(
    cfg: Cfg,
    flows: Sequence[Flow[F] | None],
    seeds: Iterable[tuple[int, F]],
    crowding: Crowding[F],
    budget: int,
    trace: Trace[F] | None = None,
) -> bool:
    """Run every fact that the seeds lead to through the flow functions; False when the budget is spent.

    What the facts amount to is for the flow functions to note. Nodes are visited in reverse post-order.
    """
    table = _Table(cfg, crowding)
    for node, fact in seeds:
        table.meet(node, fact)
    successors, is_met = cfg.successors, table.is_met
    while table.heap:
        for start, begin in table.take():
            chain = [(start, begin)]
            while chain:
                node, fact = chain.pop()
                flow = flows[node]
                after = flow(fact) if flow is not None else [(each, fact) for each in successors[node]]
                budget -= 1
                for successor, next_fact in after:
                    if is_met[successor]:
                        next_fact = table.meet(successor, next_fact)
                    else:
                        chain.append((successor, next_fact))
                    if trace is not None:
                        trace.setdefault((successor, next_fact), (node, fact))
            if budget < 0:
                return False
    return True


class _Table(Generic[F]):
    """The facts at the nodes where paths meet, and those that wait there."""

    def __init__(self, cfg: Cfg, crowding: Crowding[F]) -> None:
        self.heap: list[int] = []
        self.is_met = [len(each) > 1 for each in cfg.predecessors]
        self._cfg = cfg
        self._crowding = crowding
        self._seen: dict[int, set[F]] = {}
        self._joined: dict[tuple[int, Hashable], F] = {}
        self._waiting: dict[int, list[F]] = {}

    def meet(self, node: int, fact: F) -> F:
        """Add a fact to a node, unless it is there; answers with what stands for it from then on."""
        seen = self._seen.setdefault(node, set())
        if fact in seen:
            return fact
        if len(seen) >= self._crowding.cap:
            group = (node, self._crowding.group(len(seen), fact))
            other = self._joined.get(group, fact)
            fact = self._joined[group] = self._crowding.join(other, fact)
            if fact in seen:
                return fact
        seen.add(fact)
        if node not in self._waiting:
            self._waiting[node] = []
            heapq.heappush(self.heap, self._cfg.position[node])
        self._waiting[node].append(fact)
        return fact

    def take(self) -> list[tuple[int, F]]:
        """The waiting facts of the first node in reverse post-order."""
        node = self._cfg.order[heapq.heappop(self.heap)]
        return [(node, fact) for fact in self._waiting.pop(node)]
