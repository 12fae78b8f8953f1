"""Heapcheck: blocks that only other blocks lead to, and that go with them.

Dong, Wang, Chen: Modular Heap Abstraction-Based Memory Leak Detection. The second stage for C, on demand: only where a procedure
acquires and releases, and it or a callee links nodes. Reports what one exact state loses, unless another lets it escape or
releases it by way of the structure. Misses what the slice does not model (elements, globals, unknown callees).
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from analyzers import ir
from analyzers.detectors.heapcheck.calls import MAX_DEPTH
from analyzers.detectors.heapcheck.points import Bounds, Event, Spent
from analyzers.detectors.heapcheck.slices import Slice, allocates, cut, links, releases, stores_nodes
from analyzers.detectors.heapcheck.solver import Solver
from analyzers.domains.obligation import Limits
from analyzers.finding import Confidence, Finding, Note, NoteKind, Role, Step
from analyzers.handles.c.types import CTypes
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNRELEASED_MEMORY
from analyzers.source import Span
from analyzers.summaries import Effects

MAX_PROCEDURES = 10
MAX_WATCHED = 6
MAX_SPENT = 2
"""Allocations of one procedure for which the bounds were too little: the others lie in the same structure."""

MAX_SEEN = 60
"""Procedures that are looked at before they are sliced, to see whether any links nodes."""

_OVERWRITING = (ir.Copy, ir.Load, ir.Store, ir.Call, ir.Op)
_MEMORY = "memory"


class Heapcheck:
    """The detector. `bounds` are per allocation that is watched."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()

    @property
    def name(self) -> str:
        """See `Detector`."""
        return "heapcheck"

    @property
    def languages(self) -> frozenset[str]:
        """See `Detector`."""
        return frozenset(("c",))

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterable[Finding | Note]:
        """What these procedures lose with what leads to it."""
        for key in keys:
            linked = queries.linked(key)
            if linked is not None and _is_worth_it(linked, queries) and _may_link(linked, queries):
                yield from _Detection(linked, queries, self.bounds, self.name).findings()


def _is_worth_it(linked: Linked, queries: Queries) -> bool:
    """Whether a procedure acquires memory and releases some, at first sight."""
    acquires = releases_ = False
    for node, target in linked.targets.items():
        found: list[Effects | None] = [queries.effects(key) for key in target.procedures[:1]]
        if not found and target.models:
            found.append(queries.model(target.models, target.parameters))
        for effects in found:
            for transfer in effects.transfers if effects is not None else ():
                acquires |= not transfer.entry and _MEMORY in transfer.resource
                releases_ |= bool(transfer.entry) and any(outcome.fate == "released" for outcome in transfer.outcomes)
        instruction = linked.body.nodes[node]
        releases_ |= isinstance(instruction, ir.Store) and instruction.src == "=null"
    return acquires and (releases_ or any(isinstance(node, ir.Store) and node.src == "=null" for node in linked.body.nodes))


def _may_link(linked: Linked, queries: Queries) -> bool:
    """Whether a procedure or one that it leads to may store a node into another: only then they are sliced."""
    types: dict[str, CTypes] = {}
    waiting = deque([(linked, 0)])
    seen = {linked.key}
    while waiting:
        each, depth = waiting.popleft()
        path = each.key.path
        if stores_nodes(each, types.get(path) or types.setdefault(path, CTypes(queries, path))):
            return True
        for target in each.targets.values() if depth < MAX_DEPTH else ():
            if len(target.procedures) == 1 and target.procedures[0] not in seen:
                seen.add(target.procedures[0])
                callee = queries.linked(target.procedures[0])
                if callee is not None:
                    waiting.append((callee, depth + 1))
        if len(seen) > MAX_SEEN:
            return True
    return False


class _Detection:
    def __init__(self, linked: Linked, queries: Queries, bounds: Bounds, name: str) -> None:
        self._linked = linked
        self._queries = queries
        self._bounds = bounds
        self._name = name

    def findings(self) -> Iterator[Finding | Note]:
        """One finding per acquisition here of something that is lost with what leads to it."""
        slices = self._slices()
        found = list(slices.values())
        if not any(map(links, found)) or not any(map(releases, found)):
            return
        watched = [(each.key, node) for each in found for node in allocates(each)]
        spent = 0
        for place in watched[:MAX_WATCHED]:
            if spent == MAX_SPENT:
                return
            solver = Solver(slices, place, self._bounds)
            try:
                summary = solver.solve(self._linked.key)
            except Spent:
                spent += 1
                yield Note(NoteKind.BUDGET, self._span(self._linked.key, ir.ENTRY), f"gave up following the structure that {place[0].name} builds")
                continue
            lost = self._lost(summary.events)
            if lost is not None:
                yield self._finding(place, lost)

    def _slices(self) -> dict[ProcedureKey, Slice]:
        """The procedure and what it calls, as far as it is looked into."""
        slices: dict[ProcedureKey, Slice] = {}
        waiting = [(self._linked.key, 0)]
        seen = {self._linked.key}
        while waiting and len(slices) < MAX_PROCEDURES:
            key, depth = waiting.pop(0)
            own = cut(key, self._queries, Limits())
            if own is None:
                if depth == 0:
                    return {}
                continue
            slices[key] = own
            for node in own.sites.sites if depth < MAX_DEPTH else ():
                target = own.scene.linked.targets.get(node)
                if target is not None and len(target.procedures) == 1 and target.procedures[0] not in seen:
                    seen.add(target.procedures[0])
                    waiting.append((target.procedures[0], depth + 1))
        return slices

    def _lost(self, events: Sequence[Event]) -> Event | None:
        """The loss that is told, if there is one that nothing speaks against."""
        if any(event.kind == "escaped" or (event.kind == "released" and event.is_found) for event in events):
            return None
        is_released = any(event.kind == "released" for event in events)
        found = [
            event for event in events
            if event.kind in ("lost", "left") and not event.is_guess and event.born not in (-1, event.node) and self._is_told(event, is_released)
        ]
        return min(found, key=lambda event: (self._span(self._linked.key, event.node), event.inner or (self._linked.key, -1)), default=None)

    def _is_told(self, event: Event, is_released: bool) -> bool:
        """Where a variable is overwritten or goes, only what is never released is lost: else paths may exclude each other. What
        goes with a variable of this procedure is Tracker's to tell."""
        node = self._linked.body.nodes[event.node]
        if event.kind == "left":
            return event.inner is not None and not is_released
        return isinstance(node, ir.Store | ir.Call) or (isinstance(node, _OVERWRITING) and not is_released)

    # --- the report

    def _finding(self, place: tuple[ProcedureKey, int], lost: Event) -> Finding:
        own = self._linked.key
        made, gone = self._span(own, lost.born), self._span(own, lost.node)
        text, last = self._text(own, lost.born), self._text(own, lost.node)
        inner = self._text(*place)
        steps = [Step(Role.ACQUIRE, made, f"`{text}` acquires it")]
        if place[0] != own:
            steps = [Step(Role.ACQUIRE, self._span(*place), f"`{inner}` in `{place[0].name}` acquires it"), Step(Role.ACQUIRE, made, f"`{text}`")]
        if lost.inner is not None:
            steps.append(Step(Role.CALL, self._span(*lost.inner), f"`{self._text(*lost.inner)}` in `{lost.inner[0].name}`"))
        steps.append(Step(Role.EXIT, gone, "no pointer leads to it any more"))
        seed = "\0".join((UNRELEASED_MEMORY.id, own.path, own.name, text, inner))
        return Finding(
            rule=UNRELEASED_MEMORY.id,
            cwe=UNRELEASED_MEMORY.cwe,
            language="c",
            detectors=(self._name,),
            confidence=Confidence.WITNESSED,
            path=own.path,
            procedure=own.name,
            resource="heap-memory",
            variable="",
            message=f"What `{inner}` gives is not freed before `{last}` takes away what leads to it.",
            witness=tuple(steps),
            acquired=made,
            lost=gone,
            exits=(gone,),
            text=text,
            cluster=hashlib.sha256(seed.encode()).hexdigest()[:16],
        )

    def _span(self, key: ProcedureKey, node: int) -> Span:
        body = self._body(key)
        instruction = body.nodes[node]
        return Span(key.path, body.start + instruction.start, body.start + instruction.end)

    def _text(self, key: ProcedureKey, node: int) -> str:
        instruction = self._body(key).nodes[node]
        return " ".join(self._queries.text(key, instruction.start, instruction.end).split())[:60]

    def _body(self, key: ProcedureKey) -> ir.Procedure:
        linked = self._linked if key == self._linked.key else self._queries.linked(key)
        assert linked is not None
        return linked.body
