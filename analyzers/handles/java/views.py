"""Views of collections: what `values()`, `entrySet()` or `iterator()` hands out shows the elements of its receiver.

A view of a collection that the procedure made, and nobody else has, is as much its own. Misses views whose class a spec does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite


def views(scene: Scene, sites: Mapping[int, CallSite]) -> Iterator[int]:
    """The calls of Java, in order, that hand out a view of what is the procedure's own, as far as that is known when the next is asked for."""
    for node, site in sites.items() if scene.is_java else ():
        call = site.call
        if call.dst and call.receiver and site.is_library and _shows_elements(site) and scene.is_fresh(call.receiver):
            yield node


def _shows_elements(site: CallSite) -> bool:
    """Whether the elements of the receiver lie among those of the result, too."""
    moves = [move for move in site.moves if len(move.entry) == 2 and move.entry == (site.call.receiver, "[]")]
    return any(path[:2] == ("$ret", "[]") for move in moves for outcome in move.outcomes for path in outcome.paths)
