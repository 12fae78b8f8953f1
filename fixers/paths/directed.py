"""Looks for one path on which a handle is lost, those first that are nearest to where a finding says that it is: where there is one,
nobody needs to walk all others (directed symbolic execution: Ma, Khoo, Foster and Hicks, SAS 2011).

Nothing is forgotten on the way: what is found is on a path that can be as far as the whole walk knows. Says nothing where it finds none.
"""

from __future__ import annotations

import functools
import heapq
from collections import deque
from collections.abc import Sequence

from analyzers import ir
from analyzers.queries import Linked
from fixers.fix import Verdict
from fixers.paths.explore import FINE, MAX_RUN, Walk
from fixers.paths.layout import Layout
from fixers.paths.outcomes import doubts
from fixers.paths.question import Question
from fixers.paths.report import Report
from fixers.paths.state import State

FIRST = 300
"""Steps that are tried at once, beside twice those of the shortest way."""

MORE = 1700
"""Steps that are tried where it was not proved at once that nothing is lost."""

_FAR = 1 << 20
"""More than any path has nodes."""


class Search:
    """A walk that goes to where the handles of a question are lost. It goes on from where it stopped."""

    def __init__(self, layout: Layout, question: Question, lost_at: Sequence[int]) -> None:
        """`lost_at`: the nodes at which a finding says that they are."""
        self._layout, self._question, self._lost_at = layout, question, lost_at
        self.found: Report | None = None
        """What it has said of a path, once it has found one."""
        self._limit = self._count = 0
        self._begun: Walk | None = None
        self._waiting: list[tuple[int, int, State]] = []
        self._doubts = {each for node in question.sites for one in layout.effects.get(node, ()) for each in doubts(one)}

    def first(self) -> Report | None:
        """The report of a path on which a handle is lost, for a few steps."""
        return self._look(2 * self._shortest() + FIRST)

    def more(self) -> Report | None:
        """The same, for more of them."""
        return self._look(MORE)

    def _look(self, steps: int) -> Report | None:
        walk = self._walk
        self._limit = min(self._limit + steps, FINE - MAX_RUN)
        while self._waiting and walk.steps < self._limit:
            _, _, state = heapq.heappop(self._waiting)
            for each in walk.onward(state):
                self._add(each)
            if self._is_enough(walk.report):
                self.found = walk.report
                return self.found
        return None

    @property
    def _walk(self) -> Walk:
        if self._begun is None:
            self._begun = Walk(self._layout, self._question, frozenset(), None)
            self._add(self._begun.begin())
        return self._begun

    def _add(self, state: State) -> None:
        self._count += 1
        heapq.heappush(self._waiting, (self._distance(state), self._count, state))

    def _is_enough(self, report: Report) -> bool:
        """Whether no other path can say more: one surely loses it, or where none can for sure, for one reason, one perhaps does. What
        else is wrong first is for the whole walk to say. Of Java it counts why nothing is sure: there only what is surely lost is enough."""
        if report.gone.verdict is Verdict.REFUTED:
            return True
        return self._question.language == "c" and not report.is_refuted and report.gone.verdict is Verdict.ASSUMED and self._doubts == {report.gone.reason}

    def _distance(self, state: State) -> int:
        """How many nodes lie before it: to where a handle is acquired, and from there to where it is lost."""
        to_sites, to_ends, to_exits = self._distances
        if any(self._walk.leaving.is_missed(state, each) for each in state.handles):
            return min(to_ends[state.node], _FAR + to_exits[state.node])
        return 2 * _FAR + to_sites[state.node]

    def _shortest(self) -> int:
        to_sites, to_ends, to_exits = self._distances
        behind = (min(to_ends[site], to_exits[site]) for site in self._question.sites)
        return min(to_sites[ir.ENTRY] + min(behind, default=0), FINE)

    @functools.cached_property
    def _distances(self) -> tuple[list[int], list[int], list[int]]:
        linked = self._layout.linked
        return (
            _to(linked, sorted(self._question.sites)), _to(linked, self._lost_at), _to(linked, (ir.EXIT, ir.RAISE)),
        )  # fmt: skip


def _to(linked: Linked, goals: Sequence[int]) -> list[int]:
    """Per node the fewest edges that lead from it to one of some goals."""
    count = len(linked.body.nodes)
    before: list[list[int]] = [[] for _ in range(count)]
    for node in range(count):
        for successor in (*linked.next[node], *linked.raises[node]):
            before[successor].append(node)
    found = [_FAR] * count
    for node in goals:
        found[node] = 0
    work = deque(goals)
    while work:
        node = work.popleft()
        for each in before[node]:
            if found[each] == _FAR:
                found[each] = found[node] + 1
                work.append(each)
    return found
