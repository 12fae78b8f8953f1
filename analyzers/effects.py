"""Computes the Effects of a procedure from its body and the Effects of its callees.

Per handle by the flow of Tracker (section 2.3, tabulated per entry path), per place by an insensitive
closure (`touches`). Outcomes that differ only in what the caller cannot see are settled in favour of the
release and the other kept as MAY. Reports too much when a helper releases by a condition nobody passes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from analyzers import ir
from analyzers.circles import KEPT
from analyzers.domains import guard
from analyzers.domains.access_path import member_depth
from analyzers.domains.conditions import is_compatible
from analyzers.domains.environment import Environment
from analyzers.domains.guard import TOP, Value
from analyzers.domains.obligation import PRESUMED, RELEASED, RETAINED, UNSURE, Limits, Obligation
from analyzers.handles.asked import is_repeatable
from analyzers.handles.c.answered import told_apart
from analyzers.handles.c.cells import is_further_down
from analyzers.handles.c.numbers_left import left_there, numbers_told, worth_telling
from analyzers.handles.c.same_results import same_results
from analyzers.handles.c.tests_of_formals import cases_of, chosen_cases
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.callees import CallSites
from analyzers.handles.entries import passed_entries
from analyzers.handles.runs import Departure, Handles, Loss, Run
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.touches import Touches, find_touches
from analyzers.queries import Linked, Queries
from analyzers.source import Span
from analyzers.summaries import MAX_OUTCOMES, AccessPath, Certainty, Condition, Effects, Outcome, Transfer

Fate = Literal["held", "released", "retained", "lost"]


def summarise(linked: Linked, queries: Queries, limits: Limits | None = None) -> Effects:
    """The Effects of a procedure, given those of its callees."""
    return _effects(linked, queries, limits or Limits(), is_sketch=False)


def sketch(linked: Linked, queries: Queries) -> Effects:
    """The same of a member of a large circle (see `circles`): what lies in members of what it is passed is not followed."""
    return _effects(linked, queries, Limits(), is_sketch=True)


def explore(linked: Linked, queries: Queries) -> None:
    """Look up the callees of a procedure: with few exceptions all of whose Effects `summarise` asks."""
    CallSites(Scene(linked, queries, Limits()))


def _effects(linked: Linked, queries: Queries, limits: Limits, *, is_sketch: bool) -> Effects:
    handles = Handles(linked, queries, limits, is_summary=True)
    writer = _Writer(handles, is_sketch=is_sketch)
    transfers = [*writer.acquired(), *writer.passed()]
    touches = find_touches(handles.scene, handles.sites)
    effects = Effects(
        transfers=tuple(transfers),
        reads=touches.reads,
        writes=touches.writes,
        retains=touches.retains,
        aliases=touches.aliases,
        invokes=touches.invokes,
        throws=_throws(linked),
        returns=_returns(handles),
        result=(*writer.result(), *writer.claims()),
        is_known=_is_known(handles, touches),
        is_pure=_is_pure(handles, touches, transfers),
        cases=() if handles.scene.is_java else told_apart(writer.returns),
        sizes=_sizes(handles),
        leaves=() if handles.scene.is_java else writer.leaves(),
        whole=() if handles.scene.is_java or not touches.aliases else same_results(handles.scene, handles.sites),
    )
    handles.end()
    return effects


def _sizes(handles: Handles) -> tuple[str, ...]:
    """The formals of C that every call which acquires anything is passed as sizes: where they are 0, so is what is had."""
    scene = handles.scene
    makers = [] if scene.is_java else [site for site in handles.sites.sites.values() if site.acquired]
    passed = [[each.actuals.get(root, "") for root in each.effects.sizes] if each.effects is not None else [] for each in makers]
    sizes = [name for name in passed[0] if all(name in others for others in passed)] if passed else []
    return tuple(scene.exported((name,))[0] for name in sizes if name in scene.formals and name not in scene.assigned_formals)


def _returns(handles: Handles) -> Literal["normal", "never", "sometimes"]:
    """«sometimes» where a call on some path does not return."""
    cfg = handles.scene.cfg
    if not cfg.is_reachable(ir.EXIT):
        return "never"
    for node in handles.sites.sites:
        if not cfg.normal[node] and handles.scene.body.next[node]:
            return "sometimes"
    return "normal"


def _throws(linked: Linked) -> tuple[str, ...]:
    """Exceptions that leave the procedure, where linking says which an edge carries."""
    found = {
        name
        for node, names in linked.thrown.items()
        if ir.RAISE in linked.raises[node]
        for name in names
    }
    return tuple(sorted(found))


def _is_known(handles: Handles, touches: Touches) -> bool:
    return touches.is_known and all(
        not site.exposures or not _reaches_caller(handles, site) for site in handles.sites.sites.values()
    )


def _is_pure(handles: Handles, touches: Touches, transfers: Sequence[Transfer]) -> bool:
    """Whether nothing but a look is taken at what is passed, and at fields and globals."""
    if transfers or touches.writes or touches.retains or touches.invokes or not touches.is_known:
        return False
    if any(isinstance(node, ir.Havoc) for node in handles.scene.nodes):
        return False
    return all(is_repeatable(handles.scene, node, site) for node, site in handles.sites.sites.items())


def _reaches_caller(handles: Handles, site: CallSite) -> bool:
    return any(handles.scene.outlives(exposure.path[0]) for exposure in site.exposures)


class _Writer:
    """Turns runs into transfers.

    arguments   the subjects that are what the caller passed: formals that keep it, and the arguments of those that do not
    """

    def __init__(self, handles: Handles, *, is_sketch: bool) -> None:
        self.handles = handles
        self._is_sketch = is_sketch
        self.scene = handles.scene
        assigned = self.scene.assigned_formals
        self._formals: dict[Environment, tuple[Condition, ...]] = {}
        self.arguments = frozenset(self.scene.exported((name,))[0] if name in assigned else name for name in self.scene.formals)

    def acquired(self) -> Iterable[Transfer]:
        """Transfers of what the procedure hands out."""
        found = []
        places: dict[AccessPath, list[int]] = {}
        for obligation, site, transfer in sorted(self.handles.acquisitions(), key=self._is_recursive):
            run = self.handles.run_acquired(obligation, site, transfer)
            if not self.scene.is_java:
                is_behind = is_further_down(self.scene.paths, [each.fact for each in run.departures])
                run.departures = [each for each, is_left in zip(run.departures, is_behind, strict=True) if not is_left]
            outcomes = self._outcomes(run)
            held = tuple(outcome for outcome in outcomes if outcome.fate == "held" and self._is_ours(outcome))
            if self._is_sketch:
                held = tuple(outcome for outcome in held if not self._is_no_block(transfer.resource, outcome))
            if self.scene.is_java:
                held = tuple(map(self._of_its_object, held))
            held = tuple(dict.fromkeys(self._plain(outcome) for outcome in held))
            if not self.scene.is_java:
                held = _shared(held, outcomes)
            if held and not self._is_deep(held):
                found.append(Transfer((), transfer.resource, transfer.type, held, self.span(obligation.node)))
                for path in dict.fromkeys(path for outcome in held for path in outcome.paths):
                    places.setdefault(path, []).append(obligation.node)
        found = [self._with_choices(made, places) for made in found]
        is_made = not self._is_pointer(RESULT[0]) or any(RESULT in each.paths for made in found for each in made.outcomes)
        return [made for made in found if is_made or self.scene.is_java or not _is_in_result(made)]

    def _is_no_block(self, resource: str, outcome: Outcome) -> bool:
        """Whether a number is taken for a block of memory (`left = conv(&to, size)`): of what a callee whose turn has not come does to
        pointers, too little is known to tell them apart."""
        return resource.endswith("memory") and outcome.paths == (RESULT,) and is_plain_c(self.scene.body.result)

    def _with_choices(self, made: Transfer, places: dict[AccessPath, list[int]]) -> Transfer:
        """A transfer of C as MAY where the procedure may end the same way without any acquisition for its places: whether a member
        is in use, an array has elements, or a result is the caller's, others know by what they have asked for."""
        if self.scene.is_java:
            return made
        nodes = frozenset(node for outcome in made.outcomes for path in outcome.paths for node in places[path])
        outcomes = tuple(
            msgspec.structs.replace(outcome, certainty=Certainty.MAY) if self._is_avoided(nodes, made.resource, outcome) else self._marked(nodes, made.resource, outcome)
            for outcome in made.outcomes
        )
        return msgspec.structs.replace(made, outcomes=outcomes)

    def _marked(self, nodes: frozenset[int], resource: str, outcome: Outcome) -> Outcome:
        """An outcome whose result no way around the acquisitions gives: what holds of formals at each of them is implied, too."""
        told = tuple(each for each in outcome.when if each.path == RESULT)
        open_ = [each for each in outcome.when if each not in told and each not in outcome.implied]
        if not told or not open_ or outcome.exit != "return" or self._is_avoided(nodes, resource, msgspec.structs.replace(outcome, when=told)):
            return outcome
        if not nodes <= self.handles.zero.keys():
            return outcome
        known = [self._of_formals(self.handles.zero[node]) for node in nodes]
        found = tuple(each for each in open_ if not any(is_compatible(at, (_opposite(each),)) for at in known))
        return msgspec.structs.replace(outcome, implied=(*outcome.implied, *found)) if found else outcome

    def _is_avoided(self, nodes: frozenset[int], resource: str, outcome: Outcome) -> bool:
        """Whether a path around these nodes ends as an outcome does, as far as its conditions tell."""
        return any(
            is_compatible((*self._conditions(RESULT, self._result_value(each.fact[1])), *self._of_formals(each.fact[1])), outcome.when)
            for each in self.handles.results_around(nodes, resource).departures
        )

    def _of_its_object(self, outcome: Outcome) -> Outcome:
        """An outcome with conditions on fields of the object only where that is what holds the handle."""
        if all(path[0] == "this" for path in outcome.paths):
            return outcome
        return msgspec.structs.replace(outcome, when=tuple(each for each in outcome.when if each.path[0] != "this" or len(each.path) == 1))

    def _is_recursive(self, acquisition: tuple[Obligation, CallSite, Transfer]) -> bool:
        """Whether it is the procedure itself that is called: where its handles come from, another call tells."""
        target = self.scene.linked.targets.get(acquisition[0].node)
        return target is not None and self.scene.linked.key in target.procedures

    def _plain(self, outcome: Outcome) -> Outcome:
        """Without conditions on formals that hold anyway on all returns with such a result; numbers tell a caller that knows them that
        a status cannot be, and are only marked."""
        told = tuple(each for each in outcome.when if each.path == RESULT)
        if not told or len(told) == len(outcome.when) or outcome.exit != "return":
            return outcome
        implied = [each for each in outcome.when if each not in told and self._is_implied(each, told)]
        is_status = not self.scene.is_java and not self._is_pointer(RESULT[0])
        marked = tuple(each for each in implied if is_status and not self._is_pointer(each.path[0]))
        kept = tuple(each for each in outcome.when if each in marked or each not in implied)
        return outcome if not implied else msgspec.structs.replace(outcome, when=kept, implied=marked)

    def _is_implied(self, condition: Condition, told: tuple[Condition, ...]) -> bool:
        return not any(is_compatible(each, (*told, _opposite(condition))) for each in self.returns)

    @functools.cached_property
    def returns(self) -> tuple[tuple[Condition, ...], ...]:
        """What holds on each return, of the result and of formals."""
        found: list[tuple[Condition, ...]] = []
        for each in self.handles.results().departures:
            if each.exit == "return":
                told = (*self._conditions(RESULT, self._result_value(each.fact[1])), *self._of_formals(each.fact[1]))
                found += cases_of(self.scene, each.node) or chosen_cases(self.scene, each.node, self._known_of_formals) or (told,)
        return tuple(found)

    def leaves(self) -> tuple[tuple[Condition, ...], ...]:
        """The ways to return of a procedure of C that sets numbers of its caller's on some of them."""
        told = numbers_told(self.scene, self.handles.flows.subjects, self.handles.sites.sites)
        found: dict[tuple[Condition, ...], None] = {}
        for departure in self.handles.ways_out(told.values()) if told else ():
            environment = departure.fact[1]
            when = (*self._conditions(RESULT, self._result_value(environment)), *self._of_formals(environment))
            left = [each for place, number in told.items() for each in left_there(place, self.handles.flows.environments.value(environment, number))]
            found[(*when, *left)] = None
        return worth_telling(tuple(found))

    def _is_ours(self, outcome: Outcome) -> bool:
        """Whether the caller alone can name the handle, not a global too; what it passes by value is no new handle."""
        if not self.scene.is_java and any(len(path) == 1 and path[0][:1] == "$" and path != RESULT for path in outcome.paths):
            return False
        return not any(path[0][:2] == "::" for path in outcome.paths)

    def _is_deep(self, held: Sequence[Outcome]) -> bool:
        """Whether a handle of C lies in a member of a member: there it is its owner's affair."""
        return not self.scene.is_java and all(member_depth(path) > 2 for each in held for path in each.paths)

    def passed(self) -> Iterable[Transfer]:
        """Transfers of what the caller passes, without those that are mere borrows."""
        for entry in passed_entries(self.scene, self.handles.sites):
            if self._is_sketch and len(entry) > 1:
                yield Transfer(self.scene.exported(entry), "", "", KEPT)
                continue
            run = self.handles.run_passed(entry)
            exported = self.scene.exported(entry)
            outcomes = _settled(self._outcomes(run), exported)
            if not run.is_complete:
                outcomes = (Outcome("return", (), "held", (exported,), Certainty.MAY),)
            if any(not _is_borrow(outcome, exported) for outcome in outcomes):
                yield Transfer(exported, self._resource(run), "", outcomes)

    def _resource(self, run: Run) -> str:
        """The one resource that releases of the entry are about; empty where several or none are."""
        if not any(departure.fact[2] & RELEASED for departure in run.departures):
            return ""
        return next(iter(self._releasing)) if len(self._releasing) == 1 else ""

    @functools.cached_property
    def _releasing(self) -> frozenset[str]:
        """The resources that calls of the procedure release."""
        return frozenset(
            move.resource
            for site in self.handles.sites.sites.values()
            for move in site.moves
            if any(outcome.fate == "released" for outcome in move.outcomes)
        )

    def result(self) -> tuple[Condition, ...]:
        """What is known of the result on every return."""
        if not any(isinstance(node, ir.Return) and node.src for node in self.scene.nodes):
            return ()
        known: Value | None = None
        for departure in self.handles.results().departures:
            value = self._result_value(departure.fact[1])
            known = value if known is None else guard.join(known, value)
        return self._conditions(RESULT, known or TOP)

    def claims(self) -> tuple[Condition, ...]:
        """What holds of formals on every return of a procedure of C that ends otherwise (`fail(status, …)`, which exits unless the status
        is 0)."""
        if self.scene.is_java or not self.scene.formals or not self._may_end():
            return ()
        known: dict[AccessPath, Value] | None = None
        environments = self.handles.flows.environments
        for departure in self.handles.results().departures:
            here = {
                environments.subjects[number]: value for number, value in environments.entries(departure.fact[1])
                if len(environments.subjects[number]) == 1
                and environments.subjects[number][0] in self.arguments
                and environments.subjects[number][0] not in self.scene.assigned_formals
            }
            known = here if known is None else {at: guard.join(known[at], here[at]) for at in known if at in here}
        return tuple(each for at, value in (known or {}).items() for each in self._conditions(self.scene.exported(at), value))

    def _may_end(self) -> bool:
        """Whether some call does not return, or not with each of its arguments."""
        return any(
            not self.scene.cfg.normal[node] or any(each.path != RESULT and len(each.path) == 1 for each in site.result)
            for node, site in self.handles.sites.sites.items()
        )

    def span(self, node: int) -> Span:
        """The source of a node."""
        instruction = self.scene.nodes[node]
        start = self.scene.body.start
        return Span(self.scene.linked.key.path, start + instruction.start, start + instruction.end)

    # --- outcomes

    def _outcomes(self, run: Run) -> tuple[Outcome, ...]:
        found: dict[Outcome, None] = {}
        for departure in run.departures:
            found.setdefault(self._outcome(run.obligation, departure), None)
        for loss in run.losses:
            found.setdefault(self._loss(loss), None)
        outcomes = sorted(found, key=_order)
        return tuple(outcomes) if len(outcomes) <= MAX_OUTCOMES else _joined(outcomes)

    def _loss(self, loss: Loss) -> Outcome:
        exit_: Literal["return", "throw"] = "throw" if loss.exit == "throw" else "return"
        return Outcome(exit_, (), "lost", (), _certainty(loss.fact[2]), self.span(loss.node))

    def _outcome(self, obligation: Obligation, departure: Departure) -> Outcome:
        paths, environment, marks = departure.fact
        fate: Fate = "released" if marks & RELEASED else "retained" if marks & RETAINED else "held"
        named = tuple(dict.fromkeys(self.scene.exported(path) for path in self.scene.paths.list(paths)))
        if fate == "held" and all(path[0][:2] == "::" for path in named):
            fate = "retained"
        when = self._when(obligation, environment, paths, departure.exit)
        left = self._left(environment, departure.node) if fate == "held" and not obligation.entry and departure.exit == "return" else ()
        is_presumed = fate == "retained" and bool(marks & PRESUMED)
        return Outcome(departure.exit, when, fate, named if fate == "held" else (), _certainty(marks), None, left, is_presumed=is_presumed)

    def _left(self, environment: Environment, node: int) -> tuple[Condition, ...]:
        """What the caller finds behind pointers that it passed, and in members of the struct that a procedure returns at a node."""
        flows, left = self.handles.flows, []
        ending = self.scene.nodes[node]
        for place in flows.subjects.told:
            is_member = place[0] not in self.scene.formals
            if is_member and not (isinstance(ending, ir.Return) and ending.src == place[0]):
                continue
            value = flows.environments.value(environment, flows.environments.numbers[place])
            bounds = guard.bounds(value) or flows.subjects.successes(place)
            named = (*RESULT, *place[1:]) if is_member else self.scene.exported(place)
            left += [Condition(named, operator, f"={number}") for operator, number in bounds]
        return tuple(left)

    def _when(
        self, obligation: Obligation, environment: Environment, paths: int, exit_: str
    ) -> tuple[Condition, ...]:
        conditions: list[Condition] = []
        if exit_ == "return":
            value = self._result_value(environment)
            if paths & self.scene.paths.exact(RESULT):
                value = guard.meet(value, obligation.value) or obligation.value
            conditions.extend(self._conditions(RESULT, value))
        return (*conditions, *self._of_formals(environment), *(() if obligation.entry else self._of_fields(environment)))

    def _of_fields(self, environment: Environment) -> Iterator[Condition]:
        """What is known of final fields of Java that `given_fields` are tested of."""
        environments = self.handles.flows.environments
        for number, value in environments.entries(environment) if self.scene.is_java and not self.scene.is_constructor else ():
            subject = environments.subjects[number]
            if len(subject) == 2 and subject in self.handles.flows.subjects.of_object:
                yield from self._conditions(subject, value)

    def _of_formals(self, environment: Environment) -> tuple[Condition, ...]:
        found = self._formals.get(environment)
        if found is None:
            found = self._formals[environment] = self._told_of_formals(environment)
        return found

    def _told_of_formals(self, environment: Environment) -> tuple[Condition, ...]:
        conditions: list[Condition] = []
        environments = self.handles.flows.environments
        for number, value in environments.entries(environment):
            subject = environments.subjects[number]
            if len(subject) == 1 and subject[0] in self.arguments:
                conditions.extend(self._conditions(self.scene.exported(subject), value))
        return tuple(conditions)

    def _known_of_formals(self, node: int) -> tuple[Condition, ...]:
        """What is known of formals when a node begins."""
        environment = self.handles.zero.get(node)
        return () if environment is None else self._of_formals(environment)

    def _result_value(self, environment: Environment) -> Value:
        number = self.handles.flows.environments.numbers[RESULT]
        return self.handles.flows.environments.value(environment, number)

    def _conditions(self, path: AccessPath, value: Value) -> tuple[Condition, ...]:
        is_pointer = self._is_pointer(*path)
        if is_pointer and not self.scene.is_java and value[0] >= 0 and value[1] == guard.INFINITY:
            value = guard.NON_ZERO if value[0] > 0 else TOP
        return tuple(
            Condition(path, operator, "=null" if is_pointer and number == 0 else f"={number}")
            for operator, number in guard.bounds(value)
        )

    def _is_pointer(self, root: str, field: str = "") -> bool:
        if field:
            written = self.scene.queries.field_type(self.scene.body.owner, field)
        else:
            written = self.scene.body.result if root == RESULT[0] else self.scene.type_of(self.scene.imported((root,))[0])
        if self.scene.is_java:
            return written not in ("boolean", "int", "long", "short", "byte", "char", "float", "double")
        return "*" in written


def _opposite(condition: Condition) -> Condition:
    return msgspec.structs.replace(condition, operator=guard.NEGATED[condition.operator])


def _certainty(marks: int) -> Certainty:
    return Certainty.MAY if marks & UNSURE else Certainty.MUST


def _order(outcome: Outcome) -> tuple[object, ...]:
    return (outcome.exit, outcome.fate, outcome.when, outcome.paths, outcome.certainty, outcome.left)


def _is_borrow(outcome: Outcome, entry: AccessPath) -> bool:
    return outcome.fate == "held" and outcome.paths == (entry,) and outcome.certainty is Certainty.MUST


def _settled(outcomes: Sequence[Outcome], entry: AccessPath) -> tuple[Outcome, ...]:
    """Without conditions that tell nothing apart; a borrow that the caller cannot tell from a release is MAY on return.

    What a release throws says nothing of other exceptions."""
    if len({(outcome.fate, outcome.paths, outcome.certainty) for outcome in outcomes}) == 1:
        exits = dict.fromkeys(outcome.exit for outcome in outcomes)
        first, is_presumed = outcomes[0], all(outcome.is_presumed for outcome in outcomes)
        return tuple(msgspec.structs.replace(first, exit=exit_, when=(), is_presumed=is_presumed) for exit_ in exits)
    taken = [outcome for outcome in outcomes if outcome.fate in ("released", "retained") or _is_moved(outcome, entry)]
    if "[]" in entry and any(outcome.fate == "released" for outcome in taken):
        # The other outcomes are those of a loop over the elements that does not turn.
        outcomes = [outcome for outcome in taken if outcome.fate != "held"]
    settled = []
    for outcome in outcomes:
        is_same = any(
            other.exit == outcome.exit and is_compatible(other.when, outcome.when) and not _is_thrown_by(other, entry)
            for other in taken
        )
        if outcome.fate == "held" and outcome.paths == (entry,) and is_same:
            outcome = msgspec.structs.replace(outcome, certainty=Certainty.MAY)
        settled.append(outcome)
    return tuple(dict.fromkeys(settled))


def _is_thrown_by(release: Outcome, entry: AccessPath) -> bool:
    """Whether an outcome is that of an argument whose release may itself have thrown."""
    return release.exit == "throw" and release.fate == "released" and len(entry) == 1


def _shared(held: tuple[Outcome, ...], outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """As MAY where a procedure of C keeps the handle in something else on another path that ends the same way: its caller cannot
    tell whether it is in a registry too."""
    return tuple(
        msgspec.structs.replace(each, certainty=Certainty.MAY) if any(_is_kept_besides(each, other) for other in outcomes) else each
        for each in held
    )


def _is_kept_besides(one: Outcome, other: Outcome) -> bool:
    """Whether the other outcome, which the result does not tell from the one, has a further holder."""
    is_further = any(len(path) > 1 and path not in one.paths for path in other.paths) and set(one.paths) <= set(other.paths)
    return (other.fate == "retained" or (other.fate == "held" and is_further)) and is_compatible(one.when, other.when)


def _is_in_result(made: Transfer) -> bool:
    """Whether a handle lies in a member of the result and nowhere else."""
    return all(path[0] == RESULT[0] and len(path) > 1 for outcome in made.outcomes for path in outcome.paths)


def _is_moved(outcome: Outcome, entry: AccessPath) -> bool:
    """Whether something else that the caller knows holds the handle too."""
    return outcome.fate == "held" and any(path not in (entry, RESULT) for path in outcome.paths)


def _joined(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Fewer outcomes: one for those that come about under the same conditions; if these are too many, one per exit and fate, with what
    holds in all of them (`buf == NULL`, where it makes one only then)."""
    same: dict[tuple[str, str, tuple[Condition, ...]], list[Outcome]] = {}
    for outcome in outcomes:
        same.setdefault((outcome.exit, outcome.fate, outcome.when), []).append(outcome)
    apart = [each for group in same.values() for each in _one(group, min(each.certainty for each in group))]
    if len(apart) == len(same) <= MAX_OUTCOMES:
        return tuple(apart)
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.exit, outcome.fate), []).append(outcome)
    return tuple(each for group in groups.values() for each in _one(group, Certainty.MAY))


def _one(group: Sequence[Outcome], certainty: Certainty) -> tuple[Outcome, ...]:
    """What all outcomes of a group have in common; none where a handle is held by names that they do not share."""
    first = group[0]
    paths = tuple(path for path in first.paths if all(path in each.paths for each in group))
    if first.fate == "held" and not paths:
        return ()
    if len(group) == 1:
        return (first,)
    when = tuple(each for each in first.when if all(each in other.when for other in group))
    left = tuple(each for each in first.left if all(each in other.left for other in group))
    is_presumed = all(each.is_presumed for each in group)
    return (msgspec.structs.replace(first, when=when, paths=paths, certainty=certainty, span=None, left=left, is_presumed=is_presumed),)
