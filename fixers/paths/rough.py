"""What the last walk keeps of a path: the handles, what is tied to them, and what their variables hold, as in property simulation
(Das, Lerner and Seigle, ESP, PLDI 2002). All else is forgotten wherever two paths meet, so that those which differ in nothing that
matters to the handles are one.

Less knowledge only adds paths that cannot be: what is proved of all of them is proved. Where a flag tells whose a handle is, nothing is.
"""

from __future__ import annotations

from collections.abc import Set

from fixers.paths.coarse import is_field
from fixers.paths.state import GLOBALS, KEEPER, State, Value

STEPS = 6000
"""Steps of such a walk."""

EARLY = 3000
"""Those of them that are walked before the other walk is known to be long."""

_TYING = frozenset(("unknown", "object", "place", "storage", "truth"))
"""Kinds of values by which cells that hold them belong together."""


def forget(state: State, kept: Set[str]) -> None:
    """Drop what has nothing to do with a handle, but for what the variables in `kept` hold."""
    state.is_coarse = True
    tied = _tied(state)
    state.variables = {
        name: value for name, value in state.variables.items()
        if name in kept or name == "this" or value.kind == "storage" or value in tied
    }
    state.cells = {
        (base, field): value for (base, field), value in state.cells.items()
        if value in tied or base in state.handles or (base in tied and (base.kind != "unknown" or not is_field(field)))
    }
    needed = {value for name, value in state.variables.items() if name in kept}
    state.ranges = {value: known for value, known in state.ranges.items() if value in needed or value in state.handles}


def _tied(state: State) -> set[Value]:
    """What reaches a handle, is reached from one, or lies in a cell with such."""
    if not state.handles:
        return set()
    beside: dict[Value, list[Value]] = {}

    def tie(left: Value, right: Value) -> None:
        if left.kind in _TYING and right.kind in _TYING:
            beside.setdefault(left, []).append(right)
            beside.setdefault(right, []).append(left)

    for (base, _), value in state.cells.items():
        if base not in (GLOBALS, KEEPER):
            tie(base, value)
    for value in (*state.variables.values(), *state.cells.values(), *(base for base, _ in state.cells)):
        waiting = [value]
        while waiting:
            each = waiting.pop()
            for part in each.parts:
                tie(each, part)
                waiting.append(part)
            if each.kind == "storage" and (stored := state.variables.get(each.name)) is not None:
                tie(each, stored)
    found, waiting = set(state.handles), list(state.handles)
    while waiting:
        for each in beside.get(waiting.pop(), ()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found
