"""What a call of C leaves behind several pointers at once: `decode(&chassis, &port)` fills both or none.

Who has one of two handles has the other, where the callee makes sure of it on all ways that end so. Misses callees that fill a
second place only sometimes, or with what they have not made.
"""

from __future__ import annotations

from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Certainty, Condition, Outcome


def left_along(scene: Scene, site: CallSite, outcome: Outcome) -> tuple[Condition, ...]:
    """The other places that a call which acquires something has filled when it ends so: they are not null."""
    if scene.is_java or site.is_library or len(site.acquired) < 2:
        return ()
    told = [each for each in outcome.when if each.path == RESULT]
    found = {
        path: None
        for transfer in site.acquired for each in transfer.outcomes
        if each.certainty is Certainty.MUST and each.fate == "held" and each is not outcome and len(transfer.outcomes) == 1
        and all(condition in told for condition in each.when)
        for path in each.paths if path[1:] == ("*",) and path not in outcome.paths
    }
    return tuple(Condition(path, "!=", "=null") for path in found)
