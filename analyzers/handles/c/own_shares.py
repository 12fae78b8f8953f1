"""Shares of an object of a library that a procedure of C takes for itself: `GFile *file = g_object_ref(given); … g_object_unref(file);`.

Who counts an object up and gives that up again by the same name has a share of its own, which is lost on a way without the second call.
Misses shares that a procedure never gives up: they may be somebody else's.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.handles.scene import RESULT, Scene
from analyzers.summaries import Effects, Outcome, Transfer

_TAKING, _GIVING_UP = "_ref", "_unref"
"""How the names of functions end that count up and down."""

_OBJECT = "g_object"
"""What the function gives up that gives up others, too: objects of libraries that are made of those of GLib."""


def with_own_share(effects: Effects | None, call: ir.Call, scene: Scene) -> Effects | None:
    """Effects of a call that counts up, as one that makes something, where that is for the procedure alone. None stays None."""
    if effects is None or scene.is_java or not call.name.endswith(_TAKING) or not call.dst or len(call.args) != 1 or ir.is_literal(call.args[0]):
        return effects
    end = call.name.removesuffix(_TAKING) + _GIVING_UP
    names, sources = _copies(scene, call.dst), _sources(scene, call.args[0])
    given_up = {node.args[0] for node in scene.nodes if isinstance(node, ir.Call) and node.name == end and len(node.args) == 1}
    places = [*(scene.addresses.get(each, ()) for each in _cleared(scene)), *(scene.loads.get(each, ()) for each in given_up)]
    given_up |= {place[0] for place in places if len(place) == 1}
    members = {place[-1] for place in places if len(place) > 1}
    if names.isdisjoint(given_up) or not sources.isdisjoint(given_up | names) or any(name in scene.formals for name in names):
        return effects
    if any(len(place) > 1 and place[-1] in members for name in sources if (place := scene.loads.get(name, ()))):
        return effects  # The object may be given up by the member that it was found in.
    model = scene.queries.model((end,), ("",))
    resources = [] if model is None else [each.resource for each in model.transfers if each.entry == ("$0",) and all(one.fate == "released" for one in each.outcomes)]
    resource = _OBJECT if _OBJECT in resources else resources[0] if len(resources) == 1 else ""
    if not resource:
        return effects
    made = Transfer((), resource, "", (Outcome("return", (), "held", (RESULT,)),))
    return msgspec.structs.replace(effects, transfers=(made,), aliases=(), inner=(), retains=(), whole=())


def _cleared(scene: Scene) -> list[str]:
    return [node.args[0] for node in scene.nodes if isinstance(node, ir.Call) and node.name in ("g_clear_object", "g_clear_pointer") and node.args]


def _copies(scene: Scene, first: str) -> set[str]:
    found, waiting = {first}, [first]
    while waiting:
        name = waiting.pop()
        fresh = {node.dst for node in scene.nodes if isinstance(node, ir.Copy | ir.Op | ir.Call) and name in (identity(node), _cast(node))} - found
        found |= fresh
        waiting += sorted(fresh)
    return found


def _cast(node: ir.Instruction) -> str:
    """What a macro makes an object of another class of (`G_FILE(object)`)."""
    is_cast = isinstance(node, ir.Call) and node.name.isupper() and len(node.args) == 1 and bool(node.dst)
    return node.args[0] if is_cast and isinstance(node, ir.Call) else ""


def _sources(scene: Scene, name: str) -> set[str]:
    found, waiting = {name}, [name]
    while waiting:
        for node in scene.definitions.get(waiting.pop(), ()):
            source = identity(scene.nodes[node]) or _cast(scene.nodes[node])
            if source and source not in found and not ir.is_literal(source):
                found.add(source)
                waiting.append(source)
    return found
