"""What is known at one place of a procedure while one cell is watched, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers.detectors.heapcheck.instantiation import NOBODY
from analyzers.detectors.heapcheck.slices import GHOST, OWN, RESULT, SCRATCH
from analyzers.domains import heap_statements as heaps
from analyzers.domains.pointer_structure import BOTTOM, Draft, HeapState, join
from analyzers.queries import ProcedureKey

NOT_YET, HERE, APART = range(3)
"""Whether the cell that is watched has been made, and is in this heap."""

RESULT_AT, SCRATCH_AT, GHOST_AT = (OWN.index(name) for name in (RESULT, SCRATCH, GHOST))


class Bounds(msgspec.Struct, frozen=True):
    """What a run may cost. `distance`: from which distance on cells are not told apart; `is_summarising`: callees are
    solved once per precondition, and not at each call."""

    steps: int = 2500
    distance: int = 2
    is_summarising: bool = True


class Point(msgspec.Struct, frozen=True):
    """What holds at a node: the heap; which pointers may hold what is not ours; whether the watched cell is there, and the
    call of the outermost procedure that it came from; whether a guess was made; whether the cell was found again by a field;
    which pointers name cells on the stack, and which of the callers' nobody reads any more."""

    heap: HeapState
    foreign: int = 0
    phase: int = NOT_YET
    born: int = NOBODY
    is_guess: bool = False
    is_found: bool = False
    stack: int = 0
    dead: int = 0


class Event(msgspec.Struct, frozen=True):
    """What became of the watched cell. `kind`: "lost", "left" (it goes with the last variable at the end), "released", "escaped"; `node` of the outermost procedure; `inner` where
    it happened, when that was in a callee; the rest as in `Point`."""

    kind: str
    node: int
    born: int
    is_guess: bool
    is_found: bool
    inner: tuple[ProcedureKey, int] | None = None


class Summary(msgspec.Struct, frozen=True):
    """What a procedure does from one precondition."""

    posts: tuple[Point, ...]
    events: tuple[Event, ...]


class Spent(Exception):
    """The run costs too much."""


def without(heap: HeapState, pointers: int) -> HeapState:
    """A heap in which some pointers are null."""
    draft = Draft(heap)
    draft.forget(pointers)
    return draft.plain()


def assigned(point: Point, number: int, heap: HeapState, *, is_foreign: bool) -> Point:
    """The point with another heap, in which a pointer has a new value."""
    foreign = point.foreign | 1 << number if is_foreign else point.foreign & ~(1 << number)
    return msgspec.structs.replace(point, heap=heap, foreign=foreign)


def plain(point: Point) -> Point:
    """Without what was loaded on the way."""
    if point.heap.aliases[SCRATCH_AT] == BOTTOM and not point.foreign >> SCRATCH_AT & 1:
        return point
    return assigned(point, SCRATCH_AT, heaps.assign_null(point.heap, SCRATCH_AT).state, is_foreign=False)


def joined(known: Iterable[Point], point: Point) -> Point:
    """A point joined with one of its kind: what both claim."""
    for other in reversed(list(known)):
        if (other.phase, other.born) == (point.phase, point.born):
            heap = join(other.heap, point.heap)
            return Point(heap, other.foreign | point.foreign, point.phase, point.born, True, other.is_found or point.is_found, point.stack, point.dead)
    return msgspec.structs.replace(point, is_guess=True)
