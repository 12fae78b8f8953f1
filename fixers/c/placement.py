"""Which expressions may be released where, and where to do it: LeakFix, section III-C.

Analyses 1 and 2 are the data flow of «may be released before» and «may be released or used after»; analysis 3
finds at each point the expressions that hold nothing but what may go; analysis 4 chooses points so that no path
meets two. A loop body is a procedure of its own: where Algorithm 1 allows it, nothing about a site goes round the
loop's back edge. Besides the earliest points, the latest ones are found: the place beside the exit.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.summaries import Effects
from fixers.c.links import Objects, Place
from fixers.c.pointers import ANYTHING, INSIDE, Edge, Pointers
from fixers.c.points import MARK
from fixers.c.takeovers import is_conditional, takeovers
from fixers.paths.outcomes import grown
from fixers.paths.shape import regions
from fixers.paths.state import NEGATED


class Spot(msgspec.Struct, frozen=True):
    """A node at which an expression may be released.

    objects   all that the expression may hold there
    base      all that the pointer may hold whose field it is
    """

    node: int
    place: Place
    objects: Objects
    base: Objects = frozenset()


class Placement:
    """The four analyses over one function, for the sites that the fix is to release."""

    def __init__(
        self, facts: Facts, pointers: Pointers, wanted: Iterable[str], passing: frozenset[str] = frozenset()
    ) -> None:
        self.passing = sorted(passing)
        self.facts = facts
        self.pointers = pointers
        self.cfg = facts.cfg
        self.nodes = facts.linked.body.nodes
        self.sites = sorted(set(wanted))
        self._bit = {site: 1 << index for index, site in enumerate(self.sites)}
        self._told_bits: dict[Objects, int] = {}
        self.structs = regions(facts.linked)
        self.taken = {each.name for each in facts.linked.body.variables if each.is_address_taken}
        self.takeovers = takeovers(facts)
        self.pending: dict[int, int] = {}
        self.releases, self.uses = self._labels()
        self._settle_pending()
        self.kept = {edge: ~self._bits(sites) for edge, sites in pointers.cuts.items()}
        self.ends = {node: ~bits for node in self.cfg.order if (bits := self._ended(node))}
        self.renewed = {node: ~bits for node in self.cfg.order if (bits := self._renewed(node))}
        self._open: dict[int, list[tuple[Spot, list[str]]]] = {}
        self.before, self.undecided = self._forward()
        self.after, self.used = self._backward()

    # --- labels

    def _labels(self) -> tuple[dict[int, int], dict[int, int]]:
        """Per node the sites that it may release (or hand to somebody else), and those that it may use."""
        releases: dict[int, int] = {}
        uses: dict[int, int] = {}
        for node in self.cfg.order:
            released, used = self._label(node)
            if released:
                releases[node] = released
            if used | released:
                uses[node] = used | released
        return releases, uses

    def _bits(self, objects: Iterable[str]) -> int:
        known = self._told_bits.get(objects) if isinstance(objects, frozenset) else None
        if known is not None:
            return known
        bits = 0
        for each in objects:
            bits |= self._bit.get(each.lstrip(INSIDE), 0)
        if isinstance(objects, frozenset):
            self._told_bits[objects] = bits
        return bits

    def objects_of(self, bits: int) -> Objects:
        """The sites that some bits stand for."""
        return frozenset(site for site, bit in self._bit.items() if bit & bits)

    def _label(self, node: int) -> tuple[int, int]:
        state = self.pointers.before.get(node)
        if state is None:
            return 0, 0
        pointers = self.pointers
        match self.nodes[node]:
            case ir.Load(base=base):
                return 0, self._bits(pointers.value(state, base))
            case ir.LoadElement(base=base):
                return 0, self._bits(pointers.value(state, base))
            case ir.Store(base="", field=field) if field in self.passing:
                return 0, 0
            case ir.Store(base=base, src=src):
                used = self._bits(pointers.value(state, base))
                kept = self._bits(pointers.held(state, src)) if self._is_outside(state, base) else 0
                return kept, used
            case ir.StoreElement(base=base, src=src):
                return self._bits(pointers.held(state, src)), self._bits(pointers.value(state, base))
            case ir.Return(src=src):
                held = self._bits(pointers.held(state, src)) if src else 0
                return held, held
            case ir.Call() as call:
                return self._call(node, call)
            case ir.Branch(left=left, right=right):
                return 0, self._compared(state, (left, right))
            case ir.Op(operator=sign, operands=operands) if sign in NEGATED:
                return 0, self._compared(state, operands)
            case _:
                return 0, 0

    def _compared(self, state: dict[Place, Objects], operands: Iterable[str]) -> int:
        """A pointer that was released is compared no more; the number of a descriptor may be."""
        if self.pointers.failure != "NULL":
            return 0
        return self._bits(each for name in operands for each in self.pointers.value(state, name) if each[0] == "@")

    def _is_outside(self, state: dict[Place, Objects], base: str) -> bool:
        """Whether a store leaves the function's own storage."""
        if base in self.pointers.addresses or base in self.structs:
            return False
        objects = self.pointers.value(state, base)
        return ANYTHING in objects or not base

    def _call(self, node: int, call: ir.Call) -> tuple[int, int]:
        state = self.pointers.before[node]
        used = released = 0
        if self.passing and call.name != MARK and self._may_read_globals(node):
            for name in self.passing:
                used |= self._bits(state.get(("", name), ()))
        for index, argument in enumerate(call.args):
            if not argument or ir.is_literal(argument):
                continue
            for effects in self.facts.effects.get(node, ()):
                used |= self._used(effects, index, state, argument)
                released |= self._released(node, effects, index, argument)
        return released, used

    def _may_read_globals(self, node: int) -> bool:
        target = self.facts.linked.targets.get(node)
        is_known = all(effects.is_known for effects in self.facts.effects.get(node, ()))
        return target is None or bool(target.procedures) or not is_known

    def _used(self, effects: Effects, index: int, state: dict[Place, Objects], argument: str) -> int:
        """What a call may read: what it is given, and of its fields those that it is known to read."""
        if not effects.is_known:
            return self._bits(self.pointers.held(state, argument))
        bits = self._bits(self.pointers.value(state, argument))
        read = [path[1] for path in effects.reads if path[0] == f"${index}" and len(path) > 1]
        read += [t.entry[1] for t in effects.transfers if t.entry and t.entry[0] == f"${index}" and len(t.entry) > 1]
        cells = self.pointers.cells(state, argument) if read else ()
        if "?" in read:
            return bits | self._bits(self.pointers.below(state, frozenset[str]().union(*(state[place] for _, place in cells))))
        for field, place in cells:
            if field in read:
                bits |= self._bits(state[place])
        return bits

    def _released(self, node: int, effects: Effects, index: int, argument: str) -> int:
        bits, state, call = 0, self.pointers.before[node], self.nodes[node]
        if not isinstance(call, ir.Call):
            return 0
        for transfer in effects.transfers:
            if not transfer.entry or transfer.entry[0] != f"${index}":
                continue
            moved = [outcome for outcome in transfer.outcomes if outcome.fate in ("released", "retained")]
            kept = any(
                len(path) > 1 and path[0] != transfer.entry[0]
                for outcome in transfer.outcomes
                if outcome.fate == "held" and not self.pointers.own_places(call, outcome)
                for path in outcome.paths
            )
            if not moved and not kept:
                continue
            if transfer.entry in grown(effects) and self._is_held_there_alone(node, self.pointers.cell(argument, transfer.entry[1])):
                continue  # What it releases lies there no more: only the other block does.
            if len(transfer.entry) == 1:
                # What keeps an object may look into its members whenever it likes.
                found = self.pointers.value(state, argument)
                lies = self.pointers.addresses.get(argument, ())
                if len(lies) > 1 and any(outcome.fate == "retained" for outcome in moved):
                    found = found | self.pointers.value(state, lies[0])  # Who keeps a place inside of a block has the block.
            else:
                found = state.get(self.pointers.cell(argument, transfer.entry[1]), frozenset())
                if transfer.entry[1] == "[]" or (kept and transfer.entry[1] == "*"):
                    inner = (place for field, place in self.pointers.cells(state, argument) if field == "*" or field[0] == "[")
                    found = found.union(*(state[place] for place in inner))
            is_kept = kept or any(outcome.fate == "retained" for outcome in moved)
            taken = self._bits(self.pointers.below(state, found) if is_kept else found)
            bits |= taken
            if is_conditional(transfer, self.takeovers.get(node)):
                self.pending[node] = self.pending.get(node, 0) | taken
        return bits

    def _is_held_there_alone(self, node: int, cell: Place) -> bool:
        """Whether nothing that is looked at behind a node holds what lies in a cell, but the cell."""
        state = self.pointers.before[node]
        held = state.get(cell, frozenset())
        return all(
            place == cell or held.isdisjoint(objects)
            or (len(place) == 1 and place[0] not in self.taken and not self.facts.liveness.is_live_after(place[0], node))
            for place, objects in state.items()
        )

    def _settle_pending(self) -> None:
        """What only one call takes over on success is its affair; of two nobody would know which of them a test tells."""
        for node, bits in list(self.pending.items()):
            others = [bits for other, bits in self.pending.items() if other != node]
            own = bits & ~functools.reduce(operator.or_, others, 0)
            self.pending[node] = own
            self.releases[node] = self.releases.get(node, 0) & ~own

    def _ended(self, node: int) -> int:
        """The sites that an assignment loses: behind it nothing else holds what they allocated before."""
        state = self.pointers.before.get(node)
        target = self.pointers.filled(node) or assigned(self.nodes[node])
        if state is None or len(target) != 1:
            return 0
        bits = self._bits(state.get((target[0],), ()))
        for place, objects in state.items():
            if place[0] == target[0] and len(place) == 1:
                continue
            is_live = len(place) > 1 or place[0] in self.taken or self.facts.liveness.is_live_after(place[0], node)
            if is_live:
                bits &= ~self._bits(objects)
        return bits

    def _renewed(self, node: int) -> int:
        """The sites of a call that takes what it left there the last time, or leaves it there."""
        is_taken = bool(self.pointers.renewed(node)) or any(grown(each) for each in self.facts.effects.get(node, ()))
        return self._bits(self.pointers.sites_of((node,))) if is_taken else 0

    # --- analyses 1 and 2

    def _forward(self) -> tuple[dict[int, int], dict[int, int]]:
        """Per node the sites that may be released before it, and those of which a test has to tell."""
        before, undecided = dict.fromkeys(self.cfg.order, 0), dict.fromkeys(self.cfg.order, 0)
        changed = True
        while changed:
            changed = False
            for node in self.cfg.order:
                ended, renewed = self.ends.get(node, -1), self.renewed.get(node, -1)
                waiting = undecided[node] & ended
                out = ((before[node] & ended) | self.releases.get(node, 0)) & renewed
                for call, bits in self.pending.items():
                    if node in self.takeovers[call].lost and waiting & bits:
                        out, waiting = out | waiting & bits, waiting & ~bits
                waiting = (waiting | self.pending.get(node, 0)) & renewed
                for successor in self.cfg.successors[node]:
                    kept = self.kept.get((node, successor), -1)
                    taken, left = self._told(node, successor, waiting)
                    new, other = before[successor] | (out | taken) & kept, undecided[successor] | left & kept
                    if new != before[successor] or other != undecided[successor]:
                        before[successor], undecided[successor] = new, other
                        changed = True
        return before, undecided

    def _told(self, node: int, successor: int, waiting: int) -> tuple[int, int]:
        """Of what tests have to tell, what an edge shows to be taken over, and what it leaves open."""
        taken = 0
        for call, bits in self.pending.items() if waiting else ():
            answer = self.takeovers[call].told.get((node, successor))
            if answer is not None:
                # What the call makes of what it takes over is there: of both only the new one may be held.
                taken |= 0 if answer else waiting & bits & ~self._bits(self.pointers.sites_of((call,)))
                waiting &= ~bits
        return taken, waiting

    def _backward(self) -> tuple[dict[int, int], dict[int, int]]:
        """Per node the sites that may be released, and used, from it on."""
        released = dict.fromkeys(self.cfg.order, 0)
        used = dict.fromkeys(self.cfg.order, 0)
        changed = True
        while changed:
            changed = False
            for node in reversed(self.cfg.order):
                new_released, new_used = self.releases.get(node, 0) | self.pending.get(node, 0), self.uses.get(node, 0)
                ended = self.ends.get(node, -1)
                for successor in self.cfg.successors[node]:
                    kept = self.kept.get((node, successor), -1) & ended
                    new_released |= released[successor] & kept
                    new_used |= used[successor] & kept
                if new_released != released[node] or new_used != used[node]:
                    released[node], used[node] = new_released, new_used
                    changed = True
        return released, used

    # --- analysis 3

    def spots(self, nodes: Iterable[int], allowed: Objects) -> dict[Place, list[Spot]]:
        """Per expression the nodes where it may be released: it holds sites that may go there and else only
        what is `allowed` (null, storage that a guard excludes)."""
        found: dict[Place, list[Spot]] = {}
        for node in nodes:
            if node not in self._open:
                self._open[node] = self._spots(node)
            for spot, others in self._open[node]:
                if all(_is_allowed(each, allowed) for each in others):
                    found.setdefault(spot.place, []).append(spot)
        return found

    def _spots(self, node: int) -> list[tuple[Spot, list[str]]]:
        """The places that may be released at a node, each with what else they may hold there."""
        found: list[tuple[Spot, list[str]]] = []
        state = self.pointers.before.get(node)
        if state is None:
            return found
        blocked = self.before[node] | self.undecided[node] | self.after[node] | self.used[node]
        wanted = sorted(place for place, objects in state.items() if "%" not in place[0] and not self._bit.keys().isdisjoint(objects))
        for place in wanted:
            objects = state[place]
            held = [each for each in objects if each in self._bit]
            above = state.get((place[0],), frozenset()) if len(place) > 1 else frozenset()
            if self._bits(held) & blocked or self._bits(above) & self.before[node]:
                continue
            if not self.renewing.isdisjoint(held) and self._is_elsewhere(node, place, self.renewing.intersection(held)):
                continue
            found.append((Spot(node, place, objects, above), [each for each in objects if each not in self._bit]))
        return found

    @functools.cached_property
    def renewing(self) -> frozenset[str]:
        """The sites of calls that take over what they made in a turn before (`realloc`): an old block bears the name of the new one."""
        return frozenset(site for node, bits in self.pending.items() for site in self.pointers.sites_of((node,)) if self._bit.get(site, 0) & bits)

    def _is_elsewhere(self, node: int, place: Place, sites: Objects) -> bool:
        """Whether another variable that is still read holds one of some sites: it has the new block."""
        return any(
            len(other) == 1 and other != place and other[0][0] != "%" and not sites.isdisjoint(objects)
            and self.facts.liveness.is_live_after(other[0], node)
            for other, objects in self.pointers.before[node].items()
        )

    # --- analysis 4

    def earliest(self, spots: list[Spot]) -> list[Spot]:
        """Algorithm 2: forwards, a point is taken where nothing was released on any way to it."""
        return self._choose(spots, self.cfg.order, self.cfg.predecessors, forwards=True)

    def latest(self, spots: list[Spot]) -> list[Spot]:
        """The same backwards: a point is taken where nothing is released on any way from it."""
        return self._choose(spots, self.cfg.order[::-1], self.cfg.successors, forwards=False)

    def _choose(
        self, spots: list[Spot], order: list[int], sources: tuple[tuple[int, ...], ...], *, forwards: bool
    ) -> list[Spot]:
        at = {spot.node: spot for spot in spots}
        freed = dict.fromkeys(order, 0)
        chosen: dict[int, bool] = {}
        changed = True
        rounds = 0
        while changed and rounds < len(order) + 2:
            changed = False
            rounds += 1
            for node in order:
                incoming = 0
                for source in sources[node]:
                    edge = (source, node) if forwards else (node, source)
                    incoming |= freed.get(source, 0) & self.kept.get(edge, -1)
                bits = self._bits(at[node].objects) if node in at else 0
                chosen[node] = bool(bits) and not incoming & bits
                out = (incoming & self.ends.get(node, -1)) | bits
                if out != freed[node]:
                    freed[node] = out
                    changed = True
        return [at[node] for node in sorted(at) if chosen.get(node)]


    # --- does it suffice

    def still_leaks(self, chosen: Iterable[Spot], site: str) -> bool:
        """Whether a path from an allocation to an exit meets neither a release nor a chosen point.

        Where a branch leaves nothing that holds the site, the allocation had failed.
        """
        freed = {spot.node: self._bits(spot.objects) for spot in chosen}
        bit, wanted = self._bit[site], self.pointers.sites[site]
        seen = set()
        work = [(node, 0) for node in self.cfg.successors[wanted]]
        while work:
            node, waiting = work.pop()
            if (node, waiting) in seen:
                continue
            seen.add((node, waiting))
            if node in (ir.EXIT, ir.RAISE):
                if not waiting:
                    return True
                continue
            if (freed.get(node, 0) | self.releases.get(node, 0)) & bit or node == wanted:
                continue
            if waiting and any(node in each.lost for each in self.takeovers.values()):
                continue
            waiting |= self.pending.get(node, 0) & bit
            for each in self.cfg.successors[node]:
                taken, left = self._told(node, each, waiting)
                if not taken and self._may_hold(node, each, bit):
                    work.append((each, left))
        return False

    def _may_hold(self, node: int, successor: int, bit: int) -> bool:
        if not isinstance(self.nodes[node], ir.Branch):
            return True
        here, there = self.pointers.before.get(node, {}), self.pointers.before.get(successor, {})
        held, kept = (
            any(self._bits(objects) & bit for place, objects in state.items() if "%" not in place[0])
            for state in (here, there)
        )
        return kept or not held


def _is_allowed(each: str, allowed: Objects) -> bool:
    return each in allowed or (each[0] == "&" and "&" in allowed)




def loop_cuts(facts: Facts, pointers: Pointers, sites: Iterable[str], *, is_each_turn_new: bool = False) -> dict[Edge, Objects]:
    """Per back edge the sites of its loop that pass Algorithm 1: nothing that holds them at the end of a turn is
    still read behind it (fields and what has its address taken count as read). `is_each_turn_new`: all of them, as if no turn
    had to do with what the turns before have stored; only the proof can tell whether that is so."""
    found: dict[Edge, set[str]] = {}
    nodes = facts.linked.body.nodes
    taken = {each.name for each in facts.linked.body.variables if each.is_address_taken}
    for site in sites:
        for loop in facts.linked.body.loops:
            if not _is_inside(nodes[pointers.sites[site]], loop):
                continue
            sources = [each for each in facts.cfg.predecessors[loop.header] if _is_inside(nodes[each], loop)]
            if is_each_turn_new or not any(_survives(facts, pointers, site, each, loop.header, taken) for each in sources):
                for source in sources:
                    found.setdefault((source, loop.header), set()).add(site)
    return {edge: frozenset(each) for edge, each in found.items()}


def _is_inside(node: ir.Instruction, loop: ir.Loop) -> bool:
    return loop.start <= node.start and node.end <= loop.end


def _survives(facts: Facts, pointers: Pointers, site: str, source: int, header: int, taken: set[str]) -> bool:
    for place, objects in pointers.after(source).items():
        is_live = len(place) > 1 or place[0] in taken or facts.liveness.is_live_before(place[0], header)
        if is_live and "%" not in place[0] and any(each.lstrip(INSIDE) == site for each in objects):
            return True
    return False
