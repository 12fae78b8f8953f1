"""A store of Java through a name from outside, which may be to where something lies already: that need not be gone.

What needs a handle (a wrapper of it) stays where it was put, or becomes another element of the same collection, so that what a path
released is still looked for there at its end. Errs to the side of what is kept: a field of another object that was surely overwritten
is taken to hold both.
"""

from __future__ import annotations

from collections.abc import Set

from fixers.paths.elements import ELEMENT
from fixers.paths.state import State, Value, is_outside


def store_over(state: State, base: Value, field: str, value: Value, apart: Set[Value] = frozenset()) -> None:
    """Store to a field as `State.set_cell` does, but keep what needs a handle and may not be overwritten."""
    near = []
    if state.handles and is_outside(base):
        near = [
            (other, held) for (other, name), held in state.cells.items()
            if name == field and is_outside(other) and (other != base or field == ELEMENT) and held != value and held not in state.handles
        ]
    state.set_cell(base, field, value, apart)
    for other, held in near:
        keep_over(state, other, held)


def keep_over(state: State, base: Value, held: Value | None) -> None:
    """Keep what somebody may have stored over, where it needs a handle."""
    if held is not None and state.handles and is_outside(base) and any(each in state.handles for each in state.below(held)):
        state.cells[base, f"{ELEMENT}{held.number}"] = held
