"""A resource of C around one of another kind: the stream over a descriptor is asked for, and the descriptor goes with it."""

from __future__ import annotations

import msgspec

from analyzers.summaries import Outcome
from fixers.paths.report import Report
from fixers.paths.state import OF, WRAPPED, Fate, State, Value


def meet_other(state: State, outcomes: list[Outcome], values: tuple[Value, Value], call: tuple[str, Report], *, resource: str) -> None:
    """A call moves something of another kind than the one that is asked for: a stream takes it over (`fdopen`), or it is released
    though a stream has it. The number of a descriptor stands for it; an object that was made of another one is released alone
    (`zip_fclose`)."""
    value, result = values
    name, report = call
    is_ended = bool(outcomes) and all(each.fate == "released" for each in outcomes)
    if is_ended and value in state.handles:
        report.released(state, value, state.node, is_ours=False)
    for outcome in outcomes:
        if outcome.fate == "held" and ("$ret", WRAPPED) in outcome.paths and result != value:
            state.cells[result, WRAPPED] = value
    is_taken = any(each.fate == "released" for each in outcomes)
    made = [each for each, instance in state.handles.items() if is_taken and instance.site == state.node and each != value]
    for each in made:  # What a call takes over while it makes something (`ov_open(stream, &file, …)`) ends with that.
        state.cells[each, WRAPPED] = value
    if is_ended and not made:
        around = [base for (base, field), held in state.cells.items() if held == value and field == WRAPPED]
        if resource == "descriptor":
            around += [held for (base, field), held in state.cells.items() if base == value and field.startswith(OF)]
        for each in around:
            if each in state.handles:
                state.doubt(each, f"`{name}` ends what it is made of")


def end_wrapped(state: State, handle: Value) -> None:
    """What a released resource was made of is gone with it, of whatever kind that is."""
    instance = state.handles[handle]
    for each in [held for (base, field), held in state.cells.items() if base == handle and field == WRAPPED]:
        if each not in state.handles and each.kind in ("unknown", "object"):
            state.handles[each] = msgspec.structs.replace(instance, fate=Fate.RELEASED)
