"""What a path leaves behind where it ends: what is returned or thrown is the caller's, what lies outside is somebody's, the rest is lost."""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Linked
from fixers.paths.inside import is_made_inside, is_only_inside, made_with
from fixers.paths.question import Question
from fixers.paths.report import Report
from fixers.paths.state import GLOBALS, LEFT, NOTHING, WAS, Fate, State, Value, is_outside, kind

_SQL = "java.sql."

THIS = Value("unknown", 1)
"""The object that a method is called on: the first value of every path."""


class Leaving:
    """The ends of the paths of one procedure."""

    def __init__(self, linked: Linked, question: Question, report: Report) -> None:
        self.body = linked.body
        self.apart = frozenset(node for node, target in linked.targets.items() if any(each.startswith(_SQL) for each in target.models))
        """The calls of what goes on, and gives something new again, once what they give is closed."""
        self.question = question
        self.report = report

    def is_missed(self, state: State, handle: Value) -> bool:
        """Whether a handle that nobody holds any more is asked for, not released, and may be there."""
        known, instance = state.range_of(handle), state.handles[handle]
        is_due = instance.fate in (Fate.OPEN, Fate.MAYBE) and instance.site in self.question.sites
        return is_due and not known.low == known.high == 0

    def hand_out(self, state: State, value: Value) -> None:
        """What is returned or thrown belongs to the caller, with all that it holds."""
        known = state.range_of(value)
        if known.low == known.high == 0:
            return
        inside = state.reachable([value]) if self.question.language == "c" else None
        for each in state.related([value]):
            if inside is not None and each not in inside:
                self.report.perhaps_needed(state, each, state.node)
                continue
            if isinstance(self.body.nodes[state.node], ir.Return) and each in state.handles:
                self.report.is_returned_released |= state.handles[each].fate is Fate.RELEASED
            if is_only_inside(state, each):
                self.report.handed_out(state, each, state.node)
            elif each == value or state.node not in self.question.settled:
                self.report.used(state, each, state.node, "")
        for each in state.reachable([value]):
            if each in state.handles and state.handles[each].fate is Fate.OPEN:
                state.set_fate(each, Fate.RETURNED)

    def finish(self, state: State) -> None:
        """At an exit: what lies outside must not be released, what lies nowhere must be. An object whose
        constructor throws is nobody's."""
        if state.node == ir.RAISE and self.body.kind == "constructor":
            for cell in [cell for cell in state.cells if cell[0] == THIS]:
                del state.cells[cell]
        if self.question.is_ensured:
            for handle, instance in state.handles.items():
                if instance.site == ir.ENTRY and self.is_missed(state, handle):
                    self.report.lost(state, handle, state.node)
        for name in self.question.passing:
            state.cells.pop((GLOBALS, name), None)
        inner = made_with(state) if self.question.language == "c" else frozenset()
        for (base, field), value in state.cells.items():
            is_there = state.range_of(state.cells.get((value, WAS), value)) != NOTHING
            if is_outside(base) and base not in inner and not kind(field) and is_there and not self._is_own_end(state, value):
                for each in state.related([value]):
                    if each in state.handles and state.handles[each].site in self.apart and each != value and is_made_inside(state, each):
                        continue  # A connection goes on without the statement that it has made.
                    if value.name == LEFT:
                        self.report.perhaps_needed(state, each, state.node)
                    else:
                        self.report.used(state, each, state.node, field.partition("[")[0], state.reachable([value]))
        state.variables.clear()
        outside = [base for base, _ in state.cells if is_outside(base)]
        kept = set(state.reachable(outside)) if self.body.name != "main" else set()
        for handle in state.handles:
            if handle not in kept and self.is_missed(state, handle):
                self.report.lost(state, handle, state.node)

    def _is_own_end(self, state: State, value: Value) -> bool:
        """Whether a field may keep what is released: its owner's life ends here, or releasing it failed."""
        instance = state.handles.get(value)
        is_owned = instance is not None and instance.site == ir.ENTRY
        return is_owned and (self.question.is_ensured or state.node == ir.RAISE)
