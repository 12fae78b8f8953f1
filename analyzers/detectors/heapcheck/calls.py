"""Calls: by the summary of a callee that is looked into, by a spec entry, or as something that takes what it is passed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

import msgspec

from analyzers import ir
from analyzers.detectors.heapcheck.instantiation import NOBODY, connected, renamed, returned
from analyzers.detectors.heapcheck.instructions import Instructions
from analyzers.detectors.heapcheck.points import (
    APART,
    GHOST_AT,
    HERE,
    NOT_YET,
    RESULT_AT,
    SCRATCH_AT,
    Event,
    Point,
    Summary,
    assigned,
)
from analyzers.detectors.heapcheck.slices import SCRATCH, Slice
from analyzers.domains import heap_statements as heaps
from analyzers.domains.pointer_structure import BOTTOM, members
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy
from analyzers.queries import ProcedureKey
from analyzers.summaries import AccessPath

MAX_DEPTH = 3

_COPYING = frozenset(("memcpy", "memmove", "memset", "bcopy", "bzero", "qsort"))
"""Functions of the library that change what is in a block."""


class Callees(Protocol):
    """What a call may be answered from."""

    @property
    def slices(self) -> Mapping[ProcedureKey, Slice]:
        """The procedures that are looked into."""

    @property
    def watched(self) -> tuple[ProcedureKey, int]:
        """The allocation that is watched."""

    def summarise(self, each: Slice, pre: Point, depth: int) -> Summary:
        """What a callee does from a precondition."""


class Calls:
    """The calls of one slice. `dead`: per node the pointers that nobody reads any more; `heard` is told what happens to the
    watched cell in callees."""

    def __init__(
        self, instructions: Instructions, callees: Callees, depth: int, dead: Mapping[int, int], heard: Callable[[Event], None]
    ) -> None:
        self.instructions = instructions
        self.callees = callees
        self.depth = depth
        self.dead = dead
        self.node = ir.ENTRY
        self._heard = heard

    def call(self, node: int, point: Point, call: ir.Call) -> Iterable[Point]:
        """The points after a call."""
        self.node = node
        site = self.instructions.own.sites.sites.get(self.node)
        if site is None:
            return [point]
        target = self.instructions.scene.linked.targets.get(self.node)
        callee = self.callees.slices.get(target.procedures[0]) if target is not None and len(target.procedures) == 1 else None
        parts = [argument for argument in call.args if self._is_part(argument)]
        if parts and not site.is_library:
            points = list(self.instructions.given(point, parts))
            return [after for before in points for after in self._opaque(before, call, site)]
        is_simple = sum(argument in self.instructions.own.boxed for argument in call.args) < 2
        if callee is not None and is_simple and self.depth < MAX_DEPTH and self._is_concerned(point, call, callee):
            return self._summarised(point, call, callee)
        if site.effects is None or (target is not None and target.procedures):
            return self._opaque(point, call, site)
        return self._library(point, call, site)

    def _is_part(self, argument: str) -> bool:
        """Whether an argument is the address of a member: who has it may find the whole."""
        node = self.instructions.scene.definitions.get(argument, ())
        return len(node) == 1 and isinstance(found := self.instructions.scene.nodes[node[0]], ir.AddressOf) and bool(found.field)

    def _is_concerned(self, point: Point, call: ir.Call, callee: Slice) -> bool:
        """Whether a callee can do anything to this heap."""
        if self.callees.watched[0] == callee.key or (call.dst in self.instructions.own.numbers and "*" in callee.scene.body.result):
            return True
        return any(
            value != NOBODY and before.heap.aliases[value] != BOTTOM for argument in call.args for before, value in self.instructions.value_of(point, argument)
        )

    def _summarised(self, point: Point, call: ir.Call, callee: Slice) -> list[Point]:
        boxed = next((argument for argument in call.args if argument in self.instructions.own.boxed), "")
        found: list[Point] = []
        for before, _ in self.instructions.value_of(point, boxed) if boxed else [(point, NOBODY)]:
            found += self._through(before, call, callee)
        return found

    def _through(self, point: Point, call: ir.Call, callee: Slice) -> Iterator[Point]:
        actuals = [SCRATCH_AT if argument in self.instructions.own.boxed else self.instructions.own.numbers.get(argument, NOBODY) for argument in call.args]
        given = sum({1 << number for number in actuals if number != NOBODY and point.heap.aliases[number] != BOTTOM})
        context = connected(point.heap, given)
        is_there = bool(context >> GHOST_AT & 1)
        carried = [number for number in members(context) if number != GHOST_AT]
        sources = [NOBODY] * len(callee.pointers) + carried
        foreign = stack = dead = 0
        for name, position in callee.scene.formals.items():
            if position < len(actuals) and name in callee.numbers:
                sources[callee.numbers[name]] = actuals[position]
                is_null = call.args[position] in ("=null", "=0")
                if (actuals[position] == NOBODY and not is_null) or (actuals[position] != NOBODY and point.foreign >> actuals[position] & 1):
                    foreign |= 1 << callee.numbers[name]
            elif name in callee.numbers:
                foreign |= 1 << callee.numbers[name]
        for place, number in enumerate(carried, len(callee.pointers)):
            foreign |= (point.foreign >> number & 1) << place
            stack |= (point.stack >> number & 1) << place
            dead |= ((point.dead | self.dead.get(self.node, 0)) >> number & 1) << place
        if is_there:
            sources[GHOST_AT] = GHOST_AT
        phase = point.phase if is_there or point.phase != HERE else APART
        pre = Point(renamed(point.heap, sources), foreign, phase, NOBODY, point.is_guess, point.is_found, stack, dead)
        summary = self.callees.summarise(callee, pre, self.depth + 1)
        self._report(point, summary, phase)
        for post in summary.posts:
            yield self._back(point, call, post, carried, len(callee.pointers), phase)

    def _report(self, point: Point, summary: Summary, phase: int) -> None:
        """What happened to the cell inside a callee."""
        for event in summary.events:
            if phase != NOT_YET or event.kind not in ("lost", "left"):
                self._heard(msgspec.structs.replace(event, node=self.node, born=point.born))

    def _back(self, point: Point, call: ir.Call, post: Point, carried: list[int], start: int, phase: int) -> Point:
        places = {number: start + place for place, number in enumerate(carried)}
        is_new = phase == NOT_YET and post.phase == HERE
        if phase == HERE or is_new:
            places[GHOST_AT] = GHOST_AT
        foreign = point.foreign
        if call.dst in self.instructions.own.numbers and call.dst not in self.instructions.own.aggregates:
            number = self.instructions.own.numbers[call.dst]
            places[number] = RESULT_AT
            foreign = foreign & ~(1 << number) | (post.foreign >> RESULT_AT & 1) << number
        born = point.born if not is_new else self.node if self.depth == 0 else NOBODY
        heap = returned(point.heap, post.heap, places)
        return Point(heap, foreign, HERE if is_new else point.phase, born, post.is_guess, post.is_found, point.stack, point.dead)

    def _opaque(self, point: Point, call: ir.Call, site: CallSite) -> Iterator[Point]:
        """A callee that is not looked into: it takes what it does anything to."""
        points = [point]
        exposed = {each.path[0]: each.policy for each in site.exposures}
        for argument in call.args:
            following = []
            for before in points:
                for after, value in self.instructions.value_of(before, argument):
                    if value == NOBODY or after.heap.aliases[value] == BOTTOM:
                        following.append(after)
                    elif exposed.get(argument) is Policy.DOUBT:
                        following.append(msgspec.structs.replace(after, is_guess=True))
                    elif argument in exposed or self._is_changed(argument, site) or self._is_address(argument):
                        given = self.instructions.surrendered(after, value)
                        if given is not None:
                            following.append(given)
                    else:
                        following.append(after)
            points = following
        for each in points:
            yield from self.instructions.assign(each, call.dst, "=?") if call.dst else [each]

    def _is_address(self, argument: str) -> bool:
        return argument in self.instructions.scene.addresses

    def _is_changed(self, argument: str, site: CallSite) -> bool:
        """Whether a callee of the repository does more than look at what an argument leads to."""
        if site.effects is None:
            return False
        roots = {root for root, actual in site.actuals.items() if actual == argument}
        transfers = any(each.entry and each.entry[0] in roots for each in site.effects.transfers)
        kept = any(path[0] in roots for path in (*site.effects.retains, *site.effects.writes))
        return transfers or kept or not site.effects.is_known or bool(site.effects.aliases)

    def _library(self, point: Point, call: ir.Call, site: CallSite) -> Iterator[Point]:
        """A call that a spec entry describes."""
        released = [move.entry for move in site.moves if any(outcome.fate == "released" for outcome in move.outcomes)]
        kept = [move.entry for move in site.moves if any(o.fate == "retained" or any(len(p) > 1 for p in o.paths) for o in move.outcomes)]
        points = list(self.instructions.given(point, [path[0] for path in kept if path not in released]))
        is_made = any(outcome.paths == (("$ret",),) for each in site.acquired for outcome in each.outcomes) and bool(call.dst)
        if released and is_made:
            for each in points:
                yield from self._moved(each, call, released[0])
            return
        for path in released:
            points = [after for before in points for after in self._freed(before, path)]
        if call.name in _COPYING:
            points = [after for before in points for after in self.instructions.given(before, call.args)]
        for each in points:
            if is_made:
                yield from self._made(each, call)
            elif site.aliases and call.dst:
                yield from self.instructions.assign(each, call.dst, site.aliases[0][0] if len(site.aliases[0]) == 1 else "=?")
            else:
                yield from self.instructions.assign(each, call.dst, "=?") if call.dst else [each]

    def _freed(self, point: Point, path: AccessPath) -> Iterator[Point]:
        if len(path) > 1:
            yield from self.instructions.given(point, path[:1])
            return
        for after, value in self.instructions.value_of(point, path[0]):
            if value == NOBODY:
                yield after
            elif self._is_used_later(after, path[0], value):
                self.instructions.escaped(after)
            else:
                yield msgspec.structs.replace(after, heap=heaps.release(after.heap, value).state)

    def _is_used_later(self, point: Point, name: str, number: int) -> bool:
        """Whether the watched cell lies in a member that the procedure names after the block is freed: another mistake."""
        scene = self.instructions.scene
        return point.phase == HERE and any(
            any(known > 0 and known >> GHOST_AT & 1 for known in point.heap.reached[number][place])
            and scene.is_loaded_after(self.node, (name, field))
            for field, place in self.instructions.fields.numbers.items()
        )

    def _moved(self, point: Point, call: ir.Call, path: AccessPath) -> Iterator[Point]:
        """`realloc`: what is in the block is in the new one; or nothing happens."""
        yield from self.instructions.assign(point, call.dst, "=null")
        if len(path) == 1:
            for after in self.instructions.assign(point, call.dst, path[0]):
                old = self.instructions.own.numbers.get(path[0], NOBODY)
                if old != NOBODY and path[0] != call.dst:
                    after = assigned(after, old, heaps.assign_null(after.heap, old).state, is_foreign=True)
                yield after

    def _made(self, point: Point, call: ir.Call) -> Iterator[Point]:
        """Rule 6; the allocation may fail, and may be the one that is watched."""
        name = SCRATCH if call.dst in self.instructions.own.boxed else call.dst
        number = self.instructions.own.numbers.get(name)
        if number is None:
            yield point
            return
        fresh = assigned(point, number, heaps.allocate(point.heap, number).state, is_foreign=False)
        found = [fresh]
        if (self.instructions.own.key, self.node) == self.callees.watched and point.phase == NOT_YET:
            heap = heaps.copy(fresh.heap, GHOST_AT, number).state
            born = self.node if self.depth == 0 else NOBODY
            found.append(msgspec.structs.replace(fresh, heap=heap, phase=HERE, born=born))
        for each in found:
            yield from self.instructions.assign(each, call.dst, SCRATCH) if name == SCRATCH else [each]
        yield from self.instructions.assign(point, call.dst, "=null")
