"""Nodes of lists that a way leads past both places that link them.

`if (last != NULL) last->next = node; if (list->first == NULL) list->first = node; last = node;`: a list that belongs to somebody else has a
first node wherever this procedure has put one before, so that one of both holds, whatever is called in between. Misses a list whose first
node somebody else has put there.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.flagged import passes_by
from analyzers.domains import guard
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene

_FEW_STEPS = 3
"""Instructions between a test and the store that it guards: casts of what is stored, the place it is stored to."""


def is_past_both_links(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition of C to a loss go by a test for the node before, a test for the first node, and what makes it the
    node before in turn."""
    call = scene.nodes[acquired]
    if scene.is_java or not isinstance(call, ir.Call) or not call.dst:
        return False
    names = _names(scene, call.dst)
    start = behind_success(scene, acquired, call.dst)
    between = sorted(scene.cfg.reachable_from(start) & scene.cfg.reaching(loss.node))
    asked = [node for node in between if isinstance(scene.nodes[node], ir.Branch)]
    if all(passes_by(scene, start, loss.node, node) for node in asked if _is_link_to_first(scene, node, names)):
        return False
    tests = [node for node in asked if not passes_by(scene, start, loss.node, node)]
    befores = {before for node in tests if (before := _linked_before(scene, node, names))}
    return any(
        isinstance(copy := scene.nodes[node], ir.Copy) and copy.dst in befores and copy.src in names
        and (node == loss.node or not passes_by(scene, start, loss.node, node))
        for node in between
    )


def behind_success(scene: Scene, acquired: int, name: str) -> int:
    """Where a node goes on that it was asked whether there is one; the acquisition where nothing is asked."""
    node, names = acquired, {name}
    for _ in range(_FEW_STEPS):
        if len(scene.cfg.normal[node]) != 1:
            break
        node = scene.cfg.normal[node][0]
        copy = scene.nodes[node]
        if isinstance(copy, ir.Copy) and copy.src in names:
            names.add(copy.dst)
        asked, null_side = _asked_for_null(scene, node)
        if asked in names:
            return scene.cfg.normal[node][1 - null_side]
    return acquired


def _names(scene: Scene, first: str) -> set[str]:
    names, waiting = {first}, [first]
    while waiting:
        fresh = {copy.dst for copy in scene.copies.get(waiting.pop(), ())} - names
        names |= fresh
        waiting += sorted(fresh)
    return names


def _asked_for_null(scene: Scene, node: int) -> tuple[str, int]:
    """What a branch asks whether it is null, and on which of its sides it is; an empty name where it asks something else."""
    branch = scene.nodes[node]
    if not isinstance(branch, ir.Branch) or len(scene.cfg.normal[node]) != 2:
        return "", 0
    if branch.operator == "true":
        return branch.left, 1
    if branch.operator in ("==", "!=") and guard.literal(branch.right) == guard.ZERO:
        return branch.left, int(branch.operator == "!=")
    return "", 0


def _stored(scene: Scene, node: int, names: set[str]) -> ir.Store | None:
    """The store of one of some variables that a way leads straight to."""
    for _ in range(_FEW_STEPS):
        store = scene.nodes[node]
        if isinstance(store, ir.Store):
            return store if store.src in names else None
        if not isinstance(store, ir.Copy | ir.Op | ir.Load) or len(scene.cfg.normal[node]) != 1:
            return None
        node = scene.cfg.normal[node][0]
    return None


def _is_link_to_first(scene: Scene, node: int, names: set[str]) -> bool:
    """Whether a branch asks for a member of somebody else's struct, and the node goes there if that is null."""
    asked, null_side = _asked_for_null(scene, node)
    place = scene.loads.get(asked, ()) if asked else ()
    store = _stored(scene, scene.cfg.normal[node][null_side], names) if len(place) > 1 and scene.outlives(place[0]) else None
    return store is not None and (*scene.loads.get(store.base, (store.base,)), store.field) == place


def _linked_before(scene: Scene, node: int, names: set[str]) -> str:
    """The variable that a branch asks for, and into which the node is linked unless it is null; it has to be one of the nodes before."""
    asked, null_side = _asked_for_null(scene, node)
    if asked not in names or ir.is_temporary(asked):
        return ""
    store = _stored(scene, scene.cfg.normal[node][1 - null_side], names)
    values = [scene.nodes[each] for each in scene.definitions.get(asked, ())]
    is_before = all(isinstance(each, ir.Copy) and (each.src in names or guard.literal(each.src) == guard.ZERO) for each in values)
    return asked if store is not None and store.base == asked and is_before else ""
