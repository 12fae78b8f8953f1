"""The extended recency abstraction: when, seen from a loop, an object was made and whether it comes back.

LeakChecker (CGO 2014), section 3, Figures 4 to 6, with two refinements: a variable holds a set of types
where the paper widens to «any type», and the recency that `merge` combines is kept per allocation
site, which is what the paper's own example needs (its o3 is f and its o4 is unknown).
Errs towards UNKNOWN: a site that is loaded on some paths of an iteration only is not FUTURE.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec


class Era(enum.StrEnum):
    """OUTSIDE the loop; CURRENT: dies in its iteration; FUTURE: escapes, and a later iteration reads it;
    UNKNOWN: escapes, and perhaps nobody reads it again."""

    OUTSIDE = "o"
    CURRENT = "c"
    FUTURE = "f"
    UNKNOWN = "T"

    def merge(self, other: Era) -> Era:
        """Figure 6 (3): equal stays, anything else is UNKNOWN."""
        return self if self is other else Era.UNKNOWN


class Site(msgspec.Struct, frozen=True, order=True):
    """An abstract object: what made it (place and calling context, or the path of an object that was there
    before), and whether it was made outside the loop."""

    name: str
    is_outside: bool


class Reference(msgspec.Struct, frozen=True, order=True):
    """A type of the paper: a site, and whether the instance may stem from an earlier iteration."""

    site: Site
    is_old: bool = False


Value = frozenset[Reference]
Cell = tuple[Site, str]

NOTHING: Value = frozenset()


class State:
    """Environment and heap of Figure 4 (a), and per inside site its recency so far in this iteration."""

    __slots__ = ("environment", "heap", "recency")

    def __init__(
        self, environment: Mapping[str, Value] = {}, heap: Mapping[Cell, Value] = {}, recency: Mapping[Site, Era] = {}
    ) -> None:
        self.environment = dict(environment)
        self.heap = dict(heap)
        self.recency = dict(recency)

    def copy(self) -> State:
        """A state of its own with the same content."""
        return State(self.environment, self.heap, self.recency)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and (self.environment, self.heap, self.recency) == (
            other.environment, other.heap, other.recency
        )

    __hash__ = None  # type: ignore[assignment]

    def join(self, other: State) -> State:
        """The least state above both: Figure 6 (1) to (5)."""
        recency = dict(self.recency)
        for site, era in other.recency.items():
            recency[site] = _merged(recency.get(site, Era.CURRENT), era)
        return State(_union(self.environment, other.environment), _union(self.heap, other.heap), recency)

    def next_iteration(self) -> State:
        """Figure 6 (6): what inside objects there are now stem from an earlier iteration."""
        return State(
            {name: age(value) for name, value in self.environment.items()},
            {cell: age(value) for cell, value in self.heap.items()},
            {site: era if era is Era.OUTSIDE else Era.UNKNOWN for site, era in self.recency.items()},
        )

    def load(self, cell: Cell) -> Value:
        """What a field holds, read in the loop: an old instance that is read comes back (rule TLOAD)."""
        value = self.heap.get(cell, NOTHING)
        for reference in value:
            if reference.is_old and not reference.site.is_outside:
                self.recency[reference.site] = Era.FUTURE
        return value


def _merged(one: Era, other: Era) -> Era:
    """CURRENT says that there is no older instance yet: any path that knows one knows more."""
    if Era.CURRENT in (one, other):
        return other if one is Era.CURRENT else one
    return one.merge(other)


def age(value: Value) -> Value:
    """The same references, one iteration later."""
    return frozenset(each if each.site.is_outside else Reference(each.site, True) for each in value)


K = TypeVar("K")


def _union(one: Mapping[K, Value], other: Mapping[K, Value]) -> dict[K, Value]:
    result = dict(one)
    for key, value in other.items():
        known = result.get(key)
        if known is not value:
            result[key] = value if known is None else known | value
    return result


class HeapEffect(msgspec.Struct, frozen=True, order=True):
    """`inner` is stored into, or loaded from, field `field` of `outer` inside the loop."""

    inner: Site
    field: str
    outer: Site


def flows(effects: Iterable[HeapEffect]) -> frozenset[HeapEffect]:
    """Definition 2: (inside object, field, closest outside object), through inside objects only."""
    above: dict[Site, set[HeapEffect]] = {}
    for effect in effects:
        if not effect.inner.is_outside:
            above.setdefault(effect.inner, set()).add(effect)
    result: set[HeapEffect] = set()
    for start in above:
        seen, todo = {start}, [start]
        while todo:
            for effect in above.get(todo.pop(), ()):
                if effect.outer.is_outside:
                    result.add(HeapEffect(start, effect.field, effect.outer))
                elif effect.outer not in seen:
                    seen.add(effect.outer)
                    todo.append(effect.outer)
    return frozenset(result)


def leaks(
    stores: Iterable[HeapEffect], loads: Iterable[HeapEffect], recency: Mapping[Site, Era]
) -> tuple[HeapEffect, ...]:
    """Definition 3: the edges that keep an escaping object which nobody reads again through them, sorted."""
    out, back = flows(stores), flows(loads)
    return tuple(sorted(
        edge for edge in out if recency.get(edge.inner, Era.UNKNOWN) is Era.UNKNOWN or edge not in back
    ))


def eras(stores: Iterable[HeapEffect], recency: Mapping[Site, Era]) -> dict[Site, Era]:
    """The ERA of every inside site that `recency` knows: CURRENT unless it flows out."""
    escaping = {edge.inner for edge in flows(stores)}
    return {site: era if site in escaping else Era.CURRENT for site, era in recency.items() if not site.is_outside}
