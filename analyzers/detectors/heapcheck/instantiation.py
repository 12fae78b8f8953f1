"""From the heap of a caller to that of its callee and back: the maps alpha and beta of section IV.

The pointers of a caller that are connected with an argument go into the precondition as context, next to the formals, and
come back in the postcondition: so what a callee does to its arguments' cells is seen (the paper's maps drop it). What
is not connected stays as it is. Of Table IV's categories all nine are there, Ret&Arg too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers.domains.pointer_structure import BOTTOM, Draft, HeapState, members

NOBODY = -1
"""In place of a source: a pointer that is null."""


def connected(state: HeapState, pointers: int) -> int:
    """All pointers between whose cells and those of `pointers` some path is known, either way."""
    found = pointers
    changed = True
    while changed:
        changed = False
        for number, known in enumerate(state.aliases):
            if known == BOTTOM:
                continue
            near = known | 1 << number
            for distances in state.reached[number]:
                for each in distances:
                    near |= max(each, 0)
            if near & found and near & ~found:
                found |= near
                changed = True
    return found


def renamed(state: HeapState, sources: Sequence[int]) -> HeapState:
    """The state over other pointers: number i is what `sources[i]` was. Two of one source are aliases."""
    bits: dict[int, int] = {}
    for number, source in enumerate(sources):
        bits[source] = bits.get(source, 0) | 1 << number
    bits.pop(NOBODY, None)
    moved = _renaming(bits)
    fields = len(state.reached[0]) if state.reached else 0
    limit = len(state.reached[0][0]) if fields else 0
    nothing = ((BOTTOM,) * limit,) * fields
    aliases: list[int] = []
    reached = []
    rows: dict[int, tuple[tuple[int, ...], ...]] = {}
    for number, source in enumerate(sources):
        if source == NOBODY or state.aliases[source] == BOTTOM:
            aliases.append(BOTTOM)
            reached.append(nothing)
            continue
        if source not in rows:
            rows[source] = tuple(tuple(map(moved, distances)) for distances in state.reached[source])
        aliases.append((moved(state.aliases[source]) | bits[source]) & ~(1 << number))
        reached.append(rows[source])
    return HeapState(tuple(aliases), tuple(reached))


def returned(caller: HeapState, post: HeapState, places: dict[int, int]) -> HeapState:
    """The caller's state after a call: `places` says which of its pointers are which of the callee's now."""
    draft = Draft(caller)
    affected = 0
    for number in places:
        affected |= 1 << number
    draft.forget(affected)
    bits: dict[int, int] = {}
    for number, place in places.items():
        if place != NOBODY:
            bits[place] = bits.get(place, 0) | 1 << number
    moved = _renaming(bits)
    for number, place in places.items():
        if place == NOBODY or post.aliases[place] == BOTTOM:
            continue
        draft.aliases[number] = (moved(post.aliases[place]) | bits[place]) & ~(1 << number)
        draft.reached[number] = [[moved(known) for known in distances] for distances in post.reached[place]]
    return draft.plain()


def _renaming(bits: dict[int, int]) -> Callable[[int], int]:
    """What a set of pointers is when each has become those of `bits`; what is no set (bottom, unknown) stays."""

    def moved(known: int) -> int:
        if known < 0:
            return known
        found = 0
        for each in members(known):
            found |= bits.get(each, 0)
        return found

    return moved
