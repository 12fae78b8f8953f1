"""Members of a struct on the stack whose address the procedure has put somewhere: what is done to them there is out of sight.

`env->file = &file; file.text = malloc(n); ... free(env->file->text);` releases under a name that is not followed, since
callees may have changed `env`. Misses nothing by itself: such losses are assumed.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite


def is_pointed_at(scene: Scene, site: CallSite, loss: Loss) -> bool:
    """Whether what a call of C acquires goes into a struct of the stack whose address is stored, before it is lost."""
    if scene.is_java or not site.call.dst:
        return False
    names = {site.call.dst, *(copy.dst for copy in scene.copies.get(site.call.dst, ()))}
    if any(scene.variables[name].kind != "temporary" for name in names if name in scene.variables):
        return False
    structs = {
        store.base for node in scene.cfg.order
        if isinstance(store := scene.nodes[node], ir.Store) and store.src in names and scene.is_aggregate(store.base)
    }
    return bool(structs) and any(
        isinstance(store := scene.nodes[node], ir.Store | ir.StoreElement) and store.base not in scene.addresses
        and not scene.is_aggregate(store.base) and scene.addresses.get(store.src, ("",))[0] in structs
        for node in sorted(scene.cfg.reaching(loss.node))
    )
