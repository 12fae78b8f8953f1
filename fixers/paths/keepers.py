"""What is given to somebody who keeps it, or who may run it at any time, on a path of Java: it may be used later."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.summaries import Effects, Outcome
from fixers.paths.names import REGISTERING
from fixers.paths.question import Site
from fixers.paths.report import KEEPING
from fixers.paths.state import State, Value
from fixers.paths.values import operand


def lend(state: State, value: Value, outcomes: Sequence[Outcome], moved: Sequence[Value], name: str) -> None:
    """Who keeps an object may use what it reaches by its fields: what a task captured, what it was made with."""
    if not any(each.fate == "retained" for each in outcomes):
        return
    for each in state.reachable([value]):
        if each in state.handles and each not in moved:
            state.lend(each, f"what `{name}` is given {KEEPING}")


def lend_to_keepers(state: State, site: Site, effects: Effects) -> None:
    """Listeners and the like: what is registered may run at any time, whatever else is known of the call."""
    if not site.call.name.startswith(REGISTERING):
        return
    named = {t.entry for t in effects.transfers if any(path != t.entry for o in t.outcomes for path in o.paths)}
    for index, name in enumerate(site.call.args):
        value = operand(state, name)
        if (f"${index}",) in named or f"${index}" in effects.invokes:
            continue
        # A stream that somebody is set to read from is never run: what becomes of it becomes of what it is around.
        around = state.wrapped(value) if site.call.name.startswith("set") else ()
        for each in state.reachable([value]):
            if each not in around and each != value and each in state.handles:
                state.lend(each, f"what `{site.call.name}` is given {KEEPING}")
