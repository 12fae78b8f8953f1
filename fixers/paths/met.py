"""Where two paths are found to be one: where edges meet, and at crowded nodes.

A chain of tests that all leave (`if ((v = of(p, "a"))) { x->a = v; continue; }`) has no node where edges meet, and each call whose outcomes
are told apart, and forgotten, doubles the paths along it: so they are compared at nodes to which many come, too, as long as that finds some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from fixers.paths.keys import key_of
from fixers.paths.liveness import Liveness
from fixers.paths.state import State

MANY = 16
"""Paths through a node from which on they are compared there."""

TRIED = 48
"""Paths through a node from which on they are compared only where one in `SHARE` was known."""

SHARE = 8


class Met:
    """The states of one walk so far, up to the names of their symbols."""

    def __init__(self, joins: Set[int], live: Liveness, released: Set[str], alike: Mapping[int, int]) -> None:
        """`joins`: the nodes that several edges reach. `released`, `alike`: see `key_of`."""
        self._joins, self._live, self._released, self._alike = joins, live, released, alike
        self._seen: set[object] = set()
        self._counts: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def again(self, state: State) -> bool:
        """Whether a path has come to this node in the same state before; noted where not."""
        node = state.node
        if node not in self._joins and not self._is_crowded(node):
            return False
        count = len(self._seen)
        self._seen.add(key_of(state, self._live, self._released, self._alike))  # the hash of a key is that of all its parts: it is asked for once
        if len(self._seen) == count:
            self._known[node] = self._known.get(node, 0) + 1
            return True
        return False

    def apart(self, states: Iterable[State]) -> Iterator[State]:
        """Those of the states behind one that differ. Where edges meet they do: `again` was asked for each of them."""
        found: set[object] = set()
        for state in states:
            count = len(found)
            if state.node not in self._joins:
                found.add(key_of(state, self._live, self._released, self._alike))
            if len(found) > count or state.node in self._joins:
                yield state

    def _is_crowded(self, node: int) -> bool:
        self._counts[node] = count = self._counts.get(node, 0) + 1
        return count > MANY and (count < TRIED or self._known.get(node, 0) * SHARE > count)
