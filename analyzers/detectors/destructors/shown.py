"""Members that ends of the same struct show to be owned, though nobody knows what fills them.

Engler's beliefs, across members and across procedures: who releases a member and then the whole object, whatever comes, shows that it goes
with the object; and where one stranger fills two members, who releases the one says what the other is. Told only of a procedure that takes
the object apart, as it releases other members. Reports too much where such a procedure knows that the member is not set; misses members
whose release hangs on a flag.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from analyzers import ir
from analyzers.detectors.destructors.reading import Body, Place, Uses, is_of
from analyzers.detectors.destructors.uses import Fill, Tree, ended_in, is_drained, is_named_end
from analyzers.handles.c.allocators import MEMORY, OBJECT
from analyzers.handles.moves import identity
from analyzers.handles.unknown import is_ender, is_inserting, is_taking
from analyzers.queries import ProcedureKey

_NOTHING = ("=null", "=0")


class Beside:
    """The members of one object that a procedure releases before it ends the object."""

    def __init__(self, destructor: Body, tree: Tree, variable: str, owner: str) -> None:
        self.destructor = destructor
        self.tree = tree
        self.owner = owner
        self.members = _released(destructor, variable)

    @functools.cached_property
    def sure(self) -> tuple[list[Uses], str]:
        """What all do with those of them that it releases whatever comes, and what it releases the first one with."""
        scene, found, release = self.destructor.scene, list[Uses](), ""
        for each in self.members:
            told = list(self.tree.uses(scene, self.owner, each, with_strangers=True))
            own = ((body, uses) for key, body, uses in told if key == scene.linked.key)
            name = next((name for body, uses in own if (name := _release_with_all(body, uses, self.owner, each))), "")
            found += [uses for _, _, uses in told] if name else []
            release = release or name
        return found, release


def shown(beside: Beside, member: str) -> Fill | None:
    """Where a stranger fills a member that a procedure forgets, which releases others; None where nobody shows whose it is, or the procedure
    fills it itself."""
    destructor, tree, owner = beside.destructor, beside.tree, beside.owner
    readings = tree.readings(destructor.scene, owner, member, with_strangers=True)
    strange = [(body, node if node >= 0 else at, place) for _, body, uses in readings for at, node, place in uses.strange]
    if not strange or any(is_drained(body, uses) or _is_moved_out(body, uses, owner, member) for _, body, uses in readings):
        return None
    own = destructor.scene.linked.key
    if any(key == own and (uses.drains or uses.is_returned or uses.strange or uses.fills) for key, _, uses in readings):
        return None
    others, here = beside.sure
    there = next((name for key, body, uses in readings if key != own and (name := _release_with_all(body, uses, owner, member))), "")
    release = there or here
    if not release or not (there or _is_alike(strange, others)) or not _is_lent(readings, others):
        return None
    body, node, _ = min(strange, key=lambda each: (each[0].scene.linked.key, each[1]))
    return tree.fill(body, node, MEMORY if release in destructor.freeing or "free" in release.lower() else OBJECT)


def _is_alike(strange: Iterable[tuple[Body, int, Place]], others: Iterable[Uses]) -> bool:
    """Whether members that are released here are filled by the same strangers as one that is not."""
    filled = {place for uses in others for _, _, place in uses.strange}
    return all(place[0] and place in filled for _, _, place in strange)


def _is_lent(readings: Iterable[tuple[ProcedureKey, Body, Uses]], others: Iterable[Uses]) -> bool:
    """Whether all strangers that get what a member holds only borrow it: it is a text, or they get other members, too, that are released."""
    lent = {place for uses in others for _, place in uses.given}
    return all(place in lent or _is_text(body, at, place) for _, body, uses in readings for at, place in uses.given)


def _is_text(body: Body, at: int, place: Place) -> bool:
    """Whether a callee is given a text, and not named like one that keeps it."""
    call = body.scene.nodes[at]
    if not isinstance(call, ir.Call) or is_taking(call.name) or is_inserting(call.name):
        return False
    return "char" in body.scene.type_of(call.args[place[1]])


def _is_moved_out(body: Body, uses: Uses, owner: str, member: str) -> bool:
    """Whether a procedure gives what a member holds to a stranger and sets it to nothing: then the stranger has it."""
    emptied = any(isinstance(node, ir.Store) and node.src in _NOTHING and is_of(body.scene, node, owner, member) for node in body.scene.nodes)
    return emptied and bool(uses.given)


def _release_with_all(body: Body, uses: Uses, owner: str, member: str) -> str:
    """The function that a procedure releases a member with, whatever comes, before it ends the whole object; empty where it does not."""
    ends = ended_in(body)
    loaded = _loaded(body, owner, member)
    for node, base in uses.drains:
        call = body.scene.nodes[node]
        if not isinstance(call, ir.Call) or not _is_release(body, node, call, loaded):
            continue
        last = ends.get(base, set()) & body.scene.cfg.reachable_from(node)
        stops = {at for at, other in uses.drains if other == base}
        if last and not _reaches(body, stops, last, loaded):
            return call.name
    return ""


def _is_release(body: Body, at: int, call: ir.Call, names: set[str]) -> bool:
    site = body.sites.sites.get(at)
    if site is None:
        return False
    if site.effects is None:
        return is_ender(call.name)
    return any(move.entry[0] in names and len(move.entry) == 1 and any(each.fate == "released" for each in move.outcomes) for move in site.moves)


def _loaded(body: Body, owner: str, member: str) -> set[str]:
    """The names of what a member holds."""
    names = {node.dst for node in body.scene.nodes if isinstance(node, ir.Load) and is_of(body.scene, node, owner, member)}
    waiting = list(names)
    while waiting:
        for copy in body.scene.copies.get(waiting.pop(), ()):
            if copy.dst not in names:
                names.add(copy.dst)
                waiting.append(copy.dst)
    return names


def _reaches(body: Body, stops: set[int], goals: set[int], names: set[str]) -> bool:
    """Whether the object may end without the release of a member in which there is something."""
    cfg, seen, waiting = body.scene.cfg, set[int](), [body.scene.cfg.order[0]]
    while waiting:
        at = waiting.pop()
        if at in goals:
            return True
        if at in seen or at in stops or at == ir.EXIT:
            continue
        seen.add(at)
        node, following = body.scene.nodes[at], cfg.normal[at]
        if isinstance(node, ir.Branch) and len(following) == 2 and node.left in names and (node.operator == "true" or node.right in _NOTHING):
            following = following[1:] if node.operator == "==" else following[:1]
        waiting += following
    return False


def _released(body: Body, variable: str) -> tuple[str, ...]:
    """The members of what a variable points to that a procedure releases."""
    scene, found = body.scene, dict[str, None]()
    places = {
        node.dst: node.field for node in scene.nodes if isinstance(node, ir.Load | ir.AddressOf) and node.base == variable and node.field not in ("", "*")
    }
    for node in scene.nodes:
        source = identity(node)
        if isinstance(node, ir.Copy) and source in places:
            places[node.dst] = places[source]
    for _, site in sorted(body.sites.sites.items()):
        for move in site.moves:
            if any(each.fate == "released" for each in move.outcomes):
                found[move.entry[1] if len(move.entry) == 2 and move.entry[0] == variable else places.get(move.entry[0], "")] = None
        if site.effects is None and (is_named_end(site, body.freeing) or is_ender(site.call.name)):
            found.update((places.get(each, ""), None) for each in site.call.args)
    return tuple(each for each in found if each)
