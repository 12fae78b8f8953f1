"""Handles of C whose maker says behind a pointer whether its result is the caller's to release (`text = find(key, &is_ours); … if (is_ours) free(text);`).

What is lost on the other side of such a test was not the caller's, however much a summary knows of when the maker said so. Believed
where the maker stores nothing but constants there, or passes the pointer on, and none of them (an error) where it gives nothing.
Misses losses where it says no of what it made.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.detectors.flagged import leads_to_release
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sides import ways_where_there
from analyzers.handles.sites import CallSite
from analyzers.queries import ProcedureKey

_FLAGS = frozenset(("int *", "gboolean *", "bool *", "_Bool *", "BOOL *", "char *", "unsigned int *", "unsigned *", "unsigned char *"))
"""Of what type the formal is that a maker says this by."""

_NOTHING = frozenset(("=null", "=0", "=false"))

_FEW = 12
"""Instructions between what a maker stores and its return."""


def is_told_to_free(scene: Scene, sites: Mapping[int, CallSite], acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition to a loss, but for those on which there is nothing, go by a test of what its call says so."""
    call, target = scene.nodes[acquired], scene.linked.targets.get(acquired)
    if scene.is_java or not isinstance(call, ir.Call) or not call.dst or target is None or not target.procedures:
        return False
    names = {call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))}
    flags = [
        place for position, each in enumerate(call.args)
        if (place := _place(scene, each)) and all(_is_flag(scene, key, position) for key in target.procedures)
    ]
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)
    tests = {
        at for at in between for place in flags
        if _tests(scene, at, place) and leads_to_release(scene, sites, scene.cfg.normal[at][0], names)
    }
    return bool(tests) and not _passes_by(scene, acquired, loss.node, tests, names)


def _place(scene: Scene, operand: str) -> tuple[str, ...]:
    """The number that an argument points to: a local whose address it is, or what a formal points to."""
    found = scene.addresses.get(operand, ())
    if len(found) == 1 and not scene.is_aggregate(found[0]):
        return found
    return (operand, "*") if operand in scene.formals and operand not in scene.definitions else ()


def _is_flag(scene: Scene, key: ProcedureKey, position: int) -> bool:
    """Whether a procedure says something by a number behind a formal: by constants, or by whom it passes it to."""
    linked = scene.queries.linked(key)
    if linked is None or position >= len(linked.body.parameters):
        return False
    formal = linked.body.parameters[position]
    types = {each.name: each.type for each in linked.body.variables}
    if types.get(formal, "").replace("const ", "") not in _FLAGS:
        return False
    nodes = linked.body.nodes
    stores = {at: each for at, each in enumerate(nodes) if isinstance(each, ir.Store | ir.StoreElement) and each.base == formal}
    if not all(isinstance(each, ir.Store) and ir.is_literal(each.src) for each in stores.values()):
        return False
    passed = any(isinstance(each, ir.Call) and formal in each.args for each in nodes)
    return bool(stores or passed) and not any(each.src not in _NOTHING and _gives_nothing(linked.body, at) for at, each in stores.items())


def _gives_nothing(body: ir.Procedure, node: int) -> bool:
    """Whether the one way on from a node returns null."""
    for _ in range(_FEW):
        following = body.next[node]
        if len(following) != 1:
            return False
        node = following[0]
        step = body.nodes[node]
        if isinstance(step, ir.Return):
            return step.src in _NOTHING
    return False


def _tests(scene: Scene, at: int, place: tuple[str, ...]) -> bool:
    branch = scene.nodes[at]
    if not isinstance(branch, ir.Branch) or branch.operator != "true":
        return False
    return (branch.left,) == place if len(place) == 1 else scene.loads.get(branch.left) == place


def _passes_by(scene: Scene, start: int, end: int, avoided: set[int], names: set[str]) -> bool:
    """Whether a way leads from one node to another without any of some tests, and not by the side of a test on which a name is null."""
    seen, waiting = set(avoided), list(scene.cfg.normal[start])
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        if node in seen:
            continue
        seen.add(node)
        waiting += ways_where_there(scene, node, names)
    return False
