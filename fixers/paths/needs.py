"""Which handles something that a call makes may need for as long as it lives.

Nobody may end those while it is in use. Says too much where the call only looked at them.
"""

from __future__ import annotations

from collections.abc import Iterable

from fixers.paths.inside import copy_members
from fixers.paths.names import CAPTURED
from fixers.paths.question import Site
from fixers.paths.state import DEPENDS, INSIDE, State, Value
from fixers.paths.values import operand


def depend(state: State, site: Site, language: str, given: Iterable[tuple[int, str]], result: Value, *, is_inside: bool) -> None:
    """The result of a call needs the handles behind the operands that are `given` to it, by their place. `is_inside`: it is closed
    with the first of them."""
    for index, name in given:
        value = operand(state, name) if name else None
        if value is None:
            continue
        is_seen = bool(site.target and site.target.procedures)
        if any(each in state.handles for each in state.below(value)):
            mark = INSIDE if index == 0 and is_inside else ""
            state.cells[result, f"{DEPENDS}{mark}{index}"] = value
        if language == "java" and is_seen:
            for held in _in_fields(state, value):  # A method reads them as it likes.
                state.cells[result, f"{DEPENDS}{index}.{held.number}"] = held
        if language == "c" and is_seen:
            copy_members(state, value, result)
        elif language == "java":
            for (base, field), held in list(state.cells.items()):
                if base == value and field.startswith(CAPTURED) and any(each in state.handles for each in state.wrapped(held)):
                    state.cells[result, f"{DEPENDS}{index}.{field}"] = held
            state.cells.update({(result, f"{DEPENDS}{index}.{each.number}"): each for each in state.far_below(value)})


def hold(state: State, given: Iterable[tuple[int, str, bool]], made: Value) -> None:
    """A new object of Java that nobody knows needs what the operands depend on that its constructor gets, unless it only borrows one
    (`new Part(zip.getInputStream(entry))`)."""
    for index, name, is_borrowed in given:
        value = operand(state, name)
        owned = () if is_borrowed else state.reachable([value])
        needed = [each for each in state.related([value]) if each in state.handles and each not in owned] if owned else []
        state.cells.update({(made, f"{DEPENDS}{index}.{each.number}"): each for each in needed})


def _in_fields(state: State, value: Value) -> list[Value]:
    """The handles in the fields of an object of Java, with those that what lies there wraps."""
    near = [held for (base, field), held in state.cells.items() if base == value and field.isidentifier()]
    return list(dict.fromkeys(one for each in near for one in state.wrapped(each) if one in state.handles))
