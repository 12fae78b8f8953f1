"""Which way a path can go: comparisons against what is known, and what is known after them."""

from __future__ import annotations

from analyzers import ir
from fixers.paths.state import (
    MIRRORED,
    NEGATED,
    NULL,
    STREAM,
    TRUE,
    UNSET,
    Fate,
    State,
    Value,
    compare,
    narrow,
)
from fixers.paths.values import operand


def assume(state: State, operator: str, left: Value, right: Value) -> bool:
    """Note that a comparison holds; False where it cannot."""
    if left.kind == "truth" and right in (NULL, TRUE) and operator in ("==", "!="):
        return _assume_predicate(state, left, (operator == "==") == (right != NULL))
    if left == right and left != UNSET:
        return operator in ("==", "<=", ">=")
    if _are_distinct(state, left, right) and operator in ("==", "!="):
        return operator == "!="
    low, high = state.range_of(left), state.range_of(right)
    if compare(operator, low, high) is False:
        return False
    for value, known, other, relation in (
        (left, low, high, operator),
        (right, high, low, MIRRORED[operator]),
    ):
        if value.kind in ("unknown", "object"):
            after = narrow(relation, known, other)
            if after.low > after.high:
                return False
            if after != known:
                state.ranges[value] = after
    return True


def _assume_predicate(state: State, predicate: Value, holds: bool) -> bool:
    left, right = predicate.parts
    return assume(state, predicate.name if holds else NEGATED[predicate.name], left, right)


def _are_distinct(state: State, left: Value, right: Value) -> bool:
    """Two things that are surely not the same place: storage, fresh objects, handles, standard streams."""
    exact = [value.kind in ("storage", "object") or value in state.handles or value.name == STREAM for value in (left, right)]
    return left != right and all(exact)


def take(state: State, branch: ir.Branch, holds: bool) -> bool:
    """Go one way at a branch; False where the path cannot."""
    left = operand(state, branch.left)
    match branch.operator:
        case "*":
            return True
        case "true":
            if left.kind == "truth":
                return _assume_predicate(state, left, holds)
            return assume(state, "!=" if holds else "==", left, NULL)
        case "instanceof":
            return not holds or assume(state, "!=", left, NULL)
        case operator:
            right = operand(state, branch.right)
            relation = operator if holds else NEGATED[operator]
            is_possible = assume(state, relation, left, right)
            if is_possible and relation == "==":
                _give(state, left, right)
                _give(state, right, left)
            return is_possible


def _give(state: State, handle: Value, other: Value) -> None:
    """A handle is the very thing that somebody else has (`if (fd == wanted) return wanted;`): it is theirs then."""
    known = state.range_of(other)
    is_strange = other.kind == "unknown" and other != UNSET and other not in state.handles and known.low != known.high
    if is_strange and handle in state.handles and state.handles[handle].fate is Fate.OPEN:
        state.set_fate(handle, Fate.RETAINED)
