"""Objects of C whose maker passes them on at once to who counts them up and gives them back: `box = share(calloc(1, sizeof *box));`.

A count that begins at nothing is raised to the first share, so that the result is the object itself and not one share more of it. Told by
an argument that nothing else reads, or that comes from who zeroes it and was never counted (`order = calloc(1, sizeof *order); mine =
share(order);`), also a part of such an object (`io = share(&work->io);`), of which the callee touches no more than the count, and a result of its type. What a callee makes and returns, and stores such an object
in, has that first share. Misses leaks of objects whose maker has
counted them already, and of all shares but the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.handles.c.counters import is_counter
from analyzers.handles.c.zeroed import is_zeroing
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.queries import Target
from analyzers.summaries import Effects, Outcome, Transfer


def with_first_share(effects: Effects, call: ir.Call, target: Target, scene: Scene) -> Effects:
    """Effects of a call whose result is also the object that it shares, where the caller has no other name for that."""
    if not call.dst or effects.aliases or "*" not in target.result:
        return effects
    if effects.transfers or effects.retains:
        return _with_stored(effects, call, target, scene)
    touched = {*effects.reads, *effects.writes}
    shared = (path[0] for path in effects.writes if len(path) == 2 and is_counter(path[1]) and {each for each in touched if each[0] == path[0]} == {path})
    own = tuple(each for each in shared if target.result == _declared(each, target) and (_is_made_for(each, call, scene) or _is_uncounted(each, call, scene)))
    return msgspec.structs.replace(effects, aliases=own) if own else effects


def _with_stored(effects: Effects, call: ir.Call, target: Target, scene: Scene) -> Effects:
    """Effects of a call that makes something, and stores a new object in it that it counts up: it has the first share then."""
    told = {each.entry for each in effects.transfers}
    counted = dict.fromkeys(path[0] for path in effects.writes if len(path) == 2 and path[0][1:].isdigit() and is_counter(path[1]) and (path[0],) not in told)
    kept = tuple((each,) for each in counted if _is_uncounted(each, call, scene) and _is_stored(each, target, scene))
    moved = tuple(Transfer(each, "", "", (Outcome("return", (), "retained"),)) for each in kept)
    return msgspec.structs.replace(effects, transfers=(*effects.transfers, *moved), retains=tuple(dict.fromkeys((*effects.retains, *kept)))) if kept else effects


def _is_stored(formal: str, target: Target, scene: Scene) -> bool:
    """Whether a body stores what it is passed in something: what it makes has the first share then (`picture->data = data; data->refcount++;`)."""
    bodies = [scene.queries.procedure(key) for key in target.procedures]
    position = int(formal[1:]) if formal[1:].isdigit() else -1
    return bool(bodies) and all(
        body is not None and 0 <= position < len(body.parameters)
        and any(isinstance(node, ir.Store) and node.src == body.parameters[position] for node in body.nodes)
        for body in bodies
    )


def _declared(formal: str, target: Target) -> str:
    """The type of a formal; empty where it is not known."""
    position = int(formal[1:]) if formal[1:].isdigit() else len(target.parameters)
    return target.parameters[position] if position < len(target.parameters) else ""


def _is_made_for(formal: str, call: ir.Call, scene: Scene) -> bool:
    """Whether an argument is what another call gives, and nothing else reads it."""
    name = call.args[int(formal[1:])] if int(formal[1:]) < len(call.args) else ""
    while ir.is_temporary(name) and len(scene.definitions.get(name, ())) == 1 and len(scene.readers.of(name)) == 1:
        made = scene.nodes[scene.definitions[name][0]]
        if isinstance(made, ir.Call):
            return True
        name = identity(made) or ""
    return False


def _is_uncounted(formal: str, call: ir.Call, scene: Scene) -> bool:
    """Whether an argument is an object that its maker has zeroed, and that nobody has counted up then: not here, nor where it was made."""
    name = call.args[int(formal[1:])] if int(formal[1:]) < len(call.args) else ""
    at = scene.definitions.get(name, ()) if ir.is_temporary(name) else ()
    if len(at) == 1 and isinstance(part := scene.nodes[at[0]], ir.AddressOf) and part.field not in ("", "*") and not scene.is_aggregate(part.base):
        name = part.base  # The count is in a part of the object: `share(&work->io)`.
    made = [node for node in scene.definitions.get(name, ()) if isinstance(scene.nodes[node], ir.Call)]
    if len(made) != 1 or _counts(scene.nodes, name):
        return False
    maker = scene.nodes[made[0]]
    if isinstance(maker, ir.Call) and is_zeroing(maker.name):
        return True
    target = scene.linked.targets.get(made[0])
    bodies = [scene.queries.procedure(key) for key in target.procedures] if target is not None else []
    return bool(bodies) and all(
        body is not None and any(isinstance(node, ir.Call) and is_zeroing(node.name) for node in body.nodes) and not _counts(body.nodes)
        for body in bodies
    )


def _counts(nodes: Sequence[ir.Instruction], name: str = "") -> bool:
    """Whether a count of references is set to something, of a variable or of any."""
    return any(isinstance(node, ir.Store) and name in ("", node.base) and is_counter(node.field) and node.src != "=0" for node in nodes)
