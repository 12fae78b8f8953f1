"""Pointers of a procedure of C that a library has filled: where the call says that it has worked, there is something (`if (getaddrinfo(host, 0, 0, &list)) return;`).

Only for variables that are pointers by their type, or that begin with `NULL`: a descriptor may be 0. Says nothing of a call whose result does
not tell whether it has worked, nor of what a function of the program leaves: its own ways to return tell of that.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains import guard
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Certainty, Condition

_BEHIND = 2
"""The length of the path of what lies where a pointer leads."""


def filled_ways(scene: Scene, site: CallSite) -> tuple[tuple[Condition, ...], ...]:
    """The ways to return of a call that fills what it is given, with what each leaves there; none where that is not told."""
    if scene.is_java or not site.is_library or not site.call.dst:
        return ()
    ends = [end for transfer in site.acquired for end in transfer.outcomes if end.fate == "held" and end.exit == "return"]
    when = ends[0].when if ends else ()
    if not when or any(each.when != when or each.certainty is not Certainty.MUST for each in ends) or any(each.path != RESULT for each in when):
        return ()
    places = [path for end in ends for path in end.paths if len(path) == _BEHIND and path[1] == "*" and _is_pointer(scene, site, path[0])]
    if not places:
        return ()
    worked = (*when, *(Condition(path, "!=", "=null") for path in dict.fromkeys(places)))
    return (worked, *((Condition(each.path, guard.NEGATED[each.operator], each.value),) for each in when))


def _is_pointer(scene: Scene, site: CallSite, formal: str) -> bool:
    """Whether what a call fills is a variable that holds a pointer."""
    place = scene.addresses.get(site.actuals.get(formal, ""), ())
    if len(place) != 1 or place[0] not in scene.variables:
        return False
    return "*" in scene.type_of(place[0]) or any(isinstance(node, ir.Copy) and node.src == "=null" for node in map(scene.nodes.__getitem__, scene.definitions.get(place[0], ())))
