"""What a callee of C leaves behind a pointer on ways on which nobody knows what it returns, and its caller drops by what it does return.

`if (get(&text, &error) < 0) { release(&error); return; }`: an error is there where the call has failed, whatever arithmetic can tell of
its result (`return -status - 1`). `if (map(name, &file) == MAP_FAILED) return; …; unmap(&file);`: who ends a thing on all ways behind one
answer knows that there is none behind the other. Misses a thing that is left on both, and lost on one of them.
"""

from __future__ import annotations

from collections.abc import Set

from analyzers import ir
from analyzers.domains import guard
from analyzers.graphs.operands import used
from analyzers.handles.runs import Loss
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Certainty, Outcome, Transfer

_SUCCESS = {"<": 1, "!=": 1, "true": 1, ">=": 0, "==": 0}
"""Per comparison with zero the side (0 where it holds) on which a call that says by its sign that it has failed has not."""


EQUAL_SIDES = {"==": 0, "!=": 1}
"""Per comparison the side on which both are the same."""


def is_told_by_sign(scene: Scene, site: CallSite, transfer: Transfer, acquired: int, loss: Loss) -> bool:
    """Whether the way to a loss goes by the success of the call that acquired, and its failure is what the thing is for."""
    result = site.call.dst
    if scene.is_java or site.is_library or not result or "*" in scene.type_of(result) or not _is_untold(transfer):
        return False
    places = {scene.addresses.get(actual, (actual,))[0] for outcome in transfer.outcomes for path in outcome.paths
              if (actual := site.actuals.get(path[0], "")) and not ir.is_literal(actual)}
    names = {result, *(copy.dst for copy in scene.copies.get(result, ()))}
    for node in sorted(scene.cfg.reachable_from(acquired)):
        branch = scene.nodes[node]
        if not isinstance(branch, ir.Branch) or branch.left not in names or len(scene.cfg.normal[node]) != 2:
            continue
        side = _success(branch)
        if side is None or comes(scene, acquired, loss.node, {node}):
            continue
        of_place = {at for at in scene.cfg.order if at != acquired and _mentions(scene, at, places)}
        return deals(scene, scene.cfg.normal[node][1 - side], of_place)
    return False


def is_told_by_answer(scene: Scene, site: CallSite, transfer: Transfer, acquired: int, loss: Loss) -> bool:
    """Whether the way to a loss goes by one side of the first test of the result of the call that acquired, and all ways behind the other
    side have to do with the place of the thing."""
    result = site.call.dst
    if scene.is_java or site.is_library or not result or not _is_untold(transfer):
        return False
    places = {scene.addresses.get(actual, (actual,))[0] for outcome in transfer.outcomes for path in outcome.paths
              if (actual := site.actuals.get(path[0], "")) and not ir.is_literal(actual)}
    names = {result, *(copy.dst for copy in scene.copies.get(result, ()))}
    names |= {each.dst for each in scene.nodes if isinstance(each, ir.Call) and each.dst and len(each.args) == 1 and each.args[0] in names}
    names |= {each.dst for each in scene.nodes if isinstance(each, ir.Op) and each.operator == "cast" and not names.isdisjoint(each.operands)}
    of_place = {at for at in scene.cfg.order if at != acquired and _mentions(scene, at, places)}
    for node in sorted(scene.cfg.reachable_from(acquired)):
        branch, sides = scene.nodes[node], scene.cfg.normal[node]
        if isinstance(branch, ir.Branch) and branch.left in names and len(sides) == 2 and not comes(scene, acquired, loss.node, {node}):
            return any(
                other != loss.node and not comes(scene, other, loss.node, set()) and deals(scene, other, of_place)
                and not deals(scene, side, of_place) for side, other in (sides, tuple(reversed(sides)))
            )
    return False


def is_by_failure(scene: Scene, site: CallSite, transfer: Transfer, acquired: int, loss: Loss) -> bool:
    """Whether all ways to a loss go by the failure of the call, of which its callee tells no more than that its status may be success, and
    that it may have left something: several statuses in one (`status = fill(tree); *made = tree; return status;`). By what is agreed, a call
    that fails leaves nothing; misses callees that do. Where each way says what it returns, the loss is told."""
    result = site.call.dst
    if scene.is_java or site.is_library or not result or "*" in scene.type_of(result) or not all(map(_is_any_status, transfer.outcomes)):
        return False
    names = {result, *(copy.dst for copy in scene.copies.get(result, ()))}
    for node in sorted(scene.cfg.reachable_from(acquired)):
        branch = scene.nodes[node]
        if isinstance(branch, ir.Branch) and branch.left in names and len(scene.cfg.normal[node]) == 2 and (side := _success(branch)) is not None:
            after = scene.cfg.normal[node][side]
            return after != loss.node and not comes(scene, acquired, loss.node, {node}) and not comes(scene, after, loss.node, {acquired})
    return False


def _is_any_status(outcome: Outcome) -> bool:
    """Whether something may be left behind a pointer at several statuses, success among them."""
    told = guard.TOP
    for each in outcome.when:
        if each.path == RESULT and ir.is_literal(each.value):
            told = guard.refine(told, each.operator, guard.literal(each.value)) or told
    is_hull = told not in (guard.TOP, guard.ZERO) and guard.contains(told, 0)
    return outcome.certainty is Certainty.MAY and is_hull and all(path[:1] != RESULT for path in outcome.paths)


def _is_untold(transfer: Transfer) -> bool:
    """Whether something is left behind a pointer, and some way says nothing of the result."""
    if any(path[:1] == RESULT for outcome in transfer.outcomes for path in outcome.paths):
        return False
    return any(all(condition.path != RESULT for condition in outcome.when) for outcome in transfer.outcomes)


def _success(branch: ir.Branch) -> int | None:
    if branch.operator == "true":
        return 1
    value = guard.literal(branch.right) if ir.is_literal(branch.right) else None
    if value == guard.ZERO:
        return _SUCCESS.get(branch.operator)
    if branch.right == "=-1":
        return {"==": 1, "!=": 0}.get(branch.operator)
    return None


def _mentions(scene: Scene, node: int, places: set[str]) -> bool:
    """Whether a call, or what leaves the procedure, has to do with one of some variables."""
    instruction = scene.nodes[node]
    if not isinstance(instruction, ir.Call | ir.Return):
        return False
    return any(name in places or scene.addresses.get(name, (name,))[0] in places for name in used(instruction))


def deals(scene: Scene, start: int, of_place: set[int]) -> bool:
    """Whether all ways from a node, itself among them, to the end pass by what has to do with a place."""
    return start in of_place or (start != ir.EXIT and not comes(scene, start, ir.EXIT, of_place))


def comes(scene: Scene, start: int, end: int, avoided: set[int], held: Set[str] = frozenset()) -> bool:
    """Whether a way leads from one node to another without some, and by no test that says that a variable is null which is `held`."""
    seen, waiting = set(avoided), list(scene.cfg.normal[start])
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        if node == end:
            return True
        seen.add(node)
        after, branch = scene.cfg.normal[node], scene.nodes[node]
        if isinstance(branch, ir.Branch) and branch.left in held and branch.right == "=null" and branch.operator in EQUAL_SIDES and len(after) == 2:
            after = (after[1 - EQUAL_SIDES[branch.operator]],)
        waiting += after
    return False
