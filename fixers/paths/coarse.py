"""What a path forgets where very many come together: numbers, so that they become few.

Less knowledge is never wrong by itself: every path that can be is still walked, and some that cannot. What a variable points to,
what has become of handles and which pointers are null is kept, and so are sizes: of one that may be zero more has to be known.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import Effects
from fixers.paths.relevance import sizes
from fixers.paths.state import NOTHING, NULL, State

CROWD = 12
"""States at one node, with the same handles, from which on paths that come to it forget numbers."""


class Coarse:
    """Which numbers of a procedure are kept."""

    def __init__(self, linked: Linked, effects: Mapping[int, tuple[Effects, ...]], sites: frozenset[int]) -> None:
        self.kept = _holders(linked, sites) | sizes(linked, effects)
        self._pointers = frozenset(name for name, written in linked.types.items() if "*" in written)
        self._is_sized = any(one.sizes and any(t.entry for t in one.transfers) for each in effects.values() for one in each)
        self._counts: dict[tuple[int, int], int] = {}

    def is_crowded(self, state: State) -> bool:
        """Whether very many paths have come to this node before, with as many handles."""
        place = state.node, len(state.handles)
        self._counts[place] = count = self._counts.get(place, 0) + 1
        return count > CROWD

    def forget(self, state: State) -> None:
        """Drop the numbers that variables and fields hold, and what is known of others."""
        state.is_coarse = True
        needed = {each for (base, field), value in state.cells.items() if not is_field(field) for each in (base, value)}
        for name, value in list(state.variables.items()):
            if name in self.kept:
                needed.add(value)
            elif value.kind == "truth" or (value.kind == "number" and not (value == NULL and self._is_needed(name))):
                del state.variables[name]
            elif self._is_needed(name) and state.range_of(value).low == state.range_of(value).high == 0:
                needed.add(value)
        for cell, value in list(state.cells.items()):
            is_null = value == NULL and (self._is_sized or cell[0].kind in ("object", "storage"))
            if is_field(cell[1]) and (value.kind == "truth" or (value.kind == "number" and not is_null)):
                del state.cells[cell]
        if not state.handles:
            self._forget_outside(state)
        self._forget_same(state)
        for value in [each for each in state.ranges if each not in needed and each not in state.handles and each.kind == "unknown"]:
            del state.ranges[value]

    def _is_needed(self, name: str) -> bool:
        """Whether it matters that a variable is zero: a pointer is null, and what is asked for nothing may release."""
        return self._is_sized or name in self._pointers

    def _forget_outside(self, state: State) -> None:
        """Before anything was acquired it matters little what unknown pointers are the same: nothing of it will be a handle, and
        what is stored below one of them may be meant wherever the same field of another is."""
        for name in [name for name, value in state.variables.items() if value.kind == "unknown" and value != state.variables.get("this") and name not in self.kept]:
            if state.range_of(state.variables[name]) != NOTHING:
                del state.variables[name]
        for cell in [cell for cell, value in state.cells.items() if value.kind == "unknown" and not value.name and is_field(cell[1])]:
            del state.cells[cell]

    def _forget_same(self, state: State) -> None:
        """What fields of others hold is not known to be what a variable holds: as little as where a procedure begins."""
        related = {base for base, field in state.cells if not is_field(field)}
        for cell, value in list(state.cells.items()):
            is_plain = value.kind == "unknown" and not value.name and value not in state.handles and value not in related
            if is_plain and cell[0] not in state.handles and is_field(cell[1]):
                del state.cells[cell]


def is_field(name: str) -> bool:
    """Whether a cell is a field or an element, and not what is known of its base."""
    return name[0].isalpha() or name[0] in "_*[|"


def _holders(linked: Linked, sites: frozenset[int]) -> frozenset[str]:
    """The variables that some calls fill, and copies of them."""
    found = {name for node in sites if isinstance(call := linked.body.nodes[node], ir.Call) for name in (call.dst, *call.args) if name and name[0] != "="}
    found |= {each.base for each in linked.body.nodes if isinstance(each, ir.AddressOf) and each.dst in found}
    grown = True
    while grown:
        size = len(found)
        for each in linked.body.nodes:
            match each:
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if dst in found or src in found:
                    found |= {name for name in (dst, src) if name[0] != "="}
                case _:
                    pass
        grown = len(found) > size
    return frozenset(found)
