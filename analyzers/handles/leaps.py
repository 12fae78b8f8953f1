"""Leaps over stretches of code that do not concern a handle: what they do to guards is found once for all handles.

A stretch is what a node leads to before control meets, or comes to a node that looks at one of a fact's paths. The
fact comes out with the paths that it went in with. This is what sparse data-flow analyses save by def-use
chains, here without giving up guards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.domains.access_path import Paths, members
from analyzers.domains.environment import Environment
from analyzers.domains.obligation import GUARDS_ONLY, RELEASED, RETAINED, SETTLED, Fact, Obligation
from analyzers.graphs.operands import assigned, used
from analyzers.handles.flows import Flows
from analyzers.handles.scene import RESULT, THROWN
from analyzers.handles.sinks import ExitKind, LossKind
from analyzers.summaries import AccessPath

EVERYWHERE = -1
"""The nodes that look at a fact which has to be followed step by step."""


class Stretch(msgspec.Struct, frozen=True, gc=False):
    """What becomes of guards on a stretch.

    steps    flow functions applied
    ends     where it ends, last first: (node, guards, marks that the way adds)
    left     where the procedure ends
    """

    steps: int
    ends: tuple[tuple[int, Environment, int], ...]
    left: tuple[tuple[int, ExitKind, Environment, int], ...]


class Leaps:
    """The stretches of one procedure.

    ahead   per node the first one that does anything (`ifds.shortcuts`)
    """

    def __init__(self, flows: Flows, ahead: Sequence[int]) -> None:
        self._flows = flows
        self._is_met = flows.scene.cfg.is_met
        self._ahead = ahead
        self._stretches: dict[tuple[int, Environment, int, int], Stretch] = {}
        self._parts: dict[tuple[int, int, int], dict[int, dict[tuple[Environment, bool], Stretch]]] = {}
        self._within: dict[int, int] = {}
        self._looking: dict[Paths, int] = {0: 0}
        self._looking_at: dict[AccessPath, int] = {}
        self._by_root: dict[str, int] | None = None
        self._by_place: dict[AccessPath, int] = {}
        self._by_field: dict[str, int] = {}

    def over(self, node: int, fact: Fact) -> tuple[int, list[tuple[int, Fact]]] | None:
        """The steps of a leap and the facts that it ends with; None where the node itself concerns the handle."""
        paths, environment, marks = fact
        looking = self._looking.get(paths)
        if looking is None:
            looking = self._looking[paths] = self._look(paths)
        if looking >> node & 1:
            return None
        if looking:
            within = self._within.get(node)
            if within is None:
                within = self._within[node] = self._find_within(node)
            looking &= within
        settled = 0 if self._flows.is_entry or not marks & SETTLED else marks & RETAINED or RELEASED
        key = (node, environment, looking, settled)
        stretch = self._stretches.get(key)
        if stretch is None:
            stretch = self._stretches[key] = self._find(node, environment, looking, settled)
        for at, kind, known, added in stretch.left:
            self._flows.leave(at, kind, (paths, known, marks | added))
        return stretch.steps, [(end, (paths, known, marks | added)) for end, known, added in stretch.ends]

    def _find(self, node: int, environment: Environment, looking: int, settled: int) -> Stretch:
        """The stretch as it was followed for other guards, if those agree on all that it looks at and changes. What they say
        beyond that is carried along; whether there is any is part of the question, as to know nothing is a case of its own."""
        environments = self._flows.environments
        parts = self._parts.setdefault((node, looking, settled), {})
        for touched, known in parts.items():
            inside, outside = environments.parted(environment, touched)
            found = known.get((inside, bool(outside)))
            if found is not None:
                return _changed(found, functools.partial(environments.unite, outside)) if outside else found
        environments.touched = 0
        stretch = self._follow(node, environment, looking, settled)
        touched = environments.touched
        inside, outside = environments.parted(environment, touched)
        own = _changed(stretch, lambda known: environments.parted(known, touched)[0]) if outside else stretch
        parts.setdefault(touched, {})[inside, bool(outside)] = own
        return stretch

    def _follow(self, node: int, environment: Environment, looking: int, settled: int) -> Stretch:
        """Go over a stretch with no paths. `settled`: how the handle ended, if it has: its own fate is all that is asked."""
        flows, ahead = self._flows, self._ahead
        obligation, sink = flows.obligation, flows.sink
        probe = settled or GUARDS_ONLY
        ways = _Ways(probe)
        flows.begin(Obligation("", ""), ways)
        ends: list[tuple[int, Environment, int]] = []
        steps = 0
        chain: list[tuple[int, Fact]] = [(node, (0, environment, probe))]
        while chain:
            at, fact = chain.pop()
            if looking >> at & 1:
                ends.append((at, fact[1], fact[2] & ~probe))
                continue
            flow = flows.functions[at]
            steps += 1
            after = flow(fact) if flow is not None else [(each, fact) for each in flows.scene.cfg.successors[at]]
            for successor, following in after:
                successor = ahead[successor]
                if self._is_met[successor]:
                    ends.append((successor, following[1], following[2] & ~probe))
                else:
                    chain.append((successor, following))
        if sink is not None:
            flows.begin(obligation, sink)
        return Stretch(steps, tuple(reversed(ends)), tuple(ways.left))

    def _find_within(self, node: int) -> int:
        """The nodes that a stretch from a node may go over, as bits."""
        successors = self._flows.scene.cfg.successors
        found = 0
        waiting = [node]
        while waiting:
            at = waiting.pop()
            found |= 1 << at
            waiting += [each for each in successors[at] if not self._is_met[each]]
        return found

    # --- which nodes look at which paths

    def _look(self, paths: Paths) -> int:
        """The nodes that look at one of some paths, as bits."""
        table = self._flows.table
        if not paths & ~table.inside or paths.bit_count() > self._flows.breadth:
            return EVERYWHERE
        looking = 0
        for number in members(paths):
            looking |= self._look_at(table.paths[number])
        return looking

    def _look_at(self, path: AccessPath) -> int:
        found = self._looking_at.get(path)
        if found is None:
            if self._by_root is None:
                self._by_root = self._index()
            found = self._by_root.get(path[0], 0)
            if len(path) > 1:
                found |= self._by_place.get(path[:2], 0) | self._by_field.get(path[1], 0)
            self._looking_at[path] = found
        return found

    def _index(self) -> dict[str, int]:
        """Per root of a path the nodes that look at all that it leads to, as bits. `_by_place`: those that look at what one
        field of a root leads to; `_by_field`: those that store to a field."""
        flows, by_place, by_field = self._flows, self._by_place, self._by_field
        found: dict[str, int] = {}
        for node in flows.scene.cfg.order:
            if flows.functions[node] is None:
                continue
            bit = 1 << node
            for place in {each[:2] for each in self._places(node)}:
                if len(place) > 1:
                    by_place[place] = by_place.get(place, 0) | bit
                else:
                    found[place[0]] = found.get(place[0], 0) | bit
            match flows.scene.nodes[node]:
                case ir.Store(base=base, field=field) if base:
                    by_field[field] = by_field.get(field, 0) | bit
                case ir.StoreElement():
                    by_field["[]"] = by_field.get("[]", 0) | bit
                case _:
                    pass
        return found

    def _places(self, node: int) -> Iterable[AccessPath]:
        """The places such that the flow function of a node looks at the paths that start with them."""
        flows, scene = self._flows, self._flows.scene
        instruction = scene.nodes[node]
        names = [*scene.dying.get(node, ()), *assigned(instruction)]
        places = [*flows.noticed.get(node, ())]
        match instruction:
            case ir.Load(base=base, field=field):
                places += scene.spread((base, field) if base else (f"::{field}",), node)
            case ir.Store(base=base, field=field, src=src):
                places += scene.spread((base, field) if base else (f"::{field}",), node)
                names.append(src)
            case ir.LoadElement(base=base):
                places += scene.spread((base, "[]"), node)
            case ir.StoreElement(base=base, index=index, src=src):
                places += scene.spread((base, "[]"), node)
                names += (index, src)
            case ir.Call():
                names.append(RESULT[0])
            case ir.ScopeEnd(variables=variables):
                names += variables
            case ir.Throw():
                names += (*used(instruction), THROWN[0])
            case _:
                names += used(instruction)
        return [*places, *((name,) for name in names)]


def _changed(stretch: Stretch, change: Callable[[Environment], Environment]) -> Stretch:
    """A stretch with other guards where it ends."""
    ends = tuple((node, change(known), added) for node, known, added in stretch.ends)
    return Stretch(stretch.steps, ends, tuple((node, kind, change(known), added) for node, kind, known, added in stretch.left))


class _Ways:
    """The sink of a fact without paths."""

    def __init__(self, probe: int) -> None:
        self._probe = probe
        self.left: list[tuple[int, ExitKind, Environment, int]] = []

    def lose(self, node: int, kind: LossKind, fact: Fact) -> None:
        """Nothing can be lost."""

    def leave(self, node: int, kind: ExitKind, fact: Fact) -> None:
        """See `Sink`."""
        self.left.append((node, kind, fact[1], fact[2] & ~self._probe))
