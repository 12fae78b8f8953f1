"""What the shape of a loss in C says of it: shapes that were a misunderstanding more often than a leak, wherever they were read.

Which warnings are true can be told from their shape (Ruthruff et al., «Predicting accurate and actionable static analysis
warnings», ICSE 2008). Of 420 witnessed reports in thirty trees, each read before the
program was changed for that tree, 68 % were true; of the 46 with a shape named here 6, of all others 75 % (docs/scans-c.md). What is
lost by such a shape is told as assumed, and never left out. Java's are other ones, and are not judged here.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.finding import Role, Step
from analyzers.handles.callees import CallSites
from analyzers.handles.runs import Loss
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import AccessPath, Transfer

POINTEE = ("*",)
"""What a pointer leads to."""

MAX_HANDS = 4
"""Calls through which a handle comes, the acquisition itself among them, such that its leak is told as witnessed."""

MAX_TURNS = 6
"""Tests on the way to where something is replaced or goes out of scope, such that this is told as witnessed. What is replaced
behind more is mostly an arm of a dispatch, taken again in another turn of its loop."""


def is_improbable(
    scene: Scene, sites: CallSites, node: int, transfer: Transfer, loss: Loss, steps: Sequence[Step]
) -> bool:
    """Whether the shape of a loss of what a node acquires speaks against a leak. `steps` are its witness."""
    if scene.is_java:
        return False
    if _is_from_afar(steps) or (not loss.exit and _turns(steps) > MAX_TURNS):
        return True
    if _is_left_with_another(scene, sites.sites[node], transfer) and not _is_by_free(sites, loss):
        return True
    is_whole = all(path == RESULT for outcome in transfer.outcomes for path in outcome.paths)
    is_passed_by = _turns(steps) == 0 and loss.exit == "return"
    return is_passed_by and transfer.site is not None and is_whole and _is_released(scene, sites, node)


def _is_from_afar(steps: Sequence[Step]) -> bool:
    """Whether a handle comes through so many functions that summaries no longer tell which of several things they make for
    these arguments, and who else gets it."""
    return sum(step.role is Role.ACQUIRE for step in steps) > MAX_HANDS


def _turns(steps: Sequence[Step]) -> int:
    return sum(step.role is Role.BRANCH for step in steps)


def _is_left_with_another(scene: Scene, site: CallSite, transfer: Transfer) -> bool:
    """Whether a callee leaves what it makes inside of what an argument points to, which is no struct of this procedure's own:
    whoever has that may have another way to what lies there. A variable whose address is passed is the procedure's own."""
    return any(_is_inside_argument(path) and not _is_own(scene, site, path[0]) for outcome in transfer.outcomes for path in outcome.paths)


def _is_inside_argument(path: AccessPath) -> bool:
    return path[0] != RESULT[0] and len(path) > 1 and path[1:] != POINTEE


def _is_own(scene: Scene, site: CallSite, root: str) -> bool:
    actual = site.actuals.get(root, "")
    held = scene.addresses.get(actual, (actual,)) if actual else ()
    return bool(held) and scene.is_aggregate(held[0])


def _is_by_free(sites: CallSites, loss: Loss) -> bool:
    """Whether a function of a library takes away the block that leads to it, and nothing more."""
    site = sites.sites.get(loss.node)
    return site is not None and site.is_library and any(outcome.fate == "released" for move in site.moves for outcome in move.outcomes)


def _is_released(scene: Scene, sites: CallSites, node: int) -> bool:
    """Whether the procedure releases what a callee returns. Where nothing is asked on the way to the end that holds it still,
    the release is passed by for a reason that is not seen: another name."""
    names, waiting = {sites.sites[node].call.dst}, [sites.sites[node].call.dst]
    while waiting:
        fresh = {copy.dst for copy in scene.copies.get(waiting.pop(), ())} - names
        names |= fresh
        waiting += fresh
    reached = scene.cfg.reachable_from(node)
    return any(
        move.entry[0] in names and any(outcome.fate == "released" for outcome in move.outcomes)
        for at, site in sites.sites.items() if at in reached and at != node for move in site.moves
    )
