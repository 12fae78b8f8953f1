"""Pointers that callees of C leave where they are told to (`open_box(&box)`): which are new, and which lead to something that was there before.

A callee that is not known is not asked: whoever it is passed to may hold it.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite


def is_initialiser(node: ir.Instruction) -> bool:
    """Whether an instruction gives a struct nothing but what it has to begin with: zeros, or a library's own macro
    (`lzma_stream stream = LZMA_STREAM_INIT;`)."""
    if isinstance(node, ir.Op):
        return node.operator == "zero"
    return isinstance(node, ir.Load) and not node.base and node.field.isupper() and not {"INIT", "INITIALIZER"}.isdisjoint(node.field.split("_")[1:])


def filled_variables(scene: Scene, sites: Mapping[int, CallSite]) -> tuple[frozenset[str], frozenset[str]]:
    """The variables in which callees leave what they make, and those in which one leaves something else."""
    made: set[str] = set()
    found: set[str] = set()
    for site in sites.values():
        for position, argument in enumerate(site.call.args if site.effects is not None else ()):
            target = scene.addresses.get(argument, ())
            if len(target) == 1 and not ir.is_literal(argument) and not scene.is_aggregate(target[0]):
                place = (f"${position}", "*")
                if any(place in outcome.paths for transfer in site.acquired for outcome in transfer.outcomes):
                    made.add(target[0])
                elif site.effects is not None and place in site.effects.writes and not _ends(site, place):
                    found.add(target[0])
    return frozenset(made - found), frozenset(found)


def _ends(site: CallSite, place: tuple[str, str]) -> bool:
    """Whether a callee releases what lies at a place, and so leaves nothing there."""
    transfers = site.effects.transfers if site.effects is not None else ()
    return any(each.entry == place and any(outcome.fate == "released" for outcome in each.outcomes) for each in transfers)
