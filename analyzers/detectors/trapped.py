"""What X did not hand out because of an error that a trap tells of.

`trap_push(display); status = XGetWindowProperty(…, &data); error = trap_pop(display); if (error || status != Success) return;`: where the trap has
caught an error there is no data, whatever the status is. Misses what was handed out before another call between the two failed.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains import guard
from analyzers.handles.per_scene import per_scene
from analyzers.handles.runs import Loss
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.unknown import words_of
from analyzers.summaries import Transfer

_POPPING = frozenset(("error", "trap", "pop"))
"""Words of functions that end a trap and answer what it has caught."""


def is_trapped(scene: Scene, acquired: int, transfer: Transfer, loss: Loss) -> bool:
    """Whether all ways from an acquisition of C to a loss go by a test that finds an error in what a trap behind it has caught, or in the status
    that the acquisition gives."""
    call = scene.nodes[acquired]
    if scene.is_java or not isinstance(call, ir.Call):
        return False
    if not _pops(scene):
        return False
    behind = scene.cfg.reachable_from(acquired)
    pops = {name for node, name in _pops(scene) if node in behind}
    is_status = call.dst and all(any(each.path == RESULT and each.operator == "==" and each.value == "=0" for each in end.when) for end in transfer.outcomes)
    told = pops | ({call.dst} if is_status else set())
    told |= {copy.dst for name in sorted(told) for copy in scene.copies.get(name, ())}
    return bool(pops) and not _leads(scene, acquired, loss.node, told)


@per_scene
def _pops(scene: Scene) -> tuple[tuple[int, str], ...]:
    """The calls that end a trap, and the variables that take what it has caught. A procedure is asked once per loss."""
    return tuple(
        (node, pop.dst) for node, pop in enumerate(scene.nodes)
        if isinstance(pop, ir.Call) and pop.dst and set(words_of(pop.name)) >= _POPPING
    )


def _leads(scene: Scene, start: int, end: int, told: set[str]) -> bool:
    """Whether a way leads from one node to another on which nobody tells of an error."""
    seen, waiting = {start}, list(scene.cfg.normal[start])
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            caught = _caught(scene, node, told)
            waiting += [each for side, each in enumerate(scene.cfg.normal[node]) if side != caught]
    return False


def _caught(scene: Scene, node: int, told: set[str]) -> int:
    """On which side of a branch there was an error; -1 where it asks something else."""
    branch = scene.nodes[node]
    if not isinstance(branch, ir.Branch) or branch.left not in told or len(scene.cfg.normal[node]) != 2:
        return -1
    if branch.operator == "true":
        return 0
    if branch.operator in ("==", "!=") and guard.literal(branch.right) == guard.ZERO:
        return int(branch.operator == "==")
    return -1
