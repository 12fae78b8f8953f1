"""The flow function of a call: the summary edges of its callees, applied to one fact.

Tracker, section 2.3: formals take the place of actuals, the callee's outcomes come back in the caller's
paths. Outcomes that a callee is not sure of count only where it is sure of none. A release that throws is
taken to have released.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.access_path import CLOSED_WITH, WRAPPED, Paths
from analyzers.domains.conditions import is_compatible
from analyzers.domains.guard import TOP, Value
from analyzers.domains.obligation import CUT, DOUBTED, LEFT, PRESUMED, RELEASED, RETAINED, SETTLED, Fact
from analyzers.handles.c import answered
from analyzers.handles.c.allocators import OBJECT, sizes_of
from analyzers.handles.c.answered import answer, is_handed_up, is_meant, is_special, meet_all, opened
from analyzers.handles.c.cells import first_cells
from analyzers.handles.c.claims import is_claimed
from analyzers.handles.c.companions import left_along
from analyzers.handles.c.error_slots import told
from analyzers.handles.c.filled_places import filled_ways
from analyzers.handles.c.grown import is_grown
from analyzers.handles.c.left_open import DESCRIPTOR, is_for_itself, is_placed, refills, takes_a_place
from analyzers.handles.c.numbers_left import after_way, told_by
from analyzers.handles.c.only_ended import is_only_ended
from analyzers.handles.c.stored_through import is_stored_through
from analyzers.handles.c.taken_out import without_taker
from analyzers.handles.c.taken_over import lent_inside
from analyzers.handles.flows import After, Flow, Flows
from analyzers.handles.java.implied import RESOURCE as CLOSEABLE
from analyzers.handles.java.pooled import leaves_open
from analyzers.handles.java.refusals import spared
from analyzers.handles.members import MEMORY, Members
from analyzers.handles.names import Names
from analyzers.handles.overwriting import learned, left_in_result, overwritten, remaining, unreturned
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sinks import ExitKind
from analyzers.handles.sites import CallSite, Move
from analyzers.handles.stores import is_kept_deep
from analyzers.handles.unknown import Policy, is_taking
from analyzers.summaries import AccessPath, Certainty, Condition, Outcome, Transfer

_MOST_WAYS = 64
"""Ways in which one call may end that are told apart."""

_Returned = tuple[Fact, Value]
"""A fact after a call, and what is known of the call's result then."""


class _Ways(msgspec.Struct, frozen=True, gc=False):
    """The outcomes of a move on one way out of the call.

    certain   those that the callee is sure of
    rest      those that are taken where none of the certain ones can be what has happened
    """

    outcomes: list[Outcome]
    certain: list[Outcome]
    rest: list[Outcome]


def call_flow(flows: Flows, node: int, site: CallSite) -> Flow | None:
    """The flow function of a call; None where it does nothing to handles and guards."""
    call = flows.calls[node] = _CallFlow(flows, node, site)
    flows.notice(node, call.places())
    is_idle = not (call.changed or call.never or call.touched or call.asserted or call.saved)
    return None if is_idle and flows.is_quiet(node, site.call.dst or "%") else call.flow


def seeds(flows: Flows, node: int, site: CallSite, transfer: Transfer, fact: Fact) -> After:
    """The facts with which the obligation of an acquisition begins, given the zero fact at the call."""
    return (flows.calls.get(node) or _CallFlow(flows, node, site)).acquire(transfer, fact)


class _CallFlow:
    def __init__(self, flows: Flows, node: int, site: CallSite) -> None:
        self.flows = flows
        self.node = node
        self.site = site
        self.table = flows.table
        self.scene: Scene = flows.scene
        self.touched = tuple((name,) for name in site.touched if name in flows.scene.holders or name[:2] == "::")
        self.akin = flows.kinship.freed_with(site)
        self.overwritten = overwritten(flows.scene, site)
        self.touched = tuple(dict.fromkeys((*self.touched, *((path[0],) for path in (*self.akin, *(place for place, _ in self.overwritten))))))
        self._ways: dict[tuple[int, ExitKind], _Ways | None] = {}
        self._met: dict[Paths, tuple[bool, tuple[int, ...]]] = {}
        names = Names(flows, node, site.actuals)
        self._local = names.of
        self.members = Members(flows, node, site, names)
        self.dst = (site.call.dst,)
        self.raises = bool(self.scene.cfg.raised[node])
        self.saved = spared(self.scene, node, site) if self.raises else ()
        self.changed = self._address_taken() | flows.subjects.changed_by(site, node)
        self.leaves = (site.effects.leaves or filled_ways(self.scene, site)) if site.effects is not None and self.changed else ()
        self.result = meet_all(guard.MADE if self._is_making() else TOP, site.result)
        self.asserted = [each for each in site.result if each.path != RESULT and len(each.path) == 1]
        is_inner = site.effects is not None and bool(site.effects.inner) and not flows.scene.is_java
        self.may_miss = is_inner and flows.subjects.number(node, site.call.dst) is not None and flows.scene.is_tested(site.call.dst)
        self.never = site.effects is not None and site.effects.returns == "never"
        is_looked_at = flows.scene.is_java or flows.subjects.is_summary or flows.scene.is_tested(site.call.dst) or is_handed_up(flows.scene, site)
        is_used = not is_looked_at and not is_only_ended(flows.scene, flows.sites.sites, node)
        self.is_unchecked = is_used or (bool(site.moves) and site.is_library and is_stored_through(flows.scene, node, site.call))

    def _is_making(self) -> bool:
        """Whether the result is null, or a pointer to something new."""
        if self.scene.is_java or not self.site.is_library or not self.site.call.dst:
            return False
        return any(
            outcome.paths == (RESULT,) and any(each.path == RESULT and each.value == "=null" for each in outcome.when)
            for transfer in self.site.acquired for outcome in transfer.outcomes
        )

    def _address_taken(self) -> int:
        """The subjects that the callee may assign through an address that it is passed."""
        subjects = 0
        for argument in filter(self.scene.addresses.__contains__, self.site.call.args):
            subjects |= self.flows.subjects.at_address(self.scene.addresses[argument], self.node)
        return subjects

    def places(self) -> Iterator[AccessPath]:
        """The places such that a handle below them matters to the call, beside its result."""
        site = self.site
        yield from (move.entry for move in site.moves)
        yield from (exposure.path for exposure in site.exposures)
        yield from (*site.aliases, *self.akin, *self.saved)
        yield from (place for place, _ in self.overwritten)
        yield from ((site.actuals.get(each.path[0], ""),) for each in self.asserted)
        asked = {each.path[0] for case in self._cases() for each in case if each.path != RESULT}
        yield from ((actual,) for root in sorted(asked) if (actual := site.actuals.get(root, "")) and not ir.is_literal(actual))

    def flow(self, fact: Fact) -> After:
        """The facts after the call."""
        paths = fact[0]
        after: After = []
        met = self._met.get(paths)
        if met is None:
            met = self._met[paths] = self._meet(paths)
        if met[0]:
            self._touch(fact, met[1], after)
            return after
        if self.raises and not self._is_saved(paths):
            self.flows.throw(self.node, self._called(fact), after)
        self._return((fact, self._answer(fact)), paths, paths, after)
        return after

    def _cases(self) -> tuple[tuple[Condition, ...], ...]:
        return self.site.effects.cases if self.site.effects is not None and self.dst[0] else ()

    def _answer(self, fact: Fact) -> Value:
        if not (cases := self._cases()):
            return self.result
        actuals, inside = self.site.actuals, self.table.starting_with
        return answer(cases, self.result, lambda root: self._known(root, fact), lambda at: bool(fact[0] & inside((actuals.get(at[0], ""), *at[1:]))))

    def _known(self, root: str, fact: Fact) -> Value:
        actual = self.site.actuals.get(root, "")
        value = self.flows.reader(self.node, actual)(fact[0], fact[1])
        is_handle = self.flows.obligation.resource == DESCRIPTOR and fact[0] & self.table.exact((actual,)) and not self.scene.is_java
        return opened(value) if is_handle else value

    def _meet(self, paths: Paths) -> tuple[bool, tuple[int, ...]]:
        """Whether the call touches what some paths are rooted at, and its moves that are about one of them."""
        if not any(paths & self.table.starting_with(name) for name in self.touched):
            return False, ()
        return True, tuple(n for n, move in enumerate(self.site.moves) if paths & self.table.starting_with(move.entry))

    def _called(self, fact: Fact) -> Fact:
        """What a call takes from guards, however it ends."""
        paths, environment, marks = fact
        if environment and self.changed:
            environment = self.flows.environments.keep(environment, ~self.changed)
        return (paths, self.flows.subjects.zeroed(self.node, environment), marks)

    def _touch(self, fact: Fact, met: Sequence[int], after: After) -> None:
        returned: list[_Returned] = [(fact, self._answer(fact))]
        thrown: list[_Returned] = [(fact, TOP)]
        passed = fact[0]
        for number in met:
            if self._applies(self.site.moves[number], fact):
                passed = 0
                returned = self._few(dict.fromkeys(each for before in returned for each in self._move(before, number, "return")))
                if self.raises:
                    thrown = self._few(dict.fromkeys(each for before in thrown for each in self._move(before, number, "throw")))
        if any(fact[0] & self.table.starting_with(path) for path in self.akin):
            returned = [((0, each[1], each[2] | RELEASED) if not each[2] & SETTLED else each, result) for each, result in returned]
        returned = [(self._expose(each), result) for each, result in returned]
        for each, result in self._overwritten(returned):
            self._return((each, result), fact[0], passed, after)
        for each, _ in thrown if self.raises and not self._is_saved(fact[0]) else ():
            exposed = self._expose_to_exception(each)
            if self._goes_on(exposed):
                self.flows.throw(self.node, self._called(exposed), after)

    def _is_saved(self, paths: Paths) -> bool:
        return any(paths & self.table.starting_with(each) for each in self.saved)

    def _goes_on(self, fact: Fact) -> bool:
        """Whether there is anything left to learn about a handle that is settled."""
        is_kept = bool(fact[2] & RETAINED) and self.flows.subjects.is_summary and not self.scene.is_java
        return is_kept or not fact[2] & SETTLED or self.flows.is_entry

    def _return(
        self, returned: _Returned, before: Paths, passed: Paths, after: After, left: tuple[Condition, ...] = ()
    ) -> None:
        """Assign the result, which may be an alias of a path in `passed`, and go on to the successors with what the callee
        has left in places of the caller's."""
        if self.never or not self._goes_on(returned[0]):
            return
        ways = [(each, way) for way in self.leaves for each in self._conditioned(returned, told_by(way), "return")]
        for each, way in ways or [(returned, ())]:
            self._return_so(each, way, before, passed, after, left)

    def _return_so(
        self, returned: _Returned, way: tuple[Condition, ...], before: Paths, passed: Paths, after: After, left: tuple[Condition, ...]
    ) -> None:
        fact, value = returned
        asserted = self._asserted(self._called(fact), before)
        if asserted is None:
            return
        paths, environment, marks = asserted
        environment = after_way(self.scene, self.site, way, (fact[1], environment), self.flows.subjects)
        environment = learned(self.flows, self.site, environment, left)
        dst = self.dst[0]
        result = paths & self.table.starting_with(RESULT)
        if dst:
            kept = paths & ~self.table.starting_with(self.dst) & ~result
            if result:
                renamed, is_cut = self.table.rename(result, RESULT, self.dst)
                kept, marks = kept | renamed, marks | CUT * is_cut
            else:
                if self.may_miss and not marks & SETTLED and any(passed & self.table.starting_with(each) for each in self.site.aliases):
                    missed = self.flows.set_value(environment, dst, guard.ZERO)
                    self.flows.go(self.node, (kept, missed, marks), before, after)
                for alias in self.site.aliases:
                    renamed, is_cut = self.table.rename(passed & self.table.starting_with(alias), alias, self.dst)
                    if not marks & SETTLED:
                        kept, marks = kept | renamed, marks | CUT * is_cut
            paths = kept
            environment = self.flows.subjects.zeroed(self.node, self.flows.set_value(environment, dst, value))
            environment = learned(self.flows, self.site, environment, left_in_result(left))
        elif result:
            paths &= ~result
        self.flows.go(self.node, (paths, environment, marks), before, after)

    def _asserted(self, fact: Fact, before: Paths) -> Fact | None:
        """What a call makes sure of its arguments by returning (`assertNull`); None where it cannot return."""
        paths, environment, marks = fact
        for condition in self.asserted:
            actual = self.site.actuals.get(condition.path[0], "")
            if not actual or actual[:2] == '="':
                continue  # A text where a status is meant: another function has the name (`error("no room")`).
            refined = guard.refine(self.flows.reader(self.node, actual)(before, environment), condition.operator, guard.literal(condition.value))
            if refined is None:
                return None
            if not ir.is_literal(actual):
                environment = self.flows.refined(self.node, actual, environment, refined)
        return (paths, environment, marks)

    def _overwritten(self, returned: list[_Returned]) -> list[_Returned]:
        """The ways in which a call ends, those apart in which it fills a place of the caller's that holds the handle."""
        for place, outcome in self.overwritten:
            gone = self.table.starting_with(place)
            held = [each for each in returned if each[0][0] & gone and not each[0][2] & SETTLED]
            returned = [each for each in returned if each not in held]
            for (paths, environment, marks), result in held:
                if (left := remaining(result, outcome)) is not None:
                    returned.append(((paths, environment, marks), left))
                doubt = 0 if outcome.when else DOUBTED
                returned += self._conditioned(((paths & ~gone, environment, marks | doubt), result), outcome.when, "return")
        return returned

    # --- what happens to a handle that is passed

    def _few(self, ways: Iterable[_Returned]) -> list[_Returned]:
        """The ways in which a call ends; where each of many moves doubles them, without what tells them apart, and in doubt."""
        found = list(ways)
        if len(found) <= _MOST_WAYS:
            return found
        forget = self.flows.environments.keep
        return list(dict.fromkeys(((paths, forget(environment, 0), marks | DOUBTED), TOP) for (paths, environment, marks), _ in found))

    def _applies(self, move: Move, fact: Fact) -> bool:
        """Whether a move is about this handle."""
        made = self.flows.sites.sites.get(self.flows.obligation.node) if move.is_alone and not self.flows.is_entry else None
        found = fact[0] & (self.table.exact if made is not None and made.is_library else self.table.starting_with)(move.entry)
        if not found:
            return False
        resource = self.flows.obligation.resource
        if not move.resource or not resource or move.resource == resource or self._is_mistaken(move, fact[0]):
            return bool(resource) or not self.members.is_only_a_text(move)
        if any(found & self.table.starting_with((*move.entry, field)) for field in (WRAPPED, CLOSED_WITH)):
            return True
        return self.members.is_the_librarys(fact[0], move)

    def _is_mistaken(self, move: Move, paths: Paths) -> bool:
        """Whether memory goes back to another allocator, or as what it holds: a mistake perhaps, but not that it is forgotten.
        What is taken to be closed by its name may be a kind of object that ends otherwise."""
        if not paths & self.table.exact(move.entry) or any(outcome.fate != "released" for outcome in move.outcomes):
            return False
        resource = self.flows.obligation.resource
        if self.scene.is_java:
            return resource == CLOSEABLE
        return MEMORY in resource or resource == OBJECT or (MEMORY in move.resource and self.members.are_taken_out(move.entry))

    def _move(self, before: _Returned, number: int, exit_: ExitKind) -> Iterator[_Returned]:
        fact, move = before[0], self.site.moves[number]
        paths = fact[0]
        exact = paths & self.table.exact(move.entry)
        if fact[2] & SETTLED or not paths & self.table.starting_with(move.entry):
            yield before
            return
        if (number, exit_) not in self._ways:
            self._ways[number, exit_] = self._ways_out(move, exit_)
        ways = self._ways[number, exit_]
        if ways is None:
            yield before
            return
        meant = self._met_by(fact, self._believed([*ways.certain, *ways.rest] or ways.outcomes, move))
        met = [(each, list(self._conditioned(before, each.when, exit_))) for each in meant]
        taken = [outcome for outcome, after in met if after and not self._stays(outcome, move)]
        for outcome, after in met:
            if self._is_choice(outcome, move, taken):
                continue
            for conditioned in after:
                doubt = 0 if outcome in ways.certain else DOUBTED
                if self._is_left(outcome, move):
                    conditioned = (self._sized(conditioned[0]), conditioned[1])  # a block of no size is no failure
                if outcome.fate == "released" and not exact and self._is_often_kept(move):
                    (_, environment, marks), result = conditioned
                    yield (0, environment, marks | doubt | RETAINED), result
                else:
                    yield self._settle(conditioned, move, outcome, exact, doubt)

    def _met_by(self, fact: Fact, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes that store nothing through an argument that is null here, if there are any: the callee has tested it."""
        met = [each for each in outcomes if not any(self._is_through_null(fact, path) for path in each.paths)]
        return met or outcomes

    def _is_through_null(self, fact: Fact, path: AccessPath) -> bool:
        return len(path) > 1 and path[0] != RESULT[0] and self._known(path[0], fact) == guard.ZERO

    def _ways_out(self, move: Move, exit_: ExitKind) -> _Ways | None:
        """The outcomes of a move on one way out; None where it says nothing of that."""
        outcomes = [outcome for outcome in move.outcomes if outcome.exit == exit_]
        if not outcomes and exit_ == "throw":
            outcomes = [outcome for outcome in move.outcomes if outcome.fate == "released"]
        certain = [outcome for outcome in outcomes if outcome.certainty is Certainty.MUST]
        rest = [] if self.scene.is_java else [
            each for each in outcomes
            if each not in certain and not any(is_compatible(each.when, other.when) for other in certain)
        ]
        return _Ways(outcomes, certain, rest) if outcomes else None

    def _is_often_kept(self, move: Move) -> bool:
        """Whether a callee of the program's own, for reasons of its own, keeps an object or frees it: its members go with it."""
        is_kept = any(each.fate == "retained" or (each.fate == "held" and len(each.paths) > 1) for each in move.outcomes)
        return is_kept and not self.scene.is_java and not self.site.is_library

    def _believed(self, outcomes: list[Outcome], move: Move) -> list[Outcome]:
        """The outcomes without a failure to take the handle of which the caller makes nothing: it drops the result, or never
        looks at it. Of `q = realloc(p, n)` without a test of q the one that keeps p is left out: there the program is lost anyway."""
        is_dropped = not self.dst[0] and (not self.site.is_library or self.scene.is_java or is_placed(self.site, move))
        if not (is_dropped or self.is_unchecked):
            return outcomes
        taken = [outcome for outcome in outcomes if not self._is_left(outcome, move)]
        return taken or outcomes

    def _stays(self, outcome: Outcome, move: Move) -> bool:
        """Whether a callee leaves a handle where it is, and nowhere else."""
        is_there = outcome.fate == "held" and len(outcome.paths) == 1
        return is_there and any(move.entry in self._local(path) for path in outcome.paths)

    def _is_left(self, outcome: Outcome, move: Move) -> bool:
        """Whether a callee leaves a handle where it is, and says so by its result."""
        return self._stays(outcome, move) and any(condition.path == RESULT for condition in outcome.when)

    def _is_choice(self, outcome: Outcome, move: Move, taken: list[Outcome]) -> bool:
        """Whether a callee leaves a handle for the sake of another argument, of which the caller's value is not known,
        and takes it otherwise when it ends in the same way."""
        if not taken or not self._stays(outcome, move) or all(each.path == RESULT for each in outcome.when):
            return False
        result = tuple(each for each in outcome.when if each.path == RESULT)
        return any(is_compatible(result, tuple(c for c in each.when if c.path == RESULT)) for each in taken)

    def _conditioned(
        self, before: _Returned, when: tuple[Condition, ...], exit_: ExitKind
    ) -> Iterator[_Returned]:
        """The fact, if the conditions of an outcome can hold, with what they say."""
        (paths, environment, marks), result = before
        for condition in when:
            value = guard.literal(condition.value)
            if condition.path == RESULT:
                refined = guard.refine(result, condition.operator, value)
                if refined is None:
                    return
                result = refined
                continue
            actual = self.site.actuals.get(condition.path[0], "")
            if len(condition.path) > 1 or not actual:
                continue
            refined = guard.refine(
                self.flows.reader(self.node, actual)(paths, environment), condition.operator, value
            )
            if refined is None:
                return
            number = self.flows.environments.numbers.get((actual,))
            if number is not None:
                environment = self.flows.environments.assign(environment, number, refined)
        if exit_ == "return" or not when:
            yield (paths, environment, marks), result
        else:
            yield before

    def _settle(
        self, before: _Returned, move: Move, outcome: Outcome, exact: Paths, doubt: int
    ) -> _Returned:
        (paths, environment, marks), result = before
        entry = move.entry
        marks |= doubt
        match outcome.fate:
            case "held" if not self.dst[0] and is_placed(self.site, move) and not self._stays(outcome, move):
                return (0, environment, marks | RETAINED), result
            case "held":
                held, added = self._hold(paths, entry, outcome.paths, exact)
                is_doubtful = bool(paths) and move.is_kept and self._is_special(outcome, before[0])
                return (held, environment, marks | added | DOUBTED * is_doubtful), result
            case "released" if not exact and leaves_open(self.scene, entry, self.table.list(paths), self.flows.obligation.type):
                return (paths & ~self.table.starting_with(entry), environment, marks | DOUBTED | LEFT), result
            case "released" if exact or self.members.is_wrapped(paths, entry):
                return (0, environment, marks | RELEASED), result
            case "released" if self.members.is_deep(paths, entry) or self.members.is_seen_to(paths, entry):
                return (0, environment, marks | RELEASED), result
            case "released" if self.members.is_the_librarys(paths, move):
                return (0, environment, marks | RETAINED), result
            case "released":
                gone = self.table.starting_with(entry)
                for twin in self.flows.twins.objects(entry, self.node):
                    gone |= self.table.starting_with(twin)
                left = paths & ~gone | self.members.moved(paths, entry) | self.members.dangling(paths, entry)
                is_guess = self.site.effects is None and left != paths and not self.scene.is_java
                return (left, environment, marks | DOUBTED * is_guess), result
            case _:
                return (0, environment, marks | RETAINED | PRESUMED * outcome.is_presumed), result

    def _hold(
        self, paths: Paths, entry: AccessPath, targets: tuple[AccessPath, ...], exact: Paths
    ) -> tuple[Paths, int]:
        moved = paths & self.table.starting_with(entry)
        names = [(target, self._local(target)) for target in targets]
        left = paths
        is_place = len(entry) > 1 or any(self.scene.addresses.get(each) == entry for each in self.site.call.args)
        if is_place and all(name != entry for _, places in names for name in places):
            left &= ~moved
        marks, cut = 0, list[AccessPath]()
        for target, places in names:
            if not self.scene.is_java and len(target) == 1 and target[0][1:].isdigit() and entry not in places:
                marks |= RETAINED  # By the number of another argument: it is where the caller wants it.
            if places and not any(self._is_anchored(place) for place in places):
                marks |= RETAINED
            for place in places:
                renamed, is_cut = self.table.rename(moved, entry, place)
                left |= renamed
                cut.extend([place] * is_cut)
        marks |= CUT * bool(cut) | RETAINED * any(is_kept_deep(self.flows, moved, entry, place, left) for place in cut)
        return (0 if marks & RETAINED else left), marks

    def _is_anchored(self, place: AccessPath) -> bool:
        if (root := place[0])[:2] == "::":
            return False
        if len(place) == 1 or place[-1] == CLOSED_WITH or root == RESULT[0]:
            return True
        return self.flows.sharing.is_anchored_place(place, self.node)

    def _expose_to_exception(self, fact: Fact) -> Fact:
        """An unknown constructor that throws may have closed what it was to keep, if the procedure does not close it."""
        kept = [each for each in self.site.exposures if each.policy is Policy.ESCAPE]
        is_new = self.site.call.kind == "new" and not fact[2] & SETTLED
        if is_new and any(fact[0] & self.table.starting_with(exposure.path) for exposure in kept):
            return (0, fact[1], fact[2] | RETAINED)
        return self._expose(fact)

    def _expose(self, fact: Fact) -> Fact:
        paths, environment, marks = fact
        if marks & SETTLED:
            return fact
        for exposure in self.site.exposures:
            if paths & self.table.starting_with(exposure.path):
                if exposure.policy is Policy.ESCAPE or self._is_for_elements(paths, exposure.path):
                    return (0, environment, marks | RETAINED | PRESUMED * (not self.scene.is_java and not is_taking(self.site.call.name)))
                marks |= DOUBTED
                if self.site.may_wrap:
                    holder = RESULT if self.site.call.dst else (self.site.call.receiver,)
                    wrapped, _ = self.table.rename(paths, exposure.path, (*holder, WRAPPED))
                    paths |= wrapped
        return (paths, environment, marks)

    def _is_for_elements(self, paths: Paths, path: AccessPath) -> bool:
        """Whether somebody unknown gets a collection that nothing but its elements' names lead into: they are what it is about."""
        elements = self.table.starting_with((*path, "[]"))
        return self.scene.is_java and path != (self.site.call.receiver,) and not paths & ~elements & ~self.table.inside

    # --- what a call hands out

    def acquire(self, transfer: Transfer, fact: Fact) -> After:
        """The facts after the call, for one acquisition of it."""
        after: After = []
        is_its_own = self.site.is_library and ((not self.site.call.dst and takes_a_place(self.site, transfer)) or is_for_itself(self.scene, self.site.call))
        if is_its_own or is_claimed(self.scene, self.site.call, is_block=MEMORY in transfer.resource) or (transfer.resource == DESCRIPTOR and not self.scene.is_java and refills(self.scene, self.node, self.site.call)):
            return after
        held = [
            outcome for outcome in transfer.outcomes
            if outcome.fate == "held" and (not self.site.is_library or is_meant(outcome.when, lambda path: self._held_at(path, fact))) and not answered.is_ruled_out(self.site, outcome) and not (self.is_unchecked and answered.unthought(self.scene, self.site, outcome))
        ]
        if self.scene.is_java and not (self.scene.is_constructor and self.site.call.receiver == "this"):
            held = [outcome for outcome in held if outcome.exit != "throw" or (self.site.is_closed and not self.site.is_library)]
        is_lent = bool(lent_inside(self.scene, self.flows.sites.sites, self.site))
        for outcome in self._met_by(fact, held if self.scene.is_java or self.flows.subjects.is_summary else first_cells(held)):
            marks = 0
            is_left = self.site.is_closed and outcome.exit == "throw"  # by a callee that might have closed it itself
            if self.site.is_doubtful or is_left or outcome.certainty is not Certainty.MUST or is_lent or self._is_special(outcome, fact):
                marks = DOUBTED
            for (_, environment, _), result in self._conditioned((self._sized(fact), self.result), outcome.when, outcome.exit):
                places = [without_taker(self.scene, self.flows.sites.sites, self.node) or self._local(path) for path in outcome.paths]
                if not any(places) or not all(self.members.is_member(path) for path in outcome.paths):
                    continue
                if any(self.scene.outlives(name[0]) and not self.table.single(name) for names in places for name in names):
                    continue
                if self._is_handed_on(outcome, places):
                    continue
                if any(names and not self._may_own(path, names) for path, names in zip(outcome.paths, places, strict=True)):
                    continue
                paths = 0
                for names in places:
                    for name in names:
                        paths |= self.table.single(name)
                        for closer in self.flows.closers.get(name[0], ()) if name[-1] == CLOSED_WITH else ():
                            paths |= self.table.single((closer, CLOSED_WITH))
                if not paths & ~self.table.inside:
                    if self.site.effects is not None and not self.site.is_library and self.scene.is_java:
                        continue  # What a callee made ends with what it answers.
                    paths = 0
                begun = (paths, environment, marks)
                if outcome.exit == "throw":
                    self.flows.throw(self.node, self._called(begun), after)
                elif paths:
                    self._return((begun, result), paths, 0, after, (*told(self.scene, self.site, outcome), *left_along(self.scene, self.site, outcome)))
                else:
                    self.flows.go(self.node, begun, 1, after)
        return after

    def _is_handed_on(self, outcome: Outcome, places: list[tuple[AccessPath, ...]]) -> bool:
        """Whether a callee of C that hangs something in what it is passed has given that to somebody else on the same way."""
        if self.scene.is_java or self.site.is_library:
            return False
        for move in self.site.moves:
            if any(len(place) > 1 and place[:1] == move.entry for names in places for place in names):
                ways = [each for each in move.outcomes if each.exit == outcome.exit and is_compatible(each.when, outcome.when)]
                if ways and not any(each.fate == "released" or self._stays(unreturned(each), move) for each in ways):
                    return True
        return False

    def _is_special(self, outcome: Outcome, fact: Fact) -> bool:
        if self.scene.is_java or self.site.is_library:
            return False
        told = self.scene.formals if self.flows.subjects.is_summary else ()
        when = [each for each in outcome.when if self.site.actuals.get(each.path[0], "") not in told]
        return is_special(when, lambda root: self._known(root, fact))

    def _held_at(self, path: AccessPath, fact: Fact) -> Value | None:
        """What lies at a formal's place here; None where there is no argument."""
        actual = self.site.actuals.get(path[0], "")
        if len(path) == 1:
            return (guard.ZERO if is_grown(self.scene, self.flows.sites.sites, actual) else self._known(path[0], fact)) if actual else None
        target = self.scene.addresses.get(actual, ())
        return self.flows.reader(self.node, target[0])(fact[0], fact[1]) if len(target) == 1 else TOP

    def _sized(self, fact: Fact) -> Fact:
        """What a block that is had, or refused, says of the sizes that were asked for: none was zero."""
        paths, environment, marks = fact
        for actual in sizes_of(self.site) if not self.scene.is_java else ():
            if actual and not ir.is_literal(actual):
                value = guard.meet(self.flows.reader(self.node, actual)(paths, environment), guard.POSITIVE)
                environment = self.flows.refined(self.node, actual, environment, value or guard.POSITIVE)
        return paths, environment, marks

    def _may_own(self, path: AccessPath, names: tuple[AccessPath, ...]) -> bool:
        """Whether what a call hands out at a path is the caller's to answer for: not what a socket of somebody else's begins to hold when it is connected."""
        if path[-1] == CLOSED_WITH:
            return True
        is_passed = self.scene.is_java and len(path) == 1 and path[0][:1] == "$" and path[0] != RESULT[0]
        if is_passed or (path == ("this",) and self.site.call.kind != "new"):
            return any(self.flows.sharing.is_anchored(name[0], self.node) for name in names)
        return any(self._is_anchored(name) for name in names)
