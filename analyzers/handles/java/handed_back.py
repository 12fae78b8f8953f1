"""Methods of Java that always return the object they were called on (`builder.with(in)`).

Their result is the same object: as much the procedure's own as the receiver is, and shared as soon as that one is. Misses methods
that hand back an argument, or that do so on some of their ways only.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Certainty, Outcome

_THIS = ("this",)
_RESULT = ("$ret",)


def handed_back(scene: Scene, sites: Mapping[int, CallSite]) -> dict[int, str]:
    """The calls whose result is their receiver, each with that receiver's variable."""
    return {
        node: site.call.receiver for node, site in sites.items()
        if scene.is_java and site.call.dst and site.call.receiver and not site.is_doubtful and _is_receiver(site)
    }  # fmt: skip


def _is_receiver(site: CallSite) -> bool:
    """Whether whoever has the receiver has the result, on all returns."""
    if site.effects is None or site.effects.aliases != _THIS or not site.effects.is_known:
        return False
    whole = [each for each in site.effects.transfers if each.entry == _THIS]
    returns = [outcome for transfer in whole for outcome in transfer.outcomes if outcome.exit == "return"]
    return bool(returns) and all(_holds_both(outcome) for outcome in returns)


def _holds_both(outcome: Outcome) -> bool:
    return outcome.fate == "held" and outcome.certainty is Certainty.MUST and _RESULT in outcome.paths and _THIS in outcome.paths
