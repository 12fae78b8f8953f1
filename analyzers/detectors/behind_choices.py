"""What a callee of C fills by a pointer that its caller chooses: `resolve(path, told ? &found : NULL)`, or before the call.

The place is known on one side of the choice only, and what lies there has the name that the choice has not. Such things are not told of:
misses what is lost in the place that was chosen.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Transfer

_DEEPEST = 3
"""Copies that are gone back."""


def is_behind_a_choice(scene: Scene, site: CallSite, transfer: Transfer) -> bool:
    """Whether all that an acquisition goes into lies behind an argument that is the address of one of several things, or of nothing."""
    if scene.is_java:
        return False
    roots = {path[0] for outcome in transfer.outcomes for path in outcome.paths}
    return bool(roots) and all(_is_chosen(scene, site.actuals.get(root, "")) for root in roots)


def _is_chosen(scene: Scene, actual: str) -> bool:
    leaves = _leaves(scene, actual, _DEEPEST) if actual not in scene.formals else []
    return len(leaves) > 1 and any(isinstance(each, ir.AddressOf) for each in leaves)


def _leaves(scene: Scene, name: str, depth: int) -> list[ir.Instruction]:
    """What gives a variable its values, through copies."""
    found: list[ir.Instruction] = []
    for place in scene.definitions.get(name, ()):
        node = scene.nodes[place]
        if depth and isinstance(node, ir.Copy) and node.src and not ir.is_literal(node.src) and node.src not in scene.formals:
            found += _leaves(scene, node.src, depth - 1)
        else:
            found.append(node)
    return found
