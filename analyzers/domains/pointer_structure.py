"""Extended pointer structures: per pointer and field, which others point to what lies how many steps away.

Dong, Wang, Chen: Modular Heap Abstraction-Based Memory Leak Detection (definitions 2 to 11, tables II and III, Algorithm 1,
figures 2 and 3). A set of pointers is an integer, bit i for variable number i. A bit claims that a path is there, so a
state with fewer bits stands for more heaps; `BOTTOM` claims that there is nothing, the empty set claims nothing. The
paper's join is neither associative nor monotone: `paper_join` keeps it, `join` intersects, and is all of that.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

BOTTOM = -1
"""In place of a set of pointers: null, or nothing is allocated there."""

NEAR = 2
"""The paper's limit: distances 0 and 1 are exact, 2 is two or more."""


class Frame(msgspec.Struct, frozen=True):
    """What the states of one procedure range over: its base pointers in their order, and the fields."""

    variables: tuple[str, ...]
    fields: tuple[str, ...]
    limit: int = NEAR

    def bit(self, name: str) -> int:
        """The bit of a variable (the paper's iota)."""
        return 1 << self.variables.index(name)

    def names(self, pointers: int) -> tuple[str, ...]:
        """The variables in a set."""
        return tuple(self.variables[number] for number in members(pointers))


class HeapState(msgspec.Struct, frozen=True, order=True):
    """An abstract heap state. `aliases`: per variable who points to the same cell (distance 0). `reached`: per variable
    and field who points to the cells at distances 1, 2 … limit; the last stands for all from there on."""

    aliases: tuple[int, ...]
    reached: tuple[tuple[tuple[int, ...], ...], ...]


def members(pointers: int) -> Iterator[int]:
    """The numbers in a set, ascending."""
    while pointers > 0:
        low = pointers & -pointers
        yield low.bit_length() - 1
        pointers ^= low


def plus(one: int, other: int, limit: int = NEAR) -> int:
    """Table II (b): so many steps and so many more."""
    return min(one + other, limit)


def minus(one: int, other: int, limit: int = NEAR) -> tuple[int, ...]:
    """Table II (a): what is left of a distance after some steps of it; nothing where there are too few."""
    if one < limit:
        return (one - other,) if other <= one else ()
    return tuple(range(limit - other, limit + 1))


def union(one: int, other: int) -> int:
    """Table III (a), with the empty set above `BOTTOM`: there is something in one of both."""
    return one | other if one >= 0 and other >= 0 else max(one, other)


def without(one: int, other: int) -> int:
    """Table III (b)."""
    return one & ~other if one >= 0 and other >= 0 else one


def common(one: int, other: int) -> int:
    """What both claim. That there is nothing, and that something is, have nothing in common."""
    if one >= 0 and other >= 0:
        return one & other
    return one if one == other else 0


def is_less(one: int, other: int) -> bool:
    """Definition 7: whether a set claims no more than another."""
    return common(one, other) == one


def is_contained(one: HeapState, other: HeapState) -> bool:
    """Definitions 8 and 10."""
    return all(
        _is_structure_contained(one, other, variable) for variable in range(len(one.aliases))
    )


def is_compatible(one: HeapState, other: HeapState, variable: int) -> bool:
    """Definition 9: whether of the structures of one variable one is contained in the other."""
    return _is_structure_contained(one, other, variable) or _is_structure_contained(other, one, variable)


def _is_structure_contained(one: HeapState, other: HeapState, variable: int) -> bool:
    return is_less(one.aliases[variable], other.aliases[variable]) and all(
        is_less(mine, theirs)
        for field, against in zip(one.reached[variable], other.reached[variable], strict=True)
        for mine, theirs in zip(field, against, strict=True)
    )


def empty(frame: Frame) -> HeapState:
    """All pointers null: where the outermost procedure begins."""
    none = ((BOTTOM,) * frame.limit,) * len(frame.fields)
    return HeapState((BOTTOM,) * len(frame.variables), (none,) * len(frame.variables))


class Draft:
    """A state that is being written."""

    def __init__(self, state: HeapState) -> None:
        self.aliases = list(state.aliases)
        self.reached = [[list(distances) for distances in fields] for fields in state.reached]

    def done(self) -> HeapState:
        """The saturated state."""
        _saturate(self)
        return self.plain()

    def plain(self) -> HeapState:
        """The state as it stands."""
        reached = tuple(tuple(tuple(distances) for distances in fields) for fields in self.reached)
        return HeapState(tuple(self.aliases), reached)

    def everywhere(self) -> Iterator[list[int]]:
        """All rows of distances."""
        for fields in self.reached:
            yield from fields

    def forget(self, pointers: int) -> None:
        """Make variables null, and take them from all sets."""
        for number, known in enumerate(self.aliases):
            self.aliases[number] = without(known, pointers)
        for distances in self.everywhere():
            for place, known in enumerate(distances):
                distances[place] = without(known, pointers)
        for number in members(pointers):
            self.aliases[number] = BOTTOM
            for distances in self.reached[number]:
                distances[:] = [BOTTOM] * len(distances)


def saturate(state: HeapState) -> HeapState:
    """Algorithm 1: the state with what follows from its claims."""
    return Draft(state).done()


def _saturate(draft: Draft) -> None:
    """Each pass takes every fact over one more step; claims only grow, so it ends. A step leads on by whichever field."""
    again = True
    while again:
        again = False
        for number, known in enumerate(draft.aliases):
            if known < 0:
                continue
            draft.aliases[number] = known = known & ~(1 << number)
            for other in members(known):
                again |= _share(draft, number, other)
            for distances in draft.reached[number]:
                again |= _lead_on(draft, distances)


def _share(draft: Draft, one: int, other: int) -> bool:
    """Symmetry, and distance 0 of transitivity: two names of one cell know the same."""
    known = (draft.aliases[one] | 1 << one) & ~(1 << other)
    grown = union(draft.aliases[other], known)
    changed = grown != draft.aliases[other]
    draft.aliases[other] = grown
    for mine, theirs in zip(draft.reached[one], draft.reached[other], strict=True):
        for place, (here, there) in enumerate(zip(mine, theirs, strict=True)):
            if union(here, there) != there:
                theirs[place] = union(here, there)
                changed = True
    return changed


def _lead_on(draft: Draft, distances: list[int]) -> bool:
    """Transitivity over distances from 1 on."""
    changed, limit = False, len(distances)
    for place in range(limit):
        for other in members(distances[place]):
            grown = union(distances[place], max(draft.aliases[other], 0))
            changed |= grown != distances[place]
            distances[place] = grown
            for further in draft.reached[other]:
                for step, found in enumerate(further, 1):
                    at = plus(place + 1, step, limit) - 1
                    if union(distances[at], found) != distances[at]:
                        distances[at] = union(distances[at], found)
                        changed = True
    return changed


def join(one: HeapState, other: HeapState) -> HeapState:
    """What both states claim: stands for every heap that one of them stands for."""
    aliases = tuple(common(mine, theirs) for mine, theirs in zip(one.aliases, other.aliases, strict=True))
    reached = tuple(
        tuple(tuple(map(common, mine, theirs)) for mine, theirs in zip(fields, against, strict=True))
        for fields, against in zip(one.reached, other.reached, strict=True)
    )
    return HeapState(aliases, reached)


def paper_join(one: HeapState, other: HeapState) -> HeapState:
    """Figure 3: the smaller of two comparable states, else the union, which claims what may be true of neither."""
    if is_contained(one, other):
        return one
    if is_contained(other, one):
        return other
    aliases = tuple(union(mine, theirs) for mine, theirs in zip(one.aliases, other.aliases, strict=True))
    reached = tuple(
        tuple(tuple(map(union, mine, theirs)) for mine, theirs in zip(fields, against, strict=True))
        for fields, against in zip(one.reached, other.reached, strict=True)
    )
    return HeapState(aliases, reached)
