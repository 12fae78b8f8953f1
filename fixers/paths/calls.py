"""What a call does to the state of a path, by the Effects of what it may run.

A proof reads an effect that may happen as happening where that is worse: a callee that nobody knows
may have kept or released every handle that it can reach, so what is known of them becomes doubtful.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Literal

import msgspec

from analyzers.summaries import AccessPath, Certainty, Effects, Outcome, Transfer, emptied
from fixers.paths.branches import assume
from fixers.paths.conditions import MINUS_ONE, Conditions
from fixers.paths.elements import ELEMENT
from fixers.paths.empty import makes_empty
from fixers.paths.few import few
from fixers.paths.fresh import begin, leave_failed, leave_other
from fixers.paths.inside import Inside, end_whole, keep_whole, made_by, members_ended, whole
from fixers.paths.keepers import lend, lend_to_keepers
from fixers.paths.kinds import end_wrapped, meet_other
from fixers.paths.looks import Looks, is_releasing
from fixers.paths.meeting import EMPTY, Meeting
from fixers.paths.names import WAITING
from fixers.paths.needs import depend, hold
from fixers.paths.outcomes import (
    doubt_of,
    gives_nothing_else,
    grown,
    may_be_missing,
    resolved,
)
from fixers.paths.pairs import split
from fixers.paths.places import Places
from fixers.paths.question import Question, Site
from fixers.paths.report import HELD, UNKNOWN, Report, has_ended
from fixers.paths.state import (
    ANY,
    GLOBALS,
    IN_ARRAY,
    INSIDE,
    LENT,
    NAMING,
    NOTHING,
    NULL,
    OBJECT,
    OF,
    OTHER,
    ZEROED,
    Fate,
    Instance,
    Range,
    State,
    Value,
    beginning,
    is_outside,
    number,
)
from fixers.paths.strangers import Strangers
from fixers.paths.structs import copy_content, doubt_exchanged
from fixers.paths.values import NUMBERED, is_copied, is_number, is_plain, operand
from fixers.paths.written import SAME, Written

Exit = Literal["return", "throw"]

CLOSED = "=closed"
"""The cell that says of what wraps an output that it is closed."""

class Calls:
    """The calls of one walk, each prepared once."""

    def __init__(self, question: Question, report: Report) -> None:
        self._question = question
        self._report = report
        self._steps: dict[int, tuple[_Step, ...]] = {}

    def after(self, state: State, site: Callable[[], Site]) -> Iterator[tuple[Exit, State]]:
        """The states in which a call may leave: by returning and by throwing. The state before is used up."""
        steps = self._steps.get(state.node)
        if steps is None:
            known = site()
            steps = tuple(_Step(known, effects, self._question, self._report) for effects in known.effects)
            self._steps[state.node] = steps
        for left, step in enumerate(steps, 1 - len(steps)):
            yield from step.at(state).run(state.copy(state.node) if left else state)


class _Step:
    """One call with one of the Effects that it may have."""

    def __init__(self, site: Site, effects: Effects, question: Question, report: Report) -> None:
        self.site = site
        self.effects = effects = split(effects) if question.language == "c" else effects
        self.places = Places(site, is_followed=question.language == "java" and bool(question.ours))
        self.conditions = Conditions(self.places)
        self.inside = Inside(site, effects, question)
        self.question = question
        self.written = Written(self.places, effects, self._unasked(), question)
        self.report = report
        self.is_empty = False
        operands = enumerate((site.call.receiver, *site.call.args))
        self.operands = tuple((f"${index - 1}" if index else "this", name) for index, name in operands)
        """Per argument, the receiver first, its root and its variable or literal."""
        self.strangers = Strangers(self.places, effects, question, self.operands)
        self.looks = Looks(self.places, effects, report)
        self.meeting = Meeting(self.places, question, report)
        self._moved: dict[str, bool] = {}
        self._held: dict[int, list[Outcome]] = {}

    def at(self, state: State) -> _Step:
        """The call as a path meets it: one that asks for nothing gets nothing."""
        sizes = [value for root in self.effects.sizes if (value := self.places.actual(state, root)) is not None]
        if all(state.range_of(value) != NOTHING for value in sizes):
            return self
        step = _Step(self.site, emptied(self.effects), self.question, self.report)
        step.is_empty = True
        return step

    def run(self, state: State) -> Iterator[tuple[Exit, State]]:
        """Both ways out."""
        self._check_uses(state)
        if self.site.node in self.question.ours:
            self.meeting.check(state, self._applicable)
        if not self._has_receiver(state):
            return
        thrown = state.copy(state.node) if self.site.may_throw else None
        self._fill(state)
        is_java = self.question.language == "java"
        if is_java and makes_empty(state, self.places, self.effects, self._applicable) and (plain := self.places.actual(state, "this")) is not None:
            state.cells[plain, EMPTY] = NULL
        if self.effects.returns != "never":
            result = self._fresh(state)
            self.meeting.note(state, result)
            if self.is_empty:
                state.cells[result, EMPTY] = NULL
            before = frozenset(state.handles)
            given = self.inside.given(state)
            ended = members_ended(state, self.places, self.effects) if self.site.node in self.question.ours else ()
            for path in self._others:
                leave_other(state, path, result, (self.site.node, self.question))
            is_possible = self.conditions.hold(state, self.effects.result, result)
            for end in self._outcomes([state], "return", result) if is_possible else ():
                made = {v: each for v, each in end.handles.items() if v not in before} if self._is_strange else {}
                if self.question.language == "c" and not (self.site.target and self.site.target.procedures):
                    copy_content(end, self.places, self.effects)
                elif self.question.language == "c":
                    doubt_exchanged(end, self.places, self.effects, self.site.call.name)
                self.strangers.meet(end)
                self._hold(end)
                if self.question.language == "java":
                    lend_to_keepers(end, self.site, self.effects)
                self.written.forget(end)
                self.inside.leave(end, given, result)
                end.handles.update({v: Instance(self.site.node, Fate.RELEASED, is_ours=True) for v in ended if v not in end.handles})
                end.handles.update(made)  # what it makes now it has not kept or released yet
                yield from (("return", each) for each in self._result(end, result))
        for end in self._outcomes([thrown], "throw", NULL) if thrown is not None else ():
            self.strangers.meet(end)
            self.written.forget(end)
            yield "throw", end

    def _fill(self, state: State) -> None:
        """Any call may fill zeroed memory that it can reach."""
        if ZEROED not in state.cells.values():
            return
        zeroed = [cell for cell, value in state.cells.items() if value == ZEROED]
        reached = set(state.reachable([operand(state, name) for name in self.site.call.args if name]))
        for cell in zeroed:
            if cell[0] in reached or is_outside(cell[0]):
                del state.cells[cell]

    def _has_receiver(self, state: State) -> bool:
        """What a method is called on is there from here on, whichever way the call ends."""
        call = self.site.call
        if self.question.language != "java" or call.kind != "virtual" or not call.receiver:
            return True
        return assume(state, "!=", operand(state, call.receiver), NULL)

    @functools.cached_property
    def _others(self) -> tuple[AccessPath, ...]:
        """Where the call leaves what the question is not about in what it returns, where that matters: its releases do not ask."""
        is_met = bool(self.question.looked_at) or self.site.node in self.question.mended
        made = [t for t in self.effects.transfers if not t.entry and not self._is_asked(t)] if is_met else []
        return tuple(dict.fromkeys(path for t in made for one in t.outcomes for path in one.paths if path[0] == "$ret"))

    @property
    def _is_strange(self) -> bool:
        """Whether a function of C is called that nobody knows."""
        return self.question.language == "c" and not self.effects.is_known

    def _fresh(self, state: State) -> Value:
        """The value of the result: an object where the call makes one (that it acquires, or that holds what it was
        given), else nothing known."""
        is_made, is_perhaps_null = self._made
        if not is_made:
            return state.unknown(LENT) if self._lends else state.unknown()
        value = state.object()
        if is_perhaps_null:
            state.ranges[value] = ANY
        return value

    @functools.cached_property
    def _made(self) -> tuple[bool, bool]:
        """Whether the call makes an object, and whether that may be null."""
        paths = [(t.entry, path) for t in self.effects.transfers for o in t.outcomes for path in o.paths]
        is_made = any(path[0] == "$ret" and (not entry or len(path) > 1) for entry, path in paths)
        return is_made, any(not entry for entry, _ in paths) or self.question.language == "c"

    @functools.cached_property
    def _lends(self) -> bool:
        """Whether the callee is known to hand out what is not the caller's: a method of the repository that acquires
        nothing and passes nothing on."""
        if self.question.language != "java" or self.site.target is None or not self.site.target.procedures:
            return False
        if not self.effects.is_known or self.effects.aliases:
            return False
        return all(len(transfer.entry) > 1 for transfer in self.effects.transfers)

    # --- what is wrong already

    def _check_uses(self, state: State) -> None:
        if self.question.passing and (not self.effects.is_known or (self.site.target and self.site.target.procedures)):
            for name in sorted(self.question.passing):
                if (passed := state.cells.get((GLOBALS, name))) is not None:
                    self.report.used(state, passed, self.site.node, self.site.call.name)
        is_ended = has_ended(state)
        if self.question.language == "c" and not is_ended:
            return
        for root, name in self.operands:
            if not name:
                continue
            value = operand(state, name)
            if self._is_moved(root) or (self.site.call.kind == "pointer" and root == "this"):
                self.looks.parts(state, root, value)
                if self.question.language == "c":
                    self.looks.through(state, root, value)
                continue
            is_number = is_copied(self.site, root, self.question.language) and (value, NAMING) not in state.cells
            if is_number or (root == "this" and self.site.call.name in WAITING):
                continue
            self.report.used(state, value, self.site.node, self.site.call.name)
            if value.kind == "storage" and (held := state.variables.get(value.name)) in state.handles and held is not None and self._is_object(root):
                self.report.used(state, held, self.site.node, self.site.call.name)
            (self.looks.fields if self.question.language == "java" else self.looks.members)(state, root, value)

    def _is_object(self, root: str) -> bool:
        """Whether what an argument of C points to is itself what is released (`regex_t *`), and the call does not fill it anew."""
        types = self.site.types
        written = types[int(root[1:])] if root[1:].isdigit() and int(root[1:]) < len(types) else ""
        is_filled = any(path[0] == root for t in self.effects.transfers if not t.entry for one in t.outcomes for path in one.paths)
        return self.question.language == "c" and written.count("*") == 1 and not is_number(written.replace("*", " ")) and not is_filled

    def _is_moved(self, root: str) -> bool:
        """Whether the call only releases what lies at a root: then it is no use, but perhaps a second release. What a
        method of the repository is given it may use before it releases it, unless it is named for releasing."""
        found = self._moved.get(root)
        if found is None:
            found = self._moved[root] = self._only_releases(root)
        return found

    def _only_releases(self, root: str) -> bool:
        target = self.site.target
        has_body = self.question.language == "java" and target is not None and bool(target.procedures)
        if has_body and root != "this" and not is_releasing(self.site.call.name):
            return False
        return any(
            transfer.entry == (root,) and any(outcome.fate == "released" for outcome in transfer.outcomes)
            for transfer in self.effects.transfers
        )

    # --- moves

    def _outcomes(self, states: list[State], exit_: Exit, result: Value) -> list[State]:
        lying = {each.entry: self._lying(states[0], each, result) for each in self._applicable if each.entry}
        for transfer in self._applicable:
            states = few(states, self.report, self.site.call.name)
            if transfer.entry:
                for value in lying[transfer.entry]:
                    states = [after for state in states for after in self._move(state, transfer, exit_, (value, result))]
            elif self.site.node in self.question.sites | self.question.others and exit_ == "return" and self._is_asked(transfer):
                states = [after for state in states for after in self._acquire(state, transfer, result)]
        return states

    def _lying(self, state: State, transfer: Transfer, result: Value) -> list[Value]:
        """What a transfer is about. A release that the fix wrote is of all elements of an array: it matters no more which one is which,
        and what was overwritten is not among them."""
        if ELEMENT in transfer.entry and self.site.node in self.question.ours and self.question.language == "c":
            found = [each for each in self.places.all_of(state, transfer.entry, result) if each in state.handles]
            for each in found:
                state.trust(each, IN_ARRAY, HELD)
            return found
        value = self.places.resolve(state, transfer.entry, result)
        if value is not None and value.kind == "place" and self._is_whole(transfer):
            value = beginning(state, value)  # `free(text - offsetof(struct block, text))`
        return [] if value is None else [value]

    def _is_whole(self, transfer: Transfer) -> bool:
        """Whether a call of C may release the block itself that it is given, and nothing that lies in it."""
        is_here = len(transfer.entry) == 1 and self.question.language == "c" and self._is_asked(transfer)
        return is_here and any(each.fate == "released" for each in transfer.outcomes)

    @functools.cached_property
    def _applicable(self) -> list[Transfer]:
        """The transfers of the resource that is asked for; of several for one place the one that fits."""
        asked = self.question.resource
        chosen: dict[AccessPath, Transfer] = {}
        acquired = []
        for transfer in self.effects.transfers:
            if not transfer.entry:
                acquired.append(transfer)
            elif transfer.entry not in chosen or transfer.resource == asked:
                chosen[transfer.entry] = transfer
        return [*acquired, *chosen.values()]

    def _unasked(self) -> frozenset[AccessPath]:
        """Where the call leaves what it acquires and the question is not about: a variable that was null is so no more."""
        is_site = self.site.node in self.question.sites | self.question.others
        return frozenset(
            path for transfer in self.effects.transfers if not transfer.entry and not (is_site and self._is_asked(transfer))
            for outcome in transfer.outcomes for path in outcome.paths if path[0] != "$ret" and (len(path) > 1 or path[0][:2] == "::")
        )

    def _is_asked(self, transfer: Transfer) -> bool:
        asked = self.question.resource
        return not asked or not transfer.resource or transfer.resource == asked

    def _acquire(self, state: State, transfer: Transfer, result: Value) -> Iterator[State]:
        held = self._held.get(id(transfer))
        if held is None:
            held = resolved([each for each in transfer.outcomes if each.fate == "held" and each.exit == "return"])
            self._held[id(transfer)] = held
        for outcome in held:
            after = state.copy(state.node)
            if not self.conditions.hold(after, outcome.when, result):
                continue
            is_grown = outcome.paths[0] in self._grown
            if may_be_missing(outcome, self.site, self.question):
                self._leave_out(missing := after.copy(after.node), [outcome], result)
                yield missing
            elif is_grown:
                yield after.copy(after.node)
            self._make(after, outcome, result, is_certain=is_grown)
            yield after
        is_sure = self.question.language == "java" and self.question.partial.get(self.site.node) == frozenset()
        if held and all(outcome.when for outcome in held) and not is_sure:
            for after in self.conditions.fail(state, held, result):
                if gives_nothing_else(held, self.site, self.question) and not assume(after, "==", result, NULL):
                    continue
                self._leave_out(after, held, result)
                yield after
        if any(path == ("$ret",) for outcome in held for path in outcome.paths):
            yield from self._instead(state, result)

    def _leave_out(self, state: State, held: Sequence[Outcome], result: Value) -> None:
        """A struct of C that is returned without what it might hold has a null there; one that the call was given has what it left."""
        if (self.question.looked_at or self.question.ours) and self.question.language == "c" and self.site.target is not None and self.site.target.procedures:
            for path in [each.paths[0] for each in held if each.paths[0][0][1:].isdigit() and each.paths[0] not in self._grown]:
                leave_failed(state, path, self.places.actual(state, path[0]), (self.site.node, self.question))
        if self.question.language == "c" and self.site.type.replace("const ", "").split()[:1] == ["struct"] and "*" not in self.site.type:
            for path in (each.paths[0] for each in held):
                if path[0] == "$ret" and len(path) == 2:
                    state.cells.setdefault((result, path[1]), NULL)

    def _instead(self, state: State, result: Value) -> Iterator[State]:
        """What a function of the repository returns where it hands out nothing."""
        for kind_ in sorted(self.question.partial.get(self.site.node, ())):
            after = state.copy(state.node)
            if kind_ == "other":
                after.cells[result, SAME] = after.unknown()
                yield after
            elif assume(after, "==", result, NULL):
                yield after

    @functools.cached_property
    def _grown(self) -> Set[AccessPath]:
        """The members in which the call leaves what lies there, or another block for it."""
        nothing = -1 if self.question.resource == "descriptor" else 0
        found = grown(self.effects) if self.question.language == "c" and self.effects.is_known else frozenset[AccessPath]()
        return frozenset(each for each in found if self.question.is_filled(self.site.node, each[0], each[1], nothing))

    def _make(self, state: State, outcome: Outcome, result: Value, *, is_certain: bool = False) -> None:
        root, *fields = outcome.paths[0]
        if root == "$ret" and not fields:
            value = result
        elif not fields and self.places.actual(state, root) is not None:
            found = self.places.actual(state, root)
            assert found is not None
            value = found
        else:
            value = state.object()
            if self.question.resource == "descriptor":
                state.ranges[value] = Range(low=0)
        state.handles[value] = Instance(self.site.node, Fate.OPEN, "" if is_certain else doubt_of(outcome))
        if self.question.language == "java":
            state.ranges[value] = OBJECT
        elif any((each.path, each.operator, number(each.value)) == (("$ret",), "!=", MINUS_ONE) for each in outcome.when):
            # What answers -1 where it fails has no other number below zero.
            assume(state, ">=", result, NULL)
        begin(state, value, self.site.node, self.question)
        for path in outcome.paths:
            if len(path) > 1 or path[0].startswith("::"):
                self.places.place(state, path, value, result)

    def _move(
        self, state: State, transfer: Transfer, exit_: Exit, values: tuple[Value, Value]
    ) -> Iterator[State]:
        value, result = values
        outcomes = [outcome for outcome in transfer.outcomes if outcome.exit == exit_]
        if self.site.node in self.question.familiar and len(transfer.entry) > 1:
            outcomes = [each for each in outcomes if each.fate == "released"] or outcomes  # what it leaves it leaves elsewhere, too
        handles = [each for each in state.wrapped(value) if each in state.handles] if state.handles else []
        # A stream that is closed closes its descriptor.
        is_other = self.question.language == "c" and not self._is_asked(transfer)
        if is_other and (not handles or value in handles):
            meet_other(state, outcomes, values, (self.site.call.name, self.report), resource=transfer.resource)
            yield state
            return
        if self.question.language == "java":
            lend(state, value, outcomes, handles, self.site.call.name)
        if not outcomes or (not handles and len(outcomes) > 1 and not self._is_kept_with(state, value, outcomes)):
            if self.question.language == "c" and whole(value).kind == "object":
                for path in (each for outcome in outcomes if outcome.fate == "held" for each in outcome.paths if each[0] == "$ret" and len(each) > 1):
                    self.places.place(state, path, value, result)  # What is acquired in it later is handed out with the result.
            yield state
            return
        is_grown = exit_ == "return" and self.site.node in self.question.sites | self.question.others and transfer.entry in self._grown
        for outcome in outcomes:
            after = state.copy(state.node)
            if is_grown and (outcome.fate == "held") is self._is_new(after, transfer.entry, value, result):
                continue  # It leaves one block there, not both, and not one that it has released.
            if self.conditions.hold(after, outcome.when, result):
                self._apply(after, outcome, value, result)
                yield after
        has_text = self.site.target is not None and bool(self.site.target.procedures)  # Then each way out is an outcome.
        if all(each.when for each in outcomes) and not (has_text and any(each.fate == "held" for each in outcomes)):
            yield from self.conditions.fail(state, outcomes, result)

    def _is_new(self, state: State, path: AccessPath, value: Value, result: Value) -> bool:
        """Whether the call has left another block where a value lay."""
        there = self.places.resolve(state, path, result)
        return there is not None and there != value and there in state.handles and state.handles[there].site == self.site.node

    def _is_kept_with(self, state: State, value: Value, outcomes: Sequence[Outcome]) -> bool:
        """Whether a callee of C may keep a struct with a handle in it."""
        is_kept = self.question.language == "c" and any(each.fate == "retained" for each in outcomes)
        return is_kept and (whole(value).kind == "object" or any(each in state.handles for each in state.reachable([value])))

    def _apply(self, state: State, outcome: Outcome, value: Value, result: Value) -> None:
        handles = [each for each in state.wrapped(value) if each in state.handles]
        match outcome.fate:
            case "released":
                state.cells.pop((value, OTHER), None)
                if self.question.is_output:
                    self._check_flush(state, value, handles)
                end_whole(state, value)
                for handle in handles:
                    self._release(state, handle, outcome)
            case "lost":
                pass
            case "retained":
                state.cells.pop((value, OTHER), None)
                if self.question.language == "c":
                    # Whoever keeps a struct of C has its members, too.
                    handles = [each for each in state.reachable([value]) if each in state.handles]
                    if outcome.is_presumed:
                        for handle in handles:
                            state.doubt(handle, f"`{self.site.call.name}` passes it on to what is not known: that may keep or release it")
                        return
                    keep_whole(state, value)
                is_failed = outcome.exit == "throw" and self.site.call.kind == "new" and self.site.target is not None and not self.site.target.procedures
                for handle in handles:
                    if state.handles[handle].fate is Fate.OPEN and is_failed:  # There is no object that could have it.
                        state.doubt(handle, f"`{self.site.call.name}` {UNKNOWN}")
                    elif state.handles[handle].fate is Fate.OPEN:
                        state.set_fate(handle, Fate.RETAINED)
            case "held":
                for path in outcome.paths:
                    self.places.place(state, path, value, result)
                if self.question.resource == "descriptor" and outcome.certainty is not Certainty.MUST and value in state.handles:
                    state.doubt(value, f"`{self.site.call.name}` {UNKNOWN}")
                if ("$ret",) in outcome.paths:
                    state.cells[result, SAME] = value

    def _check_flush(self, state: State, value: Value, handles: list[Value]) -> None:
        """Closing what wraps an output writes what it still holds: the output must be open then."""
        if (value, CLOSED) not in state.cells and value not in handles:
            for handle in handles:
                self.report.used(state, handle, self.site.node, self.site.call.name)
        state.cells[value, CLOSED] = NULL

    def _release(self, state: State, handle: Value, outcome: Outcome) -> None:
        instance = state.handles[handle]
        node, is_ours = self.site.node, self.site.node in self.question.ours
        self.report.released(state, handle, node, is_ours, is_familiar=is_ours and node in self.question.familiar)
        certain = outcome.certainty is Certainty.MUST
        if certain:
            state.handles[handle] = msgspec.structs.replace(
                instance, fate=Fate.RELEASED, is_ours=self.site.node in self.question.ours,
            )
            if self.question.language == "c":
                end_wrapped(state, handle)
        elif instance.fate is Fate.OPEN:
            state.handles[handle] = msgspec.structs.replace(instance, fate=Fate.MAYBE, is_ours=self.site.node in self.question.ours)

    # --- the result

    def _result(self, state: State, result: Value) -> Iterator[State]:
        """Bind the result. It may be one of the arguments, or something that still needs them."""
        call = self.site.call
        same = state.cells.pop((result, SAME), None)
        if not self.conditions.hold(state, self.effects.result, result):
            return
        if same is not None and same.kind == "unknown" and same not in state.ranges:
            state.ranges[same] = state.range_of(result)
        if same is not None:
            yield self._bind(state, same)
            return
        for root in self.effects.aliases:
            value = self.places.actual(state, root)
            if value is not None and call.dst and self._may_be(state, result, value):
                yield self._bind(state.copy(state.node), value)
        if call.dst and not self.effects.is_apart and not is_plain(self.site, self.question.language):
            self._depend(state, result)
            if NUMBERED.fullmatch(call.name) and self.question.language == "java":
                state.cells[result, NAMING] = result
        for value in [value for root in self.effects.needs if (value := self.places.actual(state, root)) is not None]:
            for made in made_by(self.effects, self.places, state, result):
                state.cells.update({(made, f"{OF}{v.number}"): v for v in state.below(value) if v in state.handles and v != made})
        yield self._bind(state, result)

    def _may_be(self, state: State, result: Value, value: Value) -> bool:
        """Whether the result can be an argument: not where it is new, null, or the argument is released."""
        known = state.range_of(result)
        if result in state.handles or known.low == known.high == 0:
            return False
        return value not in state.handles or state.handles[value].fate is not Fate.RELEASED

    def _bind(self, state: State, value: Value) -> State:
        if self.site.call.dst:
            state.variables[self.site.call.dst] = value
        return state

    def _depend(self, state: State, result: Value) -> None:
        apart = self.question.apart.get(self.site.node, ())
        given = [(index, name) for index, (root, name) in enumerate(self.operands) if root not in apart and not self._is_moved(root)]
        depend(state, self.site, self.question.language, given, result, is_inside=self._is_inside())

    def _hold(self, state: State) -> None:
        """An object of Java that nobody knows has what its constructor was given: it may need what that depends on (`new Part(zip.getInputStream(entry))`)."""
        call, made = self.site.call, self.places.actual(state, "this")
        if self.question.language != "java" or call.kind != "new" or self.effects.is_known or not state.handles or made is None:
            return
        hold(state, [(index, name, self.strangers.is_borrowed(state, f"${index}")) for index, name in enumerate(call.args)], made)

    def _is_inside(self) -> bool:
        """Whether what the call makes is closed with what it is called on: the rows of a statement."""
        return any(path == ("this", INSIDE) for t in self.effects.transfers if not t.entry for outcome in t.outcomes for path in outcome.paths)
