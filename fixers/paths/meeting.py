"""What a release that a fix wrote meets on a path: what was acquired, or something that means «none»."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.summaries import AccessPath, Transfer
from fixers.paths.elements import ELEMENT
from fixers.paths.names import COPYING
from fixers.paths.places import Places
from fixers.paths.question import Question
from fixers.paths.report import Report
from fixers.paths.state import (
    COPIED,
    FOUND,
    LENT,
    NOTHING,
    NULL,
    OTHER,
    REST,
    UNSET,
    WRAPPED,
    Range,
    State,
    Value,
)
from fixers.paths.values import operand

FAILED = Range(-1, -1, has_zero=False)
"""Of what is surely -1."""

EMPTY = "=empty"
"""The cell that says of a result that nothing was asked for: a release may meet it (`malloc(0)`)."""

_CALM = frozenset(("close", "disconnect"))
"""Methods that do nothing to an object of Java that was never opened."""


class Meeting:
    """The releases of one call."""

    def __init__(self, places: Places, question: Question, report: Report) -> None:
        self.places = places
        self.site = places.site
        self.question = question
        self.report = report

    def note(self, state: State, result: Value) -> None:
        """A standard descriptor is made of a handle: where it is that descriptor already, there are not two."""
        call = self.site.call
        if call.name not in COPYING or len(call.args) < 2 or self.question.language != "c":
            return
        handle, made = operand(state, call.args[0]), operand(state, call.args[1])
        if handle in state.handles and made.kind == "number":
            state.cells[handle, f"{COPIED}{made.number}"] = result

    def _check_copies(self, state: State, value: Value) -> None:
        known = state.range_of(value)
        for (base, field), result in state.cells.items():
            number = int(field[len(COPIED) :]) if base == value and field.startswith(COPIED) else -1
            if number >= 0 and known.low <= number <= known.high and state.range_of(result).high >= 0:
                reason = f"what `{self.site.call.name}` is given may be {number} itself, which `dup2` was to make of it"
                self.report.not_acquired(self.site.node, reason, refuted=False)

    def check(self, state: State, transfers: Sequence[Transfer]) -> None:
        """A release that the fix wrote must meet a handle, or a value that means «none»; so must what it does with members. What
        it releases of other kinds other questions are about."""
        self._check_members(state)
        for transfer in transfers:
            if not transfer.entry or not any(outcome.fate == "released" for outcome in transfer.outcomes):
                continue
            if ELEMENT in transfer.entry and self.question.language == "c":
                self._check_elements(state, transfer)
                continue
            value = self.places.resolve(state, transfer.entry, NULL)
            if value is None:
                if self._is_unset(state, transfer.entry):
                    reason = f"`{self.site.call.name}` may meet `{transfer.entry[1]}` before it is set"
                    self.report.not_acquired(self.site.node, reason, refuted=True)
                continue
            if any(each in state.handles for each in state.wrapped(value)):
                self._check_null(state, value)
                self._check_copies(state, value)
                self._check_taken(state, value)
            elif (value, OTHER) not in state.cells and not self._is_member_none(transfer, state.range_of(value)) and not (
                value.kind == "object" and self._ends_ours(state, transfer, transfers)
            ):
                self._check_foreign(state, value)

    def _ends_ours(self, state: State, transfer: Transfer, transfers: Sequence[Transfer]) -> bool:
        """Whether a close that does nothing else closes a handle that the object holds: where the path has made the object, that is
        what is closed. What its constructor was given has to be ours, all of it: else it may be null, or somebody else's."""
        if self.site.node not in self.question.plain:
            return False
        given = [self.places.resolve(state, (*transfer.entry, each), NULL) for each in sorted(self.question.plain[self.site.node])]
        if not all(each is not None and any(one in state.handles for one in state.wrapped(each)) for each in given):
            return False
        inner = [
            self.places.resolve(state, each.entry, NULL) for each in transfers
            if each.entry[: len(transfer.entry)] == transfer.entry and len(each.entry) > len(transfer.entry) and any(one.fate == "released" for one in each.outcomes)
        ]  # fmt: skip
        held = [each for each in inner if each is not None]
        return any(one in state.handles for each in held for one in state.wrapped(each))

    def _check_taken(self, state: State, value: Value) -> None:
        """What something of C that is there has taken over (`f = fdopen(fd, "r")`) is released with it, and not under its hands."""
        takers = [base for (base, field), held in state.cells.items() if held == value and field == WRAPPED and state.range_of(base) != NOTHING]
        if takers and self.question.language == "c":
            self.report.not_acquired(self.site.node, f"`{self.site.call.name}` may meet what something else is to release by then", refuted=True)

    def _check_elements(self, state: State, transfer: Transfer) -> None:
        """A release of all elements of an array meets what was stored there, and nothing where nobody has."""
        at = transfer.entry.index(ELEMENT)
        base = self.places.resolve(state, transfer.entry[:at], NULL)
        if base is not None and state.cells.get((base, REST)) == UNSET:
            reason = f"`{self.site.call.name}` may meet elements of an array before they are set"
            self.report.not_acquired(self.site.node, reason, refuted=True)
        for value in self.places.all_of(state, transfer.entry, NULL):
            is_ours = (value, OTHER) in state.cells or (value, FOUND) in state.cells or any(each in state.handles for each in state.wrapped(value))
            if not is_ours and state.range_of(value) != NOTHING:
                self._check_foreign(state, value)

    def _is_member_none(self, transfer: Transfer, known: Range) -> bool:
        """Whether a release meets a null in a member (or -1): of memory always good, of what functions of the program look at
        `_check_members` says whether they need it."""
        if len(transfer.entry) == 1 or known not in (NOTHING, FAILED):
            return False
        looked_at = self.question.looked_at.get(self.site.node, {}).get(transfer.entry[0], frozenset())
        is_memory = known == NOTHING and transfer.resource in ("", "heap-memory")
        return is_memory or transfer.entry[1:] in {(each,) for each in looked_at}

    def _check_members(self, state: State) -> None:
        """What a function needs to be there in an object that is not finished."""
        node, name = self.site.node, self.site.call.name
        for root, members in sorted(self.question.looked_at.get(node, {}).items()):
            base = self.places.actual(state, root)
            if base is None or base == NULL:
                continue
            rest = state.cells.get((base, REST))
            held = {each: state.cells.get((base, each), rest) for each in sorted(members)}
            never = [each for each, value in held.items() if value == UNSET or (value is not None and state.cells.get((value, REST)) == UNSET and value.kind == "storage")]
            if never:
                self.report.not_acquired(node, f"`{name}` looks at `{never[0]}`, which was never set", refuted=True)
                continue
            empty = {each for each, value in held.items() if value is not None and state.range_of(value) == NOTHING}
            untold = {each for each in held if (base, each) not in state.cells} - empty
            unset = {each for each in untold if rest is not None or each in self.question.unset}
            failed = frozenset(each for each, value in held.items() if value is not None and state.range_of(value) == FAILED)
            surely = self.question.needed(node, root, frozenset(empty), 0) if empty else frozenset()
            perhaps = self.question.needed(node, root, frozenset(empty | unset), 0) if unset else surely
            if failed and (wrong := self.question.needed(node, root, failed, -1)):
                surely, perhaps = surely | wrong, perhaps | wrong
            if both := surely & perhaps:
                self.report.not_acquired(node, f"`{name}` needs `{min(both)}`, which is not there", refuted=True)
            elif needed := surely | perhaps:
                self.report.not_acquired(node, f"whether `{min(needed)}` is there, which `{name}` needs, is not known", refuted=False)

    def _check_null(self, state: State, value: Value) -> None:
        """What a procedure owns from its beginning need not be there."""
        instance, node = state.handles.get(value), self.site.node
        is_open = instance is not None and instance.site == ir.ENTRY and state.range_of(value).has_zero
        if is_open and node not in self.question.tolerant:
            self.report.not_acquired(node, f"`{self.site.call.name}` may be called on null", refuted=False)

    def _is_unset(self, state: State, path: AccessPath) -> bool:
        """Whether a path goes through memory that holds only what this path has stored there."""
        if self.question.language != "c" or len(path) < 2:
            return False
        base = self.places.actual(state, path[0])
        for field in path[1:]:
            if base is None:
                return False
            if (base, field) not in state.cells:
                return state.cells.get((base, REST)) == UNSET
            base = state.cell(base, field)
        return False

    def _check_foreign(self, state: State, value: Value) -> None:
        parts = state.wrapped(value)
        is_calm = self.question.language == "c" or self.site.call.name in _CALM
        if is_calm and any((each, EMPTY) in state.cells for each in parts) and all(each.kind == "object" or (each, EMPTY) in state.cells for each in parts):
            return
        known = state.range_of(value)
        node, name = self.site.node, self.site.call.name
        if value == UNSET:
            self.report.not_acquired(node, f"`{name}` may meet a variable that was never set", refuted=True)
        elif value.kind == "storage":
            self.report.not_acquired(node, f"`{name}` may meet the address of `{value.name.removesuffix('[]')}`", refuted=True)
        elif node in self.question.moved and known.low != known.high:
            return  # The code closes it itself, as the header does.
        elif value.name == LENT:
            self.report.not_acquired(node, f"`{name}` may meet what belongs to somebody else", refuted=True)
        elif known.low == known.high and (known.low == 0 or self.question.language == "c"):
            if node not in self.question.tolerant:
                self.report.not_acquired(node, f"`{name}` may run where nothing was acquired", refuted=True)
        else:
            self.report.not_acquired(node, f"`{name}` may meet something that was acquired elsewhere", refuted=False)
