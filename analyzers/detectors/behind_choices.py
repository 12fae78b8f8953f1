"""What a callee of C fills by a pointer that its caller chooses in the call: `resolve(path, told ? &found : NULL)`.

The place is known on one side of the choice only, and what lies there has the name that the choice has not. Such things are not told of:
misses what is lost in the place that was chosen.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Transfer


def is_behind_a_choice(scene: Scene, site: CallSite, transfer: Transfer) -> bool:
    """Whether all that an acquisition goes into lies behind an argument that is the address of one of several things, or of nothing."""
    if scene.is_java:
        return False
    roots = {path[0] for outcome in transfer.outcomes for path in outcome.paths}
    return bool(roots) and all(_is_chosen(scene, site.actuals.get(root, "")) for root in roots)


def _is_chosen(scene: Scene, actual: str) -> bool:
    places = scene.definitions.get(actual, ()) if ir.is_made_up(actual) else ()
    return len(places) > 1 and any(isinstance(scene.nodes[place], ir.AddressOf) for place in places)
