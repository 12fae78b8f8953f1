"""The ways behind a test of a variable on which there is something in it."""

from __future__ import annotations

from collections.abc import Set

from analyzers import ir
from analyzers.handles.scene import Scene

NOTHING = frozenset(("=null", "=0", "=-1"))
"""What stands where nothing is held."""

_THERE = {"true": (0, 1), "==": (1, 2), "<": (1, 2), "!=": (0, 1), ">=": (0, 1), ">": (0, 1)}
"""Which of the ways behind a comparison with nothing are those on which there is something."""


def ways_where_there(scene: Scene, at: int, names: Set[str]) -> tuple[int, ...]:
    """The nodes behind one: of a test of one of some variables only those on which it holds something."""
    node, ways = scene.nodes[at], tuple(scene.cfg.normal[at])
    if isinstance(node, ir.Branch) and len(ways) == 2 and node.left in names and (node.right in NOTHING or node.operator == "true"):
        first, last = _THERE.get(node.operator, (0, 2))
        return ways[first:last]
    return ways
