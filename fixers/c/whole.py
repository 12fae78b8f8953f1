"""The program's own way to release a struct of which a member is lost: what the function calls for it elsewhere.

`conf_close(&c)` and not `fclose(c.in)`: the other members are lost there, too. Only where all that it releases is known
to hold something at each point.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.specs import Release
from fixers.c.links import Place
from fixers.c.placement import Spot
from fixers.c.pointers import NONE, UNSET, Pointers
from fixers.leak import Leak


def around(leak: Leak) -> Leak | None:
    """The leak of the object that a function of the repository returned with the finding's resource in it, where a destructor
    releases both; None where that is not so."""
    body = leak.linked.body
    at = (leak.finding.acquired.start - body.start, leak.finding.acquired.end - body.start)
    node = next((n for n, call in enumerate(body.nodes) if isinstance(call, ir.Call) and (call.start, call.end) == at), -1)
    made = [t for effects in leak.effects.get(node, ()) for t in effects.transfers if not t.entry]
    kind = next((t.resource for t in made if any(("$ret",) in one.paths for one in t.outcomes)), "")
    places = {path for t in made if t.resource == leak.resource for one in t.outcomes for path in one.paths}
    if not leak.enders or kind in ("", leak.resource) or not all(path[0] == "$ret" for path in places):
        return None
    name = leak.enders[0]
    release = Release(name, ("$0",), accepts_null=name in leak.tolerant, text=f"{name}({{}})")
    return msgspec.structs.replace(leak, resource=kind, nothing="NULL", releases=(release,))


_UNSURE = frozenset((NONE, UNSET))


def whole_releases(leak: Leak, pointers: Pointers, place: Place, spots: Sequence[Spot]) -> tuple[str, ...]:
    """The calls elsewhere in the function that release the struct around a member, in the words of the source."""
    if len(place) != 2 or place[1] in ("*", "[]"):
        return ()
    body = leak.linked.body
    inside = {node.dst: node.base for node in body.nodes if isinstance(node, ir.AddressOf) and not node.field}
    found: dict[str, None] = {}
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or call.kind != "function" or len(call.args) != 1:
            continue
        if inside.get(call.args[0], call.args[0]) != place[0]:
            continue
        released = _released(leak, node)
        if place[1] in released and all(_is_filled(pointers, spot, released) for spot in spots):
            found[leak.data[body.start + call.start : body.start + call.end].decode("utf-8", "surrogateescape")] = None
    return tuple(found)


def _released(leak: Leak, node: int) -> frozenset[str]:
    """The members of its argument that a call releases, whatever happens."""
    return frozenset(
        transfer.entry[1] for effects in leak.effects.get(node, ()) for transfer in effects.transfers
        if len(transfer.entry) == 2 and transfer.entry[0] == "$0" and any(each.fate == "released" for each in transfer.outcomes)
    )


def _is_filled(pointers: Pointers, spot: Spot, members: frozenset[str]) -> bool:
    """Whether each of some members surely holds something at a point."""
    state = pointers.before.get(spot.node, {})
    known = [state.get((spot.place[0], member)) for member in members]
    return all(objects and objects.isdisjoint(_UNSURE) for objects in known)
