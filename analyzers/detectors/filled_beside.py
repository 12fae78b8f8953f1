"""Handles of C whose release is tested by what a callee has filled before: `if (frame_new(&frame)) goto out; … out: if (frame) { close(fd); free(frame); }`.

Whoever asks whether the callee has failed, and opens something only where it has not, knows that its frame is there from then on, whatever
the number of the callee means. Misses losses where the callee says that all went well and has filled nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import ir
from analyzers.detectors.flagged import passes_by
from analyzers.domains import guard
from analyzers.graphs.operands import operands
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_releaser


def is_beside_the_filled(scene: Scene, sites: Mapping[int, CallSite], acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition to a loss go by a test of such a variable."""
    call = scene.nodes[acquired]
    if scene.is_java or not isinstance(call, ir.Call) or not call.dst:
        return False
    names = {call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))}
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)
    for test in sorted(between):
        node = scene.nodes[test]
        if isinstance(node, ir.Branch) and _asks_for(node) and node.left in scene.variables and node.left not in names:
            guards = any(_releases(scene, sites, each, names) for each in scene.cfg.reachable_from(scene.cfg.normal[test][0]))
            if guards and not passes_by(scene, acquired, loss.node, test) and _is_filled(scene, sites, acquired, test, node.left):
                return True
    return False


def _asks_for(branch: ir.Branch) -> bool:
    """Whether the first side of a test is where something is there."""
    return branch.operator == "true" or (branch.operator == "!=" and guard.literal(branch.right) == guard.ZERO)


def _is_filled(scene: Scene, sites: Mapping[int, CallSite], acquired: int, test: int, name: str) -> bool:
    """Whether one call on all ways to an acquisition has filled a variable, and nothing has changed it since."""
    given = [node for node, call in enumerate(scene.nodes) if isinstance(call, ir.Call) and any(scene.addresses.get(each) == (name,) for each in call.args)]
    if len(given) != 1 or name in scene.formals or given[0] not in sites or passes_by(scene, ir.ENTRY, acquired, given[0]):
        return False
    behind = _without(scene.cfg.normal, acquired, given[0]) & _without(scene.cfg.predecessors, test, given[0])
    is_set = any(node in behind or not _is_nothing(scene.nodes[node]) for node in scene.definitions.get(name, ()))
    return not is_set and _makes(scene, sites[given[0]], name) and _is_asked(scene, given[0], acquired)


def _without(neighbours: Sequence[Sequence[int]], start: int, filling: int) -> set[int]:
    """The nodes that ways lead to which do not fill the variable again: in a loop another turn begins with that."""
    seen, waiting = {filling}, list(neighbours[start])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += neighbours[node]
    return seen - {filling}


def _is_nothing(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Copy) and ir.is_literal(node.src) and guard.literal(node.src) == guard.ZERO


def _makes(scene: Scene, site: CallSite, name: str) -> bool:
    """Whether a call leaves something that it makes in a variable whose address it gets."""
    roots = {f"${n}" for n, each in enumerate(site.call.args) if scene.addresses.get(each) == (name,)}
    return any(path[0] in roots and path[1:] == ("*",) for transfer in site.acquired for end in transfer.outcomes for path in end.paths)


def _is_asked(scene: Scene, filling: int, acquired: int) -> bool:
    """Whether the answer of a call is tested on the way to an acquisition, by a test of which one side does not come there."""
    call = scene.nodes[filling]
    told = {call.dst} if isinstance(call, ir.Call) and call.dst else set[str]()
    onward = _without(scene.cfg.predecessors, acquired, filling) | {acquired}
    between = scene.cfg.reachable_from(filling) & onward
    for node in sorted(between):
        step = scene.nodes[node]
        if told.isdisjoint(operands(step)):
            continue
        if isinstance(step, ir.Branch):
            return any(each not in onward for each in scene.cfg.normal[node])
        if isinstance(step, ir.Op | ir.Copy | ir.Call) and step.dst:
            told.add(step.dst)
    return False


def _releases(scene: Scene, sites: Mapping[int, CallSite], node: int, names: set[str]) -> bool:
    call = scene.nodes[node]
    if not isinstance(call, ir.Call) or names.isdisjoint(call.args) or node not in sites:
        return False
    return is_releaser(call.name) or any(move.entry[0] in names and any(end.fate == "released" for end in move.outcomes) for move in sites[node].moves)
