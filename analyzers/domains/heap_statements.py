"""The seven pointer assignments on extended pointer structures: what is left, and whether a cell is lost.

Dong, Wang, Chen, figures 1, 4 and 5 and Table I; rules 5 to 7 from the text. A load whose target has no name gives a
state per place where what lies beyond it can be (Table II, distance minus one). What a store cuts off is forgotten where
it does not follow from what is left: pointers may share cells that nobody names. Says lost too often where
they do; never too seldom.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from analyzers.domains.pointer_structure import BOTTOM, Draft, HeapState, members, minus, union

MAX_PLACES = 8
"""States that a load may give."""


class After(msgspec.Struct, frozen=True):
    """What a statement leaves. `is_lost`: it may take the last pointer to some cell. `is_guess`: one of several states of
    which the heap at hand is in one, or a state that forgot something."""

    state: HeapState
    is_lost: bool = False
    is_guess: bool = False


class Statement(msgspec.Struct, frozen=True):
    """`p = null`, `p->f = null`, `p = q`, `p = q->f`, `p->f = q`, `p = malloc()`, `p = free()`; all by number."""

    kind: Literal["null", "store-null", "copy", "load", "store", "malloc", "free"]
    p: int
    field: int = 0
    q: int = 0


def apply(statement: Statement, state: HeapState) -> tuple[After, ...]:
    """The abstract semantics of one statement."""
    p, field, q = statement.p, statement.field, statement.q
    match statement.kind:
        case "null":
            return (assign_null(state, p),)
        case "store-null":
            return (store_null(state, p, field),)
        case "copy":
            return (copy(state, p, q),)
        case "load":
            nothing = without_target(state, q, field)
            found = load(state, p, q, field)
            return found if nothing is None else (*found, After(assign_null(nothing, p).state, found[0].is_lost, True))
        case "store":
            return (store(state, p, field, q),)
        case "malloc":
            return (allocate(state, p),)
        case "free":
            return (release(state, p),)


def sequence(statements: Iterable[Statement], state: HeapState) -> tuple[After, ...]:
    """Figure 5: one statement after the other."""
    found: tuple[After, ...] = (After(state),)
    for statement in statements:
        found = tuple(
            After(after.state, after.is_lost or before.is_lost, after.is_guess or before.is_guess)
            for before in found
            for after in apply(statement, before.state)
        )
    return found


def leave(state: HeapState, local: Sequence[int], result: int | None, value: int | None) -> tuple[After, ...]:
    """`return e`: the result gets its value, then all local pointers are null. (The paper has it the other way round, which
    would lose what a local alone returns.)"""
    taken = () if result is None or value is None else (Statement("copy", result, q=value),)
    return sequence((*taken, *(Statement("null", each) for each in local)), state)


def holders(state: HeapState, p: int) -> int:
    """The other pointers from which a path leads to the cell of p."""
    found, bit = max(state.aliases[p], 0), 1 << p
    for number, fields in enumerate(state.reached):
        if number != p and any(known > 0 and known & bit for distances in fields for known in distances):
            found |= 1 << number
    return found


def assign_null(state: HeapState, p: int) -> After:
    """Rule 1."""
    if state.aliases[p] == BOTTOM:
        return After(state)
    is_lost = not holders(state, p)
    draft = Draft(state)
    draft.forget(1 << p)
    return After(draft.plain(), is_lost)


def store_null(state: HeapState, p: int, field: int) -> After:
    """Rule 2. Through a null pointer nothing is stored."""
    if state.aliases[p] == BOTTOM or state.reached[p][field][0] == BOTTOM:
        return After(state)
    draft = Draft(state)
    _cut(draft, state, state.aliases[p] | 1 << p, (field,))
    return After(draft.done(), state.reached[p][field][0] == 0)


def _cut(draft: Draft, state: HeapState, owners: int, fields: Sequence[int]) -> None:
    """Remove the edges from one cell over some fields, with all that others may claim because of them."""
    beyond = 0
    for owner in members(owners):
        for field in fields:
            for known in state.reached[owner][field]:
                beyond |= max(known, 0)
    for distances in draft.everywhere():
        for place in range(1, len(distances)):
            distances[place] = without_claim(distances[place], beyond)
    for owner in members(owners):
        for field in fields:
            draft.reached[owner][field][:] = [BOTTOM] * len(draft.reached[owner][field])


def without_claim(known: int, pointers: int) -> int:
    """A set without some pointers; that nothing is there stays."""
    return known if known < 0 else known & ~pointers


def copy(state: HeapState, p: int, q: int) -> After:
    """Rule 3."""
    if p == q:
        return After(state)
    before = assign_null(state, p)
    if state.aliases[q] == BOTTOM:
        return before
    is_lost = before.is_lost and not state.aliases[q] >> p & 1
    return After(_named(Draft(before.state), p, q).done(), is_lost)


def _named(draft: Draft, p: int, q: int) -> Draft:
    """p as another name of the cell of q."""
    bit = 1 << q
    draft.aliases[p] = bit | draft.aliases[q]
    draft.reached[p] = [list(distances) for distances in draft.reached[q]]
    for distances in draft.everywhere():
        for place, known in enumerate(distances):
            if known > 0 and known & bit:
                distances[place] = known | 1 << p
    return draft


def load(state: HeapState, p: int, q: int, field: int) -> tuple[After, ...]:
    """Rule 4. p is another variable than q (Table I)."""
    if state.aliases[q] != BOTTOM and state.reached[q][field][0] > 0 and state.reached[q][field][0] >> p & 1:
        return (After(state),)
    before = assign_null(state, p)
    state, is_lost = before.state, before.is_lost
    if state.aliases[q] == BOTTOM or state.reached[q][field][0] == BOTTOM:
        return (before,)
    distances = state.reached[q][field]
    if distances[0]:
        return (After(_named(Draft(state), p, next(members(distances[0]))).done(), is_lost),)
    found = [_unnamed(state, p, q, field, places) for places in _places(state, q, field)]
    is_guess = len(found) != 1 or distances[1] != BOTTOM
    found = found or [_forgotten(state, p, q, field)]
    return tuple(After(each, is_lost, is_guess) for each in dict.fromkeys(found))


def without_target(state: HeapState, q: int, field: int) -> HeapState | None:
    """The state if there is nothing in a field of which it claims nothing; None where it claims something."""
    distances = state.reached[q][field]
    if state.aliases[q] == BOTTOM or distances[0] or any(known > 0 for known in distances):
        return None
    draft = Draft(state)
    for owner in members(state.aliases[q] | 1 << q):
        draft.reached[owner][field][:] = [BOTTOM] * len(distances)
    return draft.done()


_Place = tuple[int, int, int]
"""A set of aliases that lies over a field so many steps away."""


def _places(state: HeapState, q: int, field: int) -> list[tuple[_Place, ...]]:
    """Where what lies two or more steps from q may lie from the first of these steps; empty where too many ways are."""
    limit = len(state.reached[q][field])
    groups: list[list[_Place]] = []
    seen = 0
    for place in range(1, limit):
        for number in members(max(state.reached[q][field][place], 0)):
            if seen >> number & 1:
                continue
            group = max(state.aliases[number], 0) | 1 << number
            seen |= group
            groups.append([
                (group, over, distance)
                for over in range(len(state.reached[q]))
                for distance in minus(place + 1, 1, limit)
            ])
    count = 1
    for each in groups:
        count *= len(each)
    if count > MAX_PLACES:
        return []
    return [way for way in itertools.product(*groups) if _is_possible(way)]


def _is_possible(way: Sequence[_Place]) -> bool:
    """Whether no two different cells lie at the end of one edge."""
    direct = [over for _, over, distance in way if distance == 1]
    return len(direct) == len(set(direct))


def _unnamed(state: HeapState, p: int, q: int, field: int, places: Sequence[_Place]) -> HeapState:
    """p as the first name of what q has in a field."""
    draft = _first_name(state, p, q, field)
    for group, over, distance in places:
        for step in range(distance):
            draft.reached[p][over][step] = union(draft.reached[p][over][step], 0)
        draft.reached[p][over][distance - 1] |= group
    return draft.done()


def _first_name(state: HeapState, p: int, q: int, field: int) -> Draft:
    draft = Draft(state)
    draft.aliases[p] = 0
    nothing = state.reached[q][field][1] == BOTTOM
    limit = len(state.reached[q][field])
    draft.reached[p] = [[BOTTOM if nothing else 0] * limit for _ in state.reached[q]]
    for owner in members(max(state.aliases[q], 0) | 1 << q):
        draft.reached[owner][field][0] = union(draft.reached[owner][field][0], 1 << p)
    return draft


def _forgotten(state: HeapState, p: int, q: int, field: int) -> HeapState:
    """The same where what lies beyond could be in too many places: nobody claims it any more."""
    draft = _first_name(state, p, q, field)
    beyond = 0
    for known in state.reached[q][field][1:]:
        beyond |= max(known, 0)
    for distances in draft.everywhere():
        for place in range(1, len(distances)):
            distances[place] = without_claim(distances[place], beyond)
    return draft.done()


def store(state: HeapState, p: int, field: int, q: int) -> After:
    """Rule 5. Through a null pointer nothing is stored."""
    if state.aliases[p] == BOTTOM:
        return After(state)
    cut = store_null(state, p, field)
    if cut.state.aliases[q] == BOTTOM:
        return cut
    draft = Draft(cut.state)
    for distances in draft.everywhere():
        if distances[0] == 0:
            # What has no name may lead to the cell that gets a new edge.
            distances[1:] = [union(known, 0) for known in distances[1:]]
    for owner in members(max(cut.state.aliases[p], 0) | 1 << p):
        draft.reached[owner][field][0] = cut.state.aliases[q] | 1 << q
    return After(draft.done(), cut.is_lost)


def allocate(state: HeapState, p: int) -> After:
    """Rule 6."""
    before = assign_null(state, p)
    draft = Draft(before.state)
    draft.aliases[p] = 0
    return After(draft.plain(), before.is_lost)


def release(state: HeapState, p: int) -> After:
    """Rule 7: p, and all that point where it does, are null afterwards."""
    if state.aliases[p] == BOTTOM:
        return After(state)
    is_lost = any(distances[0] == 0 for distances in state.reached[p])
    names = state.aliases[p] | 1 << p
    draft = Draft(state)
    _cut(draft, state, names, range(len(state.reached[p])))
    for distances in draft.everywhere():
        if distances[0] > 0 and distances[0] & names:
            distances[:] = [BOTTOM] * len(distances)
        else:
            distances[1:] = [without_claim(known, names) for known in distances[1:]]
    draft.forget(names)
    return After(draft.done(), is_lost)


def assume(state: HeapState, p: int, is_null: bool) -> HeapState | None:
    """The state after a test of p; None where it cannot turn out so."""
    return state if (state.aliases[p] == BOTTOM) == is_null else None
