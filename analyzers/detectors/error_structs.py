"""Errors of C that a call leaves in a struct of the caller's, and that the caller then asks for: `reply = send(bus, message, &error);
if (dbus_error_is_set(&error)) return -1;`.

By the convention of D-Bus, a call that says so hands out nothing. Misses what is handed out all the same.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.told_by_sign import comes
from analyzers.handles.runs import Loss
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Transfer

_ASKING = "_error_is_set"
"""How functions end that say whether there is an error."""


def is_with_error(scene: Scene, site: CallSite, transfer: Transfer, acquired: int, loss: Loss) -> bool:
    """Whether all ways from a call that gives something to where that is lost go by the answer that the call has left an error."""
    is_given = all(path[:1] == RESULT for outcome in transfer.outcomes for path in outcome.paths)
    places = {scene.addresses[each] for each in site.call.args if each in scene.addresses}
    if scene.is_java or not places or not is_given:
        return False
    for node in sorted(scene.cfg.reachable_from(acquired)):
        branch, sides = scene.nodes[node], scene.cfg.normal[node]
        if not isinstance(branch, ir.Branch) or branch.operator != "true" or len(sides) != 2 or not _asks_for(scene, branch.left, places):
            continue
        is_behind = sides[0] == loss.node or comes(scene, sides[0], loss.node, {acquired})
        if is_behind and sides[1] != loss.node and not comes(scene, acquired, loss.node, {node}) and not comes(scene, sides[1], loss.node, {acquired}):
            return True
    return False


def _asks_for(scene: Scene, answer: str, places: set[tuple[str, ...]]) -> bool:
    """Whether something is the answer of a call that was asked for an error at one of some places."""
    return any(
        isinstance(call := scene.nodes[node], ir.Call) and call.name.endswith(_ASKING)
        and len(call.args) == 1 and scene.addresses.get(call.args[0]) in places
        for node in scene.definitions.get(answer, ())
    )
