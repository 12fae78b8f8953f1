"""Handles that a loop overwrites if it takes the same branch of a dispatch twice.

Options, keys of a record, tokens of a file: `if (strcmp(key, "name") == 0) name = strdup(value);` in a loop loses the first
name where one comes twice. Whether that can be is for the input to say. Misses nothing by itself: such losses are assumed.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains import guard
from analyzers.graphs.dominators import dominates, dominators
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_COMPARING = frozenset(("cmp", "eq", "equal", "equals", "match", "matches", "strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp"))


def is_repeated(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether a handle is lost where it was acquired, in a turn for which a test chooses one of several things to do."""
    at, again = scene.nodes[acquired], scene.nodes[loss.node]
    if loss.exit or not again.start <= at.start < at.end <= again.end:
        return False
    reached = scene.cfg.reachable_from(acquired)
    tree = dominators(scene.cfg)
    return any(
        isinstance(node := scene.nodes[each], ir.Branch) and len(scene.cfg.normal[each]) == 2
        and any(dominates(tree, scene.cfg.normal[each][side], acquired) for side in _choices(scene, node))
        for each in sorted(reached)
    )


def _choices(scene: Scene, branch: ir.Branch) -> tuple[int, ...]:
    """The sides of a branch that one value of what it tests leads to."""
    if branch.operator in ("==", "!=") and ir.is_literal(branch.right) and guard.literal(branch.right) != guard.ZERO:
        return (0,) if branch.operator == "==" else (1,)
    definitions = scene.definitions.get(branch.left, ())
    call = scene.nodes[definitions[0]] if len(definitions) == 1 else None
    if not isinstance(call, ir.Call):
        return ()
    is_comparing = not _COMPARING.isdisjoint(words_of(call.name)) or any(each.startswith('="') for each in call.args)
    return (0, 1) if is_comparing else ()
