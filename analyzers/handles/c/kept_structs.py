"""Structs of a procedure's own whose address a function of C gets that may keep it, for all that is known: what their members hold is
reached by whoever has that.

Misses what is lost of such a struct.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.summaries import Certainty, Effects, Outcome


def kept_along(scene: Scene, call: ir.Call, effects: Effects) -> Iterator[Exposure]:
    """The structs of which a function of the program's own that nobody knows all of may keep the address."""
    if effects.is_known:
        return
    for transfer in effects.transfers:
        root = transfer.entry[0][1:] if len(transfer.entry) == 1 else ""
        argument = call.args[int(root)] if root.isdigit() and int(root) < len(call.args) else ""
        place = scene.addresses.get(argument, ())
        if place and scene.is_aggregate(place[0]) and any(map(_may_keep, transfer.outcomes)):
            yield Exposure(place, Policy.ESCAPE)


def _may_keep(outcome: Outcome) -> bool:
    return outcome.fate == "retained" and outcome.certainty is Certainty.MAY and not outcome.is_presumed
