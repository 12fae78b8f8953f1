"""What callees of C count up and give back: `return session_ref(session);` hands the session to the caller."""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath


def shared_results(scene: Scene, sites: CallSites) -> dict[str, list[AccessPath]]:
    """Per result that the procedure returns the argument of its callee that it is another name of, where the callee counts that up:
    for its caller the share is one of its own (`counting`), for who gets the result it is the object."""
    found: dict[str, list[AccessPath]] = {}
    if scene.is_java or "*" not in scene.body.result:
        return found
    for node in scene.nodes:
        if isinstance(node, ir.Return) and ir.is_temporary(node.src) and len(scene.definitions.get(node.src, ())) == 1:
            place = scene.definitions[node.src][0]
            argument = _given_back(scene, sites, place) if place in sites.sites else ""
            if argument:
                found[node.src] = [(argument,)]
    return found


def _given_back(scene: Scene, sites: CallSites, place: int) -> str:
    """The argument that a callee returns without saying so in its Effects; empty where there is none."""
    site, target = sites.sites[place], scene.linked.targets.get(place)
    if target is None or len(target.procedures) != 1 or site.effects is None or site.effects.aliases:
        return ""
    callee = scene.queries.linked(target.procedures[0])
    returned = {node.src for node in callee.body.nodes if isinstance(node, ir.Return) and not ir.is_literal(node.src)} if callee is not None else set()
    if callee is None or len(returned) != 1 or not returned <= set(callee.body.parameters):
        return ""
    position = callee.body.parameters.index(next(iter(returned)))
    is_moved = any(each.entry[:1] == (f"${position}",) for each in site.effects.transfers)
    arguments = site.call.args
    return arguments[position] if not is_moved and position < len(arguments) and not ir.is_literal(arguments[position]) else ""
