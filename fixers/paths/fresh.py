"""What a path has just acquired: what new memory holds, and what is of a kind that is not asked for (C)."""

from __future__ import annotations

from analyzers.summaries import AccessPath
from fixers.paths.elements import ELEMENT
from fixers.paths.question import Question
from fixers.paths.state import NULL, OTHER, REST, UNSET, ZEROED, State, Value


def begin(state: State, value: Value, site: int, question: Question) -> None:
    """New memory holds zeros, or nothing yet, where that matters."""
    for field in question.zeroed.get(site, ()):
        state.cells[value, field] = NULL
    if site in question.zeroed:
        state.cells[value, ELEMENT] = ZEROED
        if question.looked_at:
            state.cells[value, REST] = NULL
    elif site in question.raw:
        state.cells[value, REST] = UNSET


def leave_other(state: State, path: AccessPath, result: Value, at: tuple[int, Question]) -> None:
    """What a call acquires that is not asked for lies in its result: releases may meet it, and other questions are about it."""
    if len(path) == 1:
        state.cells[result, OTHER] = NULL
        begin(state, result, *at)
    elif len(path) == 2:
        state.cells[result, path[1]] = value = state.unknown()
        state.cells[value, OTHER] = NULL


def leave_failed(state: State, path: AccessPath, base: Value | None, at: tuple[int, Question]) -> None:
    """A function of the program did not acquire what it would have left in a member of new memory, or in a variable: there is what it
    was before, null, or what it has released again."""
    node, question = at
    is_variable = base is not None and base.kind == "storage" and path[1:] == ("*",) and base.name[-1] != "]"
    if base is None or len(path) != 2 or not (is_variable or (base, REST) in state.cells):
        return
    nothing = -1 if question.resource == "descriptor" else 0
    if is_variable:
        was = state.variables.get(base.name)
        if path[1] in question.stored(node, path[0]) and question.is_tidy(node, path[0], path[1], nothing):
            state.variables[base.name] = Value("number", nothing)
        elif was is not None and was != UNSET and not question.is_tidy(node, path[0], path[1], nothing):
            state.variables[base.name] = state.unknown()
    elif not question.is_tidy(node, path[0], path[1], nothing):
        state.cells[base, path[1]] = state.unknown()
    elif path[1] in question.stored(node, path[0]):
        state.cells[base, path[1]] = Value("number", nothing)
