"""What walks read off a procedure, whatever they are asked about it: laid out once, each part when the first one needs it."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import Effects
from fixers.paths import liveness, shape
from fixers.paths.loops import headers
from fixers.paths.opaque import Lone, Reach, opaque_branches
from fixers.paths.state import Value, storage
from fixers.paths.structs import Structs


class Layout:
    """One procedure with the Effects of its calls."""

    def __init__(self, linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> None:
        self.linked = linked
        self.effects = effects

    @functools.cached_property
    def live(self) -> liveness.Liveness:
        """The variables that are read, or tested, from each node on."""
        return liveness.solve(self.linked, self.effects)

    @functools.cached_property
    def headers(self) -> dict[int, ir.Loop]:
        """The loops by the nodes at which turns are counted."""
        return headers(self.linked)

    @functools.cached_property
    def joins(self) -> frozenset[int]:
        """The nodes that several edges reach."""
        return shape.joins(self.linked)

    @functools.cached_property
    def ending(self) -> frozenset[int]:
        """The nodes from which every path ends with the process."""
        return shape.ending(self.linked, self.effects)

    @functools.cached_property
    def taken(self) -> frozenset[str]:
        """The variables whose addresses are taken."""
        return frozenset(each.name for each in self.linked.body.variables if each.is_address_taken)

    @functools.cached_property
    def named_elsewhere(self) -> tuple[str, ...]:
        """The variables of C whose addresses are kept in elements or members: others may set them."""
        return tuple(sorted(shape.kept_in_parts(self.linked))) if self.linked.language == "c" else ()

    @functools.cached_property
    def regions(self) -> frozenset[str]:
        """The variables of C that are structs themselves."""
        return shape.regions(self.linked)

    @functools.cached_property
    def structs(self) -> Structs:
        """The same as values."""
        return Structs(self.linked, self.regions)

    @functools.cached_property
    def embedded(self) -> list[tuple[Value, int]]:
        """The places of such structs, each with its bit among the variables that are read."""
        return [(storage(name), self.live.bits.get(name, 0)) for name in sorted(self.regions)]

    @functools.cached_property
    def fields(self) -> dict[str, list[str]]:
        """Their members that the procedure names."""
        return shape.fields(self.linked, self.regions)

    @functools.cached_property
    def arrays(self) -> frozenset[str]:
        """The variables of C that are arrays."""
        return shape.arrays(self.linked)

    @functools.cached_property
    def inner(self) -> frozenset[str]:
        """Those that stand for an array which is a member."""
        return shape.inner(self.linked)

    @functools.cached_property
    def renewals(self) -> dict[int, str]:
        """The nodes where what a call gives replaces what it was given."""
        return shape.renewals(self.linked)

    @functools.cached_property
    def opaque(self) -> dict[int, str]:
        """The branches of C on conditions that nobody can judge from here."""
        return opaque_branches(self.linked, self.effects) if self.linked.language == "c" else {}

    @functools.cached_property
    def lone(self) -> Lone:
        """Which of them nothing else in the procedure goes together with."""
        return Lone(self.linked, self.effects, self.opaque)

    @functools.cached_property
    def reach(self) -> Reach:
        """From where releases of variables can be reached."""
        return Reach(self.linked, self.effects)
