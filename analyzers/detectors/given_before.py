"""Objects of Java that somebody else had already when a method opened something in them.

`line = new Line(); dao = new Dao(line); line.open(file);`: what is opened lies in the line, and whoever has the line, here the
new object in `dao`, can close it. A handle is followed by the names that it gets after its acquisition, so who got the object before
is looked for here: stores, and callees that keep what they are passed or that nobody knows. Direction of error: misses what is
opened in an object whose other holders are lost as well.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.handles.moves import identity
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy
from analyzers.summaries import AccessPath, Transfer


def is_given_before(scene: Scene, sites: dict[int, CallSite], node: int, transfer: Transfer) -> bool:
    """Whether an object in which a call leaves what it acquires may be somebody else's as well when it is made."""
    site = sites[node]
    if not scene.is_java or site.call.kind == "new":
        return False
    inside = {path[0] for outcome in transfer.outcomes for path in outcome.paths if _is_inside(path)}
    roots = {site.actuals.get(each, "") for each in inside}
    names = frozenset(each for each in roots if each and not ir.is_literal(each) and not scene.outlives(each))
    if not names:
        return False
    before = scene.cfg.reaching(node) - {node}
    names = all_names(scene, before, names)
    return any(_is_giving(scene.nodes[each], sites.get(each), names) for each in before)


def _is_inside(path: AccessPath) -> bool:
    """Whether a path leads into an object that a callee had already; what is only closed with one is not kept there."""
    return len(path) > 1 and path[0] != RESULT[0] and path[-1] != CLOSED_WITH


def all_names(scene: Scene, before: Iterable[int], names: frozenset[str]) -> frozenset[str]:
    """These variables, and those that are copied from or to one of them at some nodes."""
    pairs = [(getattr(scene.nodes[each], "dst", ""), identity(scene.nodes[each])) for each in before]
    while more := {one for pair in pairs if all(pair) and not names.isdisjoint(pair) for one in pair} - names:
        names |= more
    return names


def _is_giving(node: ir.Instruction, site: CallSite | None, names: frozenset[str]) -> bool:
    """Whether an instruction gives an object to anybody."""
    match node:
        case ir.Store(src=src) | ir.StoreElement(src=src):
            return src in names
        case ir.Call() if site is not None:
            held = any(
                outcome.fate == "retained" or any(len(path) > 1 or path == RESULT for path in outcome.paths)
                for move in site.moves if len(move.entry) == 1 and move.entry[0] in names for outcome in move.outcomes
            )
            return held or any(each.path[0] in names and each.policy is Policy.ESCAPE for each in site.exposures)
        case _:
            return False
