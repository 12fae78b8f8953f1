"""Objects of libraries of C that take their memory from where the caller said: an arena takes all of it back.

`z.zalloc = pool_alloc; deflateInit(&z, 6);` acquires nothing that only `deflateEnd` gives back. A variable is known by its
name: `lib_malloc` for `lib_open`, if some function assigns it. Misses a leak of an
object whose caller brings an allocator that has to be paid back piece by piece.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.dominators import dominates
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Transfer

_ALLOCATOR = "alloc"
_MOST_USERS = 8


def brings_allocator(scene: Scene, node: int, site: CallSite, transfer: Transfer) -> bool:
    """Whether the procedure has put a function that allocates into the struct in which a library leaves what it acquires, or
    the tree into a variable of the library."""
    if scene.is_java or not site.is_library:
        return False
    if _is_replaced(scene, site.call.name):
        return True
    roots = {site.actuals.get(path[0], "") for outcome in transfer.outcomes for path in outcome.paths if len(path) > 1}
    places = {place[0] for root in roots - {""} for place in (scene.addresses.get(root, (root,)), scene.loads.get(root, (root,)))}
    return any(
        isinstance(store := scene.nodes[each], ir.Store) and store.base in places and store.field.endswith(_ALLOCATOR)
        and store.src not in ("=null", "=0") and dominates(scene.dominators, each, node)
        for each in scene.cfg.order
    )


def _is_replaced(scene: Scene, name: str) -> bool:
    """Whether some function assigns the variable that holds the allocator of a library."""
    prefix, line, _ = name.partition("_")
    users = scene.queries.callers(f"{prefix}_malloc") if line else ()
    bodies = (scene.queries.procedure(key) for key in users[:_MOST_USERS])
    return any(
        isinstance(node, ir.Store) and not node.base and node.field == f"{prefix}_malloc" for body in bodies if body is not None for node in body.nodes
    )
