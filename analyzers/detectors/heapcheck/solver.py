"""Algorithm 2: sets of abstract heaps to a fixpoint, procedure by procedure, each callee once per precondition.

Dong, Wang, Chen, section IV. One cell is watched per run: the block of one allocation, one instance of it at a time, through a
pointer of its own that keeps nothing alive; it is lost where no other pointer leads to it any more. Up to eight states
are kept per node; further ones are joined, and tell nothing certain. What the slice does not model takes what it is given: then
the cell has escaped.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from analyzers import ir
from analyzers.detectors.heapcheck.calls import Calls
from analyzers.detectors.heapcheck.instructions import Fields, Instructions
from analyzers.detectors.heapcheck.points import (
    GHOST_AT,
    HERE,
    RESULT_AT,
    Bounds,
    Event,
    Point,
    Spent,
    Summary,
    joined,
    plain,
    without,
)
from analyzers.detectors.heapcheck.slices import RESULT, Slice
from analyzers.domains import heap_statements as heaps
from analyzers.domains.pointer_structure import BOTTOM, Draft, Frame, empty
from analyzers.graphs import liveness
from analyzers.handles.moves import identity
from analyzers.queries import ProcedureKey

MAX_STATES = 8
"""States that are kept at a node before they are joined."""

_WIDE = 4000
"""Distances in a state from which on a step counts for more than one."""


class Solver:
    """Solves for one watched allocation: (procedure, node)."""

    def __init__(self, slices: Mapping[ProcedureKey, Slice], watched: tuple[ProcedureKey, int], bounds: Bounds) -> None:
        self.slices = slices
        self.watched = watched
        self.bounds = bounds
        self.fields = Fields(field for each in slices.values() for field in each.fields)
        self.steps = 0
        self._table: dict[tuple[ProcedureKey, Point], Summary] = {}
        self._open: set[tuple[ProcedureKey, Point]] = set()

    def solve(self, key: ProcedureKey) -> Summary:
        """What becomes of the cell in a procedure that is called with everything foreign."""
        while True:
            before = len(self.fields.mixed)
            self._table.clear()
            each = self.slices[key]
            heap = empty(Frame(each.pointers, tuple(self.fields.numbers), self.bounds.distance))
            foreign = 0
            for name in each.scene.formals:
                foreign |= 1 << each.numbers[name] if name in each.numbers else 0
            summary = _Level(self, each, 0).run(Point(heap, foreign))
            if len(self.fields.mixed) == before:
                return summary

    def summarise(self, each: Slice, pre: Point, depth: int) -> Summary:
        """The summary of a callee; nothing comes back from a call that is already under way."""
        at = (each.key, pre)
        if at in self._open:
            return Summary((), ())
        known = self._table.get(at) if self.bounds.is_summarising else None
        if known is None:
            self._open.add(at)
            try:
                known = _Level(self, each, depth).run(pre)
            finally:
                self._open.discard(at)
            if not self._open:
                self._table[at] = known
        return known

    def count(self, weight: int) -> None:
        """One more step, of so much weight."""
        self.steps += weight
        if self.steps > self.bounds.steps:
            raise Spent


class _Level:
    """One procedure under one precondition."""

    def __init__(self, solver: Solver, own: Slice, depth: int) -> None:
        self.solver = solver
        self.own = own
        self.scene = own.scene
        self.depth = depth
        self.events: dict[Event, None] = {}
        self.node = ir.ENTRY
        self.weight = 1 + len(own.pointers) * len(solver.fields.numbers) * solver.bounds.distance // _WIDE
        self.unread, self.dead = _dead(own)
        self.instructions = Instructions(own, solver.fields, lambda point: self._tell("escaped", point))
        self.calls = Calls(self.instructions, solver, depth, self.dead, self._heard)

    def run(self, pre: Point) -> Summary:
        """The fixpoint over the nodes in reverse post-order."""
        cfg = self.scene.cfg
        reached: dict[int, dict[Point, None]] = {ir.ENTRY: {pre: None}}
        waiting = [(cfg.position[ir.ENTRY], ir.ENTRY, 0, pre)]
        posts: dict[Point, None] = {}
        count = 0
        while waiting:
            _, node, _, point = heapq.heappop(waiting)
            self.node = node
            for successor, after in self._step(node, point):
                self.solver.count(self.weight)
                if successor == ir.EXIT:
                    posts[self._left(after)] = None
                    continue
                known = reached.setdefault(successor, {})
                if after in known:
                    continue
                if len(known) >= MAX_STATES:
                    after = joined(known, after)
                    if after in known:
                        continue
                known[after] = None
                count += 1
                heapq.heappush(waiting, (cfg.position[successor], successor, count, after))
        return Summary(tuple(each for each in posts if each.phase != HERE or each.heap.aliases[GHOST_AT] != BOTTOM), tuple(self.events))

    def _left(self, point: Point) -> Point:
        """What is left at the exit: all that is the procedure's own goes."""
        draft = Draft(point.heap)
        draft.forget(sum(1 << number for number in range(len(self.own.pointers)) if number not in (RESULT_AT, GHOST_AT)))
        foreign = point.foreign & (1 << RESULT_AT | -1 << len(self.own.pointers))
        after = msgspec.structs.replace(point, heap=draft.plain(), foreign=foreign)
        if self._is_lost(after, 0):
            self._tell("left", after)
            return msgspec.structs.replace(after, heap=without(after.heap, 1 << GHOST_AT))
        return after

    # --- what becomes of the cell

    def _is_lost(self, point: Point, dead: int) -> bool:
        """Whether only pointers that nobody reads lead to the cell, if any."""
        if point.phase != HERE or point.heap.aliases[GHOST_AT] == BOTTOM:
            return False
        return not heaps.holders(point.heap, GHOST_AT) & ~(dead | point.dead)

    def _is_left(self, point: Point, successor: int) -> bool:
        """Whether the cell goes because a variable was read for the last time."""
        is_left = successor != ir.EXIT and self._is_lost(point, self.unread.get(successor, 0))
        if is_left:
            self._tell("left", point)
        return is_left

    def _tell(self, kind: str, point: Point) -> None:
        inner = (self.own.key, self.node) if self.depth else None
        self.events[Event(kind, self.node, point.born, point.is_guess, point.is_found, inner)] = None

    def _heard(self, event: Event) -> None:
        self.events[event] = None

    def _decided(self, points: Iterable[Point]) -> Iterator[Point]:
        """The points in which the cell is still to be followed."""
        for point in points:
            if point.phase == HERE and point.heap.aliases[GHOST_AT] == BOTTOM:
                self._tell("released", point)
            elif self._is_lost(point, self.dead.get(self.node, 0)):
                self._tell("lost", point)
            else:
                yield point

    def _step(self, node: int, point: Point) -> list[tuple[int, Point]]:
        instruction = self.scene.nodes[node]
        successors = self.scene.cfg.normal[node]
        if isinstance(instruction, ir.Branch) and len(successors) == 2:
            return [
                (successor, point) for successor, side in zip(successors, (True, False), strict=True)
                if self._is_open(instruction, point, side) and not self._is_left(point, successor)
            ]
        kept = list(self._decided(plain(each) for each in self._after(instruction, point)))
        return [(successor, after) for successor in successors for after in kept if not self._is_left(after, successor)]

    def _is_open(self, branch: ir.Branch, point: Point, side: bool) -> bool:
        """Whether a side of a test for null can be taken."""
        if branch.operator == "true":
            is_null_side = not side
        elif branch.operator in ("==", "!=") and branch.right in ("=null", "=0"):
            is_null_side = side == (branch.operator == "==")
        else:
            return True
        known = self.instructions.nullness(branch.left, point)
        return known is None or known == is_null_side

    def _after(self, instruction: ir.Instruction, point: Point) -> Iterable[Point]:
        match instruction:
            case ir.Entry():
                return [self.instructions.entered(point)]
            case ir.Copy(dst=dst, src=src):
                return self.instructions.assign(point, dst, src)
            case ir.Op(dst=dst):
                return self.instructions.assign(point, dst, identity(instruction) or "=?")
            case ir.Load(dst=dst, base=base, field=field):
                return self.instructions.load(point, dst, base, field)
            case ir.LoadElement(dst=dst) | ir.Alloc(dst=dst):
                return self.instructions.assign(point, dst, "=?")
            case ir.Store(base=base, field=field, src=src):
                return self.instructions.store(point, base, field, src)
            case ir.StoreElement(src=src):
                return self.instructions.given(point, (src,))
            case ir.AddressOf(dst=dst, base=base, field=""):
                name = f"&{base}" if base in self.own.boxed else base if base in self.own.aggregates else "=?"
                return self.instructions.assign(point, dst, name)
            case ir.AddressOf(dst=dst, base=base, field=field):
                self.instructions.inner(base, field)
                return self.instructions.assign(point, dst, base or "=?")
            case ir.Call():
                return self.calls.call(self.node, point, instruction)
            case ir.Return(src=src) if src:
                return self.instructions.assign(point, RESULT, src)
            case ir.ScopeEnd(variables=names):
                for name in names:
                    point = self.instructions.ended(point, name)
                return [point]
            case ir.Havoc(variables=names):
                return [self.instructions.assigned_from(each, name, "=?") for each in self.instructions.given(point, names) for name in names[:1]] or [point]
            case _:
                return [point]


def _dead(own: Slice) -> tuple[dict[int, int], dict[int, int]]:
    """Per node the variables that nobody reads from its beginning on, and of those the ones that it does not assign to be read."""
    scene = own.scene
    names = tuple(name for name in own.pointers if name in scene.variables and name not in own.aggregates)
    live = liveness.solve(scene.nodes, scene.cfg, names)
    before: dict[int, int] = {}
    during: dict[int, int] = {}
    for node in scene.cfg.order:
        before[node] = sum(1 << own.numbers[name] for name in names if not live.before[node] & live.bits[name])
        during[node] = before[node] & ~sum(1 << own.numbers[name] for name in names if live.after[node] & live.bits[name])
    return before, during
