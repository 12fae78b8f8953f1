"""The handles of one procedure: which there are, and what becomes of each.

One run of the solver per obligation, from its acquisition (or from the entry, for what the caller passes)
to the exits. The zero fact, which carries guards only, is solved first and joined where paths meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import NOTHING, Environment
from analyzers.domains.guard import NON_ZERO, POSITIVE, Value
from analyzers.domains.obligation import GUARDS_ONLY, JOINED, SETTLED, UNSURE, Fact, Limits, Obligation
from analyzers.handles.branches import branch_flow
from analyzers.handles.c.bits import masked
from analyzers.handles.c.claims import given_up
from analyzers.handles.c.counting import counted_flow, counts
from analyzers.handles.c.empty_texts import doubted_if_empty
from analyzers.handles.c.given_with_its_end import handed_over
from analyzers.handles.c.insides import address_stored
from analyzers.handles.c.left_open import DESCRIPTOR
from analyzers.handles.c.null_pointers import through_pointer
from analyzers.handles.c.passing_globals import passing_globals
from analyzers.handles.c.set_again import looked_at, set_again
from analyzers.handles.c.struct_copies import is_struct, struct_loaded, struct_stored
from analyzers.handles.c.taken_out import taken_out
from analyzers.handles.c.told_if_wanted import told_if_wanted
from analyzers.handles.callees import CallSites
from analyzers.handles.calls import call_flow, seeds
from analyzers.handles.flows import Flow, Flows
from analyzers.handles.leaps import Leaps
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sharing import Sharing
from analyzers.handles.sinks import ExitKind, LossKind
from analyzers.handles.sites import CallSite
from analyzers.handles.stores import store_flow
from analyzers.handles.subjects import Subjects
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.solvers.dataflow import solve_forward
from analyzers.solvers.ifds import Crowding, Trace, shortcuts, tabulate
from analyzers.summaries import AccessPath, Certainty, Transfer


class Loss(msgspec.Struct, frozen=True):
    """Where the last path went: after `node`, by leaving the procedure ("return", "throw"), by its exception
    ("raised") or in the midst of it (empty)."""

    node: int
    exit: str
    fact: Fact


class Departure(msgspec.Struct, frozen=True):
    """A fact at an exit; its paths are those that the caller can name."""

    node: int
    exit: ExitKind
    fact: Fact


DEEP = 3
"""Length of the entries from which on less is spent: a member of a member matters to few callers."""

Seed = tuple[int, Fact]


class Run:
    """What becomes of one obligation: a `flows.Sink`."""

    def __init__(self, obligation: Obligation) -> None:
        self.obligation = obligation
        self.losses: list[Loss] = []
        self.departures: list[Departure] = []
        self.is_complete = True
        self.begun: list[Seed] = []

    def lose(self, node: int, kind: LossKind, fact: Fact) -> None:
        """See `flows.Sink`."""
        self.losses.append(Loss(node, kind, fact))

    def leave(self, node: int, kind: ExitKind, fact: Fact) -> None:
        """See `flows.Sink`."""
        if fact[0] or fact[2] & (SETTLED | GUARDS_ONLY):
            self.departures.append(Departure(node, kind, fact))
        else:
            self.losses.append(Loss(node, kind, fact))


class Handles:
    """The handles of one procedure. `is_summary`: outcomes are wanted with their conditions, for callers."""

    def __init__(self, linked: Linked, queries: Queries, limits: Limits, *, is_summary: bool) -> None:
        self.limits = limits
        self.scene = Scene(linked, queries, limits)
        self.scene.is_summary = is_summary
        self.sites = CallSites(self.scene)
        self.is_acquiring = any(site.acquired for site in self.sites.sites.values())
        self._is_summary = is_summary
        self._flows: Flows | None = None
        self._shortcuts: list[int] = []
        self._leaps: Leaps | None = None
        self._zero: dict[int, Environment] | None = None
        self._around: dict[tuple[frozenset[int], str], Run] = {}
        self._behind: dict[tuple[int, Environment], dict[int, Environment]] = {}
        self._ways: dict[int, dict[Environment, None]] | None = None

    @property
    def flows(self) -> Flows:
        """The flow functions, compiled when first needed."""
        if self._flows is None:
            scene = self.scene
            if not self._is_summary and not scene.is_java:
                scene.passing = self.find_passing()
                scene.set_again = set_again(scene, self.sites) - scene.passing
            subjects = Subjects(scene, self.sites, is_summary=self._is_summary)
            self._flows = flows = Flows(scene, subjects, Sharing(scene, self.sites), self.sites)
            for node in scene.cfg.order:
                match scene.nodes[node]:
                    case ir.Branch() as branch:
                        flows.functions[node] = told_if_wanted(flows, node, branch, doubted_if_empty(flows, self.sites.sites, node, branch, branch_flow(flows, node, branch)))
                    case ir.Call():
                        site = self.sites.sites[node]
                        flows.functions[node] = given_up(flows, node, site.call, handed_over(flows, node, looked_at(flows, node, site, call_flow(flows, node, site))))
                    case ir.Load(dst=dst, field="*") as load if is_struct(scene, dst):
                        flows.functions[node] = struct_loaded(flows, node, load)
                    case ir.Store(src=src, field="*") as store if is_struct(scene, src):
                        flows.functions[node] = struct_stored(flows, node, store)
                    case ir.Store() | ir.StoreElement() as store:
                        stored = handed_over(flows, node, masked(flows.environments, flows.subjects.bits.get(node), store_flow(flows, node, store)))
                        flows.functions[node] = address_stored(flows, node, store, through_pointer(flows, node, store.base, stored))
            for node, (variable, way) in counts(scene, self.sites).items():
                flows.functions[node] = counted_flow(flows, node, variable, way, flows.functions[node])
            self._shortcuts = shortcuts(scene.cfg, flows.functions)
            self._leaps = Leaps(flows, self._shortcuts)
        return self._flows

    def find_passing(self) -> frozenset[str]:
        """The globals of C that only pass on what this procedure makes."""
        return passing_globals(self.scene, self.sites, self._only_borrows)

    def _only_borrows(self, key: ProcedureKey, name: str) -> bool:
        """Whether a procedure that reads a global does nothing to what it holds."""
        linked = self.scene.queries.linked(key)
        if linked is None:
            return False
        run = Handles(linked, self.scene.queries, self.limits, is_summary=True).run_passed((f"::{name}",))
        is_sure = all(not departure.fact[2] & (SETTLED | UNSURE) for departure in run.departures)
        return run.is_complete and not run.losses and bool(run.departures) and is_sure

    def end(self) -> None:
        """Let go of the flow functions: they and what made them hold each other, and would have to be collected."""
        if self._flows is not None:
            self._flows.end()
        self._leaps = None

    @property
    def zero(self) -> dict[int, Environment]:
        """Per reachable node what is known of scalars when it begins."""
        if self._zero is None:
            flows = self.flows
            flows.begin(Obligation("", ""), Run(Obligation("", "")))
            self._zero = solve_forward(
                self.scene.cfg, {ir.ENTRY: self._at_entry()}, self._zero_transfer, flows.environments.join
            )
        return self._zero

    def _at_entry(self) -> Environment:
        """Constants are what they are; the fields of an object under construction are null, zero and false, and no error is told yet."""
        environments, environment = self.flows.environments, self._fixed()
        for number in self.flows.subjects.unset:
            environment = environments.assign(environment, number, guard.ZERO)
        if self.scene.is_java and self.scene.is_constructor:
            for number, subject in enumerate(environments.subjects):
                if subject[0] == "this" and len(subject) == 2:
                    environment = environments.assign(environment, number, guard.ZERO)
        return environment

    def _fixed(self) -> Environment:
        environment = NOTHING
        for number, value in self.flows.subjects.fixed.items():
            environment = self.flows.environments.assign(environment, number, value)
        return environment

    def results(self) -> Run:
        """The zero fact at the exits: what is known of scalars there."""
        return self._at_exits(self.zero)

    def ways_out(self, given: Iterable[int]) -> list[Departure]:
        """What is known of scalars at the exits, by the ways that lead there; of some subjects whether they are what they were."""
        environment = self._at_entry()
        for number in given:
            environment = self.flows.environments.assign(environment, number, guard.GIVEN)
        run = Run(Obligation("", ""))
        self.flows.begin(run.obligation, run)
        run.begun = [(ir.ENTRY, (0, environment, GUARDS_ONLY))]
        self._tabulate(run, self._full, None, self.limits.steps)
        return [each for each in run.departures if each.exit == "return"] if run.is_complete else []

    def results_around(self, avoided: frozenset[int], resource: str) -> Run:
        """The same for the paths that do not go through certain nodes, or go through them where these acquire nothing of a resource and say so."""
        if (avoided, resource) not in self._around:
            flows = self.flows
            flows.begin(Obligation("", ""), Run(Obligation("", "")))
            zero = solve_forward(
                self.scene.cfg, {ir.ENTRY: self._at_entry()},
                lambda node, environment: self._without(node, environment, resource) if node in avoided else self._zero_transfer(node, environment),
                flows.environments.join,
            )
            self._around[avoided, resource] = self._at_exits({node: each for node, each in zero.items() if node not in avoided})
        return self._around[avoided, resource]

    def _without(self, node: int, environment: Environment, resource: str) -> dict[int, Environment]:
        """What is known behind a call of C that acquires something only with certain results (`if (!work(&error))`), given that it does not."""
        site, environments = self.sites.sites[node], self.flows.environments
        outcomes = [each for transfer in site.acquired if transfer.resource == resource for each in transfer.outcomes]
        number = environments.numbers.get((site.call.dst,)) if site.call.dst and not self.scene.is_java else None
        if number is None or not outcomes or any(RESULT in each.paths or [told.path for told in each.when] != [RESULT] for each in outcomes):
            return {}
        found: dict[int, Environment] = {}
        for successor, behind in self._zero_transfer(node, environment).items():
            value: Value | None = environments.value(behind, number)
            for told in (each.when[0] for each in outcomes):
                value = None if value is None else guard.refine(value, guard.NEGATED[told.operator], guard.literal(told.value))
            if value is not None:
                found[successor] = environments.assign(behind, number, value)
        return found

    def _at_exits(self, zero: dict[int, Environment]) -> Run:
        run = Run(Obligation("", ""))
        self.flows.begin(run.obligation, run)
        for node, environment in sorted(zero.items()):
            if ir.EXIT in self.scene.cfg.successors[node]:
                self._step(node, (0, environment, GUARDS_ONLY))
        return run

    def acquisitions(self) -> list[tuple[Obligation, CallSite, Transfer]]:
        """The obligations that begin in this procedure, in the order of its nodes."""
        found = []
        for node in sorted(self.sites.sites):
            site = self.sites.sites[node]
            replaced = frozenset() if self._is_summary or self.scene.is_java else self._replaced(site)
            if site.acquired and not site.call.dst and not self.scene.is_java and taken_out(self.scene, self.sites.sites, node) is None:
                continue
            for index, transfer in enumerate(site.acquired):
                if replaced and all(replaced.intersection(outcome.paths) for outcome in transfer.outcomes):
                    continue
                if self._is_given_an_array(site, transfer):
                    continue
                found.append((_obligation(node, index, transfer), site, transfer))
        return found

    def _is_given_an_array(self, site: CallSite, transfer: Transfer) -> bool:
        """Whether a call of C would make something in place of an array (`line = room; getline(&line, &size, in)`): it cannot release that, so that
        the array is large enough."""
        paths = {path for outcome in transfer.outcomes for path in outcome.paths}
        if self.scene.is_java or site.effects is None or not any(each.entry in paths and each.entry[1:] == ("*",) for each in site.effects.transfers):
            return False
        places = [self.scene.addresses.get(site.actuals.get(path[0], ""), ()) for path in paths]
        given = [self.scene.nodes[node] for place in places for node in self.scene.definitions.get(place[0] if len(place) == 1 else "", ())]
        return bool(given) and all(isinstance(each, ir.Copy) and self.scene.is_aggregate(each.src) for each in given)

    def _replaced(self, site: CallSite) -> frozenset[AccessPath]:
        """The members that a call of C releases: what it makes in their place is their owner's to answer for, as before.
        A variable of which the call has the address is no member (`getline`), and of a struct on its own stack the procedure
        is the owner."""
        if site.effects is None or not site.acquired:
            return frozenset()
        return frozenset(
            each.entry for each in site.effects.transfers
            if len(each.entry) > 1 and any(outcome.fate == "released" for outcome in each.outcomes)
            and self._is_of_another(self.scene.normalise((site.actuals.get(each.entry[0], ""), *each.entry[1:])))
        )

    def _is_of_another(self, place: AccessPath) -> bool:
        return len(place) > 1 and not (self.scene.is_aggregate(place[0]) and self.scene.is_fresh(place[0])) and not self.is_made_here(place[0])

    def is_made_here(self, name: str) -> bool:
        """Whether a variable of C holds nothing but objects that this procedure has made, as far as callees are known."""
        makers = [self.sites.sites.get(node) for node in self.scene.definitions.get(name, ())]
        return bool(makers) and name not in self.scene.formals and all(
            each is not None and not each.is_doubtful and any(
                outcome.paths == (RESULT,) for transfer in each.acquired for outcome in transfer.outcomes
            )
            for each in makers
        )

    def is_renewed_in_own(self, site: CallSite, transfer: Transfer) -> bool:
        """Whether what a call of C makes lies in members of an object that this procedure has made, in place of what was there, or perhaps:
        who else knows the object may end them with it under another name, so that only its block may be seen to go."""
        owners = self._owners_made_here(site, transfer)
        replaced = {each.entry for each in site.effects.transfers if any(outcome.fate == "released" for outcome in each.outcomes)} if site.effects is not None else set()
        return bool(owners) and all(
            outcome.certainty is not Certainty.MUST or not replaced.isdisjoint(outcome.paths) for outcome in transfer.outcomes
        )

    def is_shown(self, site: CallSite, transfer: Transfer) -> bool:
        """Whether a callee that nobody knows gets an object of the procedure's own in whose members a call of C makes something: it may end that."""
        owners = self._owners_made_here(site, transfer)
        return any(each.effects is None and not owners.isdisjoint(each.call.args) for each in self.sites.sites.values())

    def _owners_made_here(self, site: CallSite, transfer: Transfer) -> frozenset[str]:
        """The variables of objects that this procedure has made, in whose members a call of C makes something; none if that lies elsewhere, too."""
        paths = [path for outcome in transfer.outcomes for path in outcome.paths if path[0] != RESULT[0]]
        places = [self.scene.normalise((site.actuals.get(path[0], ""), *path[1:])) for path in paths]
        is_own = all(len(place) > 1 and self.is_made_here(place[0]) for place in places)
        return frozenset(place[0] for place in places) if is_own else frozenset()

    def run_acquired(self, obligation: Obligation, site: CallSite, transfer: Transfer) -> Run:
        """Follow a handle from its acquisition. Guards are joined where equal paths meet: too much may be lost."""
        return self._run_acquired(obligation, site, transfer, self._coarse, None, [self.zero.get(obligation.node)])

    def run_in_full(
        self, obligation: Obligation, site: CallSite, transfer: Transfer, trace: Trace[Fact] | None = None
    ) -> Run:
        """The same with guards kept apart, as far as `limits` allow."""
        environments = [self.zero.get(obligation.node)] if self.scene.is_java else self._apart(obligation.node)
        return self._run_acquired(obligation, site, transfer, self._full, trace, environments)

    def _run_acquired(
        self, obligation: Obligation, site: CallSite, transfer: Transfer, crowding: Crowding[Fact],
        trace: Trace[Fact] | None, environments: Sequence[Environment | None],
    ) -> Run:
        run = Run(obligation)
        self.flows.begin(obligation, run)
        for environment in environments:
            if environment is not None:
                run.begun += seeds(self.flows, obligation.node, site, transfer, (0, environment, GUARDS_ONLY))
        if run.begun:
            self._tabulate(run, crowding, trace, self.limits.steps)
        return run

    def _apart(self, node: int) -> Sequence[Environment | None]:
        """What is known of scalars when a node begins, by the ways that lead there as far as `limits` keep them apart."""
        if self._ways is None:
            run = Run(Obligation("", ""))
            trace: Trace[Fact] = {}
            self.flows.begin(run.obligation, run)
            run.begun = [(ir.ENTRY, (0, self._at_entry(), GUARDS_ONLY))]
            self._tabulate(run, self._full, trace, self.limits.steps)
            self._ways = {}
            for at, fact in trace if run.is_complete else ():
                self._ways.setdefault(at, {})[fact[1]] = None
        return sorted(self._ways.get(node, ())) or [self.zero.get(node)]

    def probe(self, node: int, fact: Fact) -> list[Loss]:
        """What a fact at a node loses there, for the obligation of the last run."""
        run = Run(self.flows.obligation)
        self.flows.begin(self.flows.obligation, run)
        self._step(node, fact)
        return run.losses

    def run_passed(self, entry: AccessPath) -> Run:
        """Follow a handle that the caller has at `entry` (rooted at a formal or the receiver)."""
        scene = self.scene
        root = entry[0]
        value = self._passed_value(entry)
        run = Run(Obligation("", scene.type_of(root) if len(entry) == 1 else "", value, entry=scene.exported(entry)))
        self.flows.begin(run.obligation, run)
        paths = scene.paths.single(entry)
        if root in scene.assigned_formals:
            paths |= scene.paths.single(scene.exported(entry))
        run.begun = [(ir.ENTRY, (paths, self._fixed(), 0))]
        steps = self.limits.steps if len(entry) < DEEP else self.limits.steps // 8
        self._tabulate(run, self._coarse, None, steps)
        return run

    def _passed_value(self, entry: AccessPath) -> Value:
        """A handle that is a number is an open descriptor, one that is a pointer is not null. Of a member of C its type where it is
        read tells (`if (c->fd >= 0) close(c->fd)`)."""
        if self.scene.is_java:
            return NON_ZERO
        if len(entry) == 1:
            written = [self.scene.type_of(entry[0])]
        else:
            written = [self.scene.type_of(each) for each in self.scene.readers.loaded(entry[-1])]
        return NON_ZERO if not written or any("*" in each or not each for each in written) else POSITIVE

    def _tabulate(self, run: Run, crowding: Crowding[Fact], trace: Trace[Fact] | None, steps: int) -> None:
        leap = self._leaps.over if self._leaps is not None else None
        run.is_complete = tabulate(
            self.scene.cfg, self.flows.functions, run.begun, crowding, steps, trace, self._shortcuts, leap
        )

    def _step(self, node: int, fact: Fact) -> list[Seed]:
        flow = self.flows.functions[node]
        if flow is None:
            return [(successor, fact) for successor in self.scene.cfg.successors[node]]
        return list(flow(fact))

    def _zero_transfer(self, node: int, environment: Environment) -> dict[int, Environment]:
        """What is known of scalars behind a node, found once: ways around acquisitions, of which there may be dozens, differ in little."""
        flow = self.flows.functions[node]
        if flow is None:
            return dict.fromkeys(self.scene.cfg.successors[node], environment)
        found = self._behind.get((node, environment))
        if found is None:
            found = self._behind[node, environment] = self._find_behind(flow, environment)
        return found

    def _find_behind(self, flow: Flow, environment: Environment) -> dict[int, Environment]:
        after: dict[int, Environment] = {}
        for successor, (_, changed, _) in flow((0, environment, GUARDS_ONLY)):
            if successor in after:
                changed = self.flows.environments.join(after[successor], changed)
            after[successor] = changed
        return after

    # --- where facts meet

    @property
    def _coarse(self) -> Crowding[Fact]:
        return self._crowding(1, self._merge)

    @property
    def _full(self) -> Crowding[Fact]:
        return self._crowding(self.limits.guards, self._join)

    def _crowding(self, width: int, merge: Callable[[Fact, Fact], Fact]) -> Crowding[Fact]:
        return Crowding(_paths_and_marks, width, merge, self.limits.facts, _settled, self._join)

    def _merge(self, one: Fact, other: Fact) -> Fact:
        return (one[0], self.flows.environments.join(one[1], other[1]), one[2])

    def _join(self, one: Fact, other: Fact) -> Fact:
        return (one[0] & other[0], self.flows.environments.join(one[1], other[1]), one[2] | other[2] | JOINED)


def _paths_and_marks(fact: Fact) -> tuple[int, int]:
    return (fact[0], fact[2])


def _settled(fact: Fact) -> int:
    return fact[2] & SETTLED


def _obligation(node: int, index: int, transfer: Transfer) -> Obligation:
    value: Value = POSITIVE if transfer.resource == DESCRIPTOR else NON_ZERO
    for outcome in transfer.outcomes:
        for condition in outcome.when:
            if outcome.fate == "held" and condition.path in outcome.paths:
                value = guard.meet(value, _known_value(condition.operator, condition.value)) or value
    return Obligation(transfer.resource, transfer.type, value, node, index=index)


def _known_value(operator: str, operand: str) -> Value:
    """What a handle's own condition says of it. A descriptor is not 0 either: that is the terminal's."""
    value = guard.refine(guard.TOP, operator, guard.literal(operand)) or NON_ZERO
    return guard.meet(value, NON_ZERO) or NON_ZERO
