"""Loops that turn more often than is walked: `for (i = 0; i < 10; i++)`, which no path leaves after two turns.

What comes behind such a loop has to be seen, too. A path that could not leave one on any of its turns forgets the numbers that the loop changes,
as widening does (Cousot and Cousot, POPL 1977), and goes on. Walks paths too many: behind the loop nothing says how often it has turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked
from fixers.paths.coarse import is_field
from fixers.paths.state import State

_NUMBERS = ("number", "truth")


class Counted:
    """The loops of one procedure: where they are left, and what they change."""

    def __init__(self, linked: Linked, headers: Mapping[int, ir.Loop], ending: Set[int]) -> None:
        nodes = linked.body.nodes
        self._bodies: dict[int, set[int]] = {}
        self._outward: dict[int, dict[int, set[int]]] = {}
        self._names: dict[int, set[str]] = {}
        self._fields: dict[int, set[str]] = {}
        for header, loop in headers.items():
            inside = self._bodies[header] = _body(linked, header, loop)
            ways = [(at, after) for at in inside for after in linked.next[at] if after not in inside and after not in ending and after not in (ir.EXIT, ir.RAISE)]
            for at, after in ways:
                self._outward.setdefault(at, {}).setdefault(after, set()).add(header)
            if ways:
                self._names[header] = {name for at in inside for name in assigned(nodes[at])}
                self._fields[header] = {node.field for at in inside if isinstance(node := nodes[at], ir.Store)}

    def is_inside(self, source: int, header: int) -> bool:
        """Whether a path comes to a loop's header from within, and not to begin it (`j = 0` stands inside of `for (j = 0; …)`)."""
        return source in self._bodies[header]

    def note(self, node: int, sides: Sequence[State]) -> None:
        """Where a path parts at a branch, note for each side the loops that the other one leaves."""
        outward = self._outward.get(node)
        for state in sides if outward else ():
            others = [outward.get(each.node, set()) for each in sides if each is not state] if outward else []
            state.left = state.left.union(*others)

    def forget(self, state: State) -> bool:
        """Forget the numbers that the loop changes at whose header a path is; False where nothing comes behind it, or there are none."""
        names = self._names.get(state.node)
        if names is None:
            return False
        fields = self._fields[state.node]
        counted = [name for name in state.variables if name in names and state.variables[name].kind in _NUMBERS]
        cells = [cell for cell in state.cells if cell[1] in fields and is_field(cell[1]) and state.cells[cell].kind in _NUMBERS]
        ranged = {value for name in names if (value := state.variables.get(name)) in state.ranges and value not in state.handles}
        for name in counted:
            del state.variables[name]
        for cell in cells:
            del state.cells[cell]
        for value in ranged:
            del state.ranges[value]
        state.is_coarse = True
        return bool(counted or cells or ranged)


def _body(linked: Linked, header: int, loop: ir.Loop) -> set[int]:
    """The nodes of a loop that are reached from its header without leaving it."""
    nodes = linked.body.nodes
    found, waiting = {header}, [header]
    while waiting:
        at = waiting.pop()
        for after in (*linked.next[at], *linked.raises[at]):
            if after not in found and after > ir.RAISE and loop.start <= nodes[after].start and nodes[after].end <= loop.end:
                found.add(after)
                waiting.append(after)
    return found
