"""Tests of C that ask how many elements there are (`if (all->len == 0)`): where there are none, none is held.

Whether a callee has counted what it put in is rarely to be seen, in a library never. What a container's own count says of
it is believed. Misses counts that lie beside their container, and those under other names.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_COUNTS = frozenset(("cnt", "count", "counter", "len", "length", "n", "nelems", "nelts", "nitems", "nmemb", "nr", "num", "number", "size", "used"))
_ROOM = frozenset(("alloc", "allocated", "cap", "capacity", "chunk", "elem", "elt", "item", "limit", "max", "min", "total"))
"""Words in the names of members: how many elements there are, and how many there could be or how large one is."""

_WHOLE = frozenset(("gl_pathc",))
"""Counts of structs of the C library that hold nothing at all where they are 0."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

_EMPTY = {"==": 0, "<=": 0, "true": 1, "!=": 1, ">": 1}
"""Per relation to 0 the side on which a count is 0."""


def left_empty(scene: Scene, sites: CallSites, node: int, branch: ir.Branch) -> tuple[int, tuple[AccessPath, ...]] | None:
    """The side of a test on which a container has no elements, and how they would be called; None where the test asks no count."""
    successors = scene.linked.next[node]
    place = scene.loads.get(branch.left, ()) if ir.is_temporary(branch.left) else ()
    is_zero = branch.operator == "true" or branch.right in ("=0", "=0u", "=0U")
    is_count = len(place) > 1 and (_is_count(place[-1]) or place[-1] in _WHOLE)
    if scene.is_java or not is_zero or branch.operator not in _EMPTY or len(successors) != 2 or not is_count:
        return None
    whole = place[:-1]
    arrays = {path[-2] for site in sites.sites.values() for move in site.moves for outcome in move.outcomes for path in outcome.paths if len(path) > 2 and path[-1] == "[]"}
    arrays.update(load[-1] for load in scene.loads.values() if load[:-1] == whole and len(load) > 1)
    names = [(*whole, "[]"), *((*whole, array, "[]") for array in sorted(arrays)), *([whole] if place[-1] in _WHOLE else [])]
    return successors[_EMPTY[branch.operator]], tuple(scene.normalise(name) for name in names)


def _is_count(member: str) -> bool:
    words = {word.lower() for word in _WORD.findall(member.rpartition(".")[2])}
    return not words.isdisjoint(_COUNTS) and words.isdisjoint(_ROOM)
