"""What is made of something that belongs to somebody else, who goes on with it: a stream of the caller's descriptor (`fdopen(fd, "r")`).

Who closes the stream closes the descriptor. Where the procedure never does, on no path, it may not be meant to: the caller closes it.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.handles.moves import identity
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite


def lent_inside(scene: Scene, sites: dict[int, CallSite], site: CallSite) -> str:
    """What lies in the result of a call of C that the procedure was passed, or found in an object, as the code names it, where the procedure
    neither ends the result nor hands it on; empty where there is nothing of the kind."""
    if scene.is_java or not site.is_library or not site.call.dst:
        return ""
    inside = [
        move.entry[0] for move in site.moves
        if len(move.entry) == 1 and any(path == (*RESULT, WRAPPED) for outcome in move.outcomes for path in outcome.paths)
    ]
    found = next((shown for name in inside if (shown := _anothers(scene, name))), "")
    return found if found and not _is_ended(scene, sites, site.call.dst) else ""


def _anothers(scene: Scene, name: str) -> str:
    if name in scene.formals:
        return ir.source_name(name) if name not in scene.assigned_formals else ""
    nodes = [scene.nodes[node] for node in scene.definitions.get(name, ())]
    if len(nodes) != 1:
        return ""
    if isinstance(nodes[0], ir.Load):
        base, field = nodes[0].base, nodes[0].field
        return "" if base and scene.is_fresh(base) else f"{ir.source_name(base)}->{field}" if base else field
    source = identity(nodes[0])
    return _anothers(scene, source) if source and not ir.is_literal(source) else ""


def _is_ended(scene: Scene, sites: dict[int, CallSite], name: str) -> bool:
    names, waiting = {name}, [name]
    while waiting:
        for copy in scene.copies.get(waiting.pop(), ()):
            if copy.dst not in names:
                names.add(copy.dst)
                waiting.append(copy.dst)
    stores = [node for node in scene.nodes if isinstance(node, ir.Store) and node.src in names]
    own = {node.field for node in stores if _is_own_struct(scene, node)}
    if any(isinstance(node, ir.Return) and node.src in names for node in scene.nodes) or any(node.field not in own for node in stores):
        return True  # Who gets it answers for it.
    names |= {node.dst for node in scene.nodes if isinstance(node, ir.Load) and node.field in own}
    return any(
        ((len(move.entry) == 1 and move.entry[0] in names) or move.entry[-1] in own) and any(outcome.fate == "released" for outcome in move.outcomes)
        for each in sites.values() for move in each.moves
    )


def _is_own_struct(scene: Scene, store: ir.Store) -> bool:
    """Whether something is put into a struct of the procedure's own, whose end is that of the procedure (`sink.file = fdopen(fd, "w")`)."""
    root = scene.normalise((store.base, store.field))[0] if store.base else ""
    is_returned = any(isinstance(node, ir.Return) and node.src == root for node in scene.nodes)
    return bool(root) and scene.is_aggregate(root) and not scene.outlives(root) and not is_returned
