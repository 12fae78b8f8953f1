"""Lists of C that begin as nothing and grow by their own results: `GSList *all = NULL; … all = g_slist_append(all, each);`.

What a call of a library makes where it is passed nothing, it makes in the first turn of a loop, though in the others there is something already:
that is what was made in the first. Misses lists in members, and variables that take other lists, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite

_NOTHING = ("=null", "=0")


def is_grown(scene: Scene, sites: Mapping[int, CallSite], name: str) -> bool:
    """Whether a local is given nothing but nothing, and what calls of a library make of itself."""
    variable = scene.variables.get(name)
    if variable is None or variable.kind != "local" or variable.is_address_taken:
        return False
    definitions = scene.definitions.get(name, ())
    begins = [at for at in definitions if isinstance(node := scene.nodes[at], ir.Copy) and node.src in _NOTHING]
    return bool(begins) and all(at in begins or _is_of_itself(scene, sites, at, name) for at in definitions)


def _is_of_itself(scene: Scene, sites: Mapping[int, CallSite], at: int, name: str) -> bool:
    """Whether a node gives a variable the result of a call of a library that is passed it."""
    while at not in sites:
        source = identity(scene.nodes[at])
        found = scene.definitions.get(source, ()) if source and ir.is_temporary(source) else ()
        if len(found) != 1:
            return False
        at = found[0]
    return sites[at].is_library and name in sites[at].call.args
