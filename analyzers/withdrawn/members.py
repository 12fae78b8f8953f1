"""What the rest of the program does with a member whose release was taken out: whether it still fills it, and who else takes it."""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.detectors.destructors.reading import is_of, struct_of
from analyzers.detectors.destructors.uses import Fill, Tree
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sides import NOTHING
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import (
    is_const_pointer,
    is_formatted,
    is_freeing,
    is_release,
    is_taking,
    words_of,
)
from analyzers.queries import ProcedureKey, Queries
from analyzers.source import Span
from analyzers.summaries import Certainty, Outcome
from analyzers.withdrawn.fills import is_given, on_every_way
from analyzers.withdrawn.places import is_filled_by, place_of, released_by, stored_to

_LAST = re.compile(r"\s*(\*|\[[^\[\]]*\])\s*$")
"""What makes a type that of many: a pointer, or the last bounds of an array."""

_WHOLE = 3
"""Members of one object that a procedure releases at least, if it is taken for the end of that."""


def filled(scene: Scene, tree: Tree, owner: str, member: str, *, is_sole: bool, is_replaced: bool, is_fresh: bool = False) -> Fill | None:
    """Where the program puts into a member what is the struct's own; None where it does so no more, may put there what belongs to
    somebody else, or where somebody takes it out and leaves it there. With `is_sole` nobody at all may take it out; with `is_replaced`
    the procedure puts something else there, and who ends the whole struct later leaves nothing for it; with `is_fresh` it lies in what a
    call of the procedure's gave, and so does what others take out of theirs."""
    found: list[Fill] = []
    for key, other, sites in tree.holding(scene, owner, member):
        for at in other.cfg.order:
            node = other.nodes[at]
            if not is_of(other, node, owner, member):
                continue
            if isinstance(node, ir.Store) and node.src not in NOTHING:
                if _is_anothers(other, node.src):
                    if _is_value(other, node):
                        continue
                    return None
                found.append(_fill(scene.queries, key, other, at))
            elif isinstance(node, ir.AddressOf):
                found.append(_fill(scene.queries, key, other, at))
        if key == scene.linked.key or (is_replaced and (is_release(key.name) or _is_whole_end(other, sites, owner, member))):
            continue
        if _is_taken(other, sites, owner, member, is_sole=is_sole, is_fresh=is_fresh):
            return None
    return min(found, key=lambda each: each.span, default=None)


def _is_value(scene: Scene, node: ir.Store) -> bool:
    """Whether a store is one into a struct that is a variable itself: nobody frees that, whatever its members are (a key to look up, a static one)."""
    holder = place_of(scene, node.base) if node.base else (f"::{node.field}",)
    if len(holder) != 1:
        return False
    if not holder[0].startswith("::"):
        return scene.is_aggregate(holder[0])
    written = scene.queries.variable_type(scene.linked.key.path, holder[0][2:].partition(".")[0])
    return bool(written) and "*" not in written


def _is_anothers(scene: Scene, src: str) -> bool:
    """Whether a value is a text of the program, an address, or what the procedure was shown only."""
    if ir.is_literal(src):
        return True
    if src in scene.addresses:
        return True
    formal = place_of(scene, src)
    variable = scene.variables.get(formal[0]) if len(formal) == 1 else None
    return variable is not None and variable.kind == "parameter" and is_const_pointer(scene.type_of(variable.name))


def _fill(queries: Queries, key: ProcedureKey, scene: Scene, at: int) -> Fill:
    node, start = scene.nodes[at], scene.linked.body.start
    text = " ".join(queries.text(key, node.start, node.end).split())[:60]
    return Fill(key, Span(key.path, start + node.start, start + node.end), text, "")


def _is_taken(scene: Scene, sites: dict[int, CallSite], owner: str, member: str, *, is_sole: bool, is_fresh: bool) -> bool:
    """Whether a procedure releases, moves or hands on what lies in a member, and leaves it there, in an object that it does not end; but what
    it has put there itself before."""
    for at in scene.cfg.order:
        node = scene.nodes[at]
        if not isinstance(node, ir.Load) or not is_of(scene, node, owner, member):
            continue
        place = place_of(scene, node.dst)
        names = {node.dst, *(each for each in scene.definitions if ir.is_temporary(each) and place_of(scene, each) == place)}
        for taker in _takers(scene, sites, names):
            if _is_beside(scene, taker, node.base) or _is_grown(scene, taker, (owner, member)):
                continue
            if is_sole and isinstance(scene.nodes[taker], ir.Call) and (
                on_every_way(scene, sites, place, taker) or (is_fresh and len(place) == 2 and is_given(scene, sites, place[0]))
            ):
                continue
            if is_sole or not _is_cleared(scene, sites, taker, (owner, member), node.base):
                return True
    return False


def _is_whole_end(scene: Scene, sites: dict[int, CallSite], owner: str, member: str) -> bool:
    """Whether a procedure releases a member only together with others of the same object, as its end does, whatever that is called."""
    ended = {path for site in sites.values() for path, _ in released_by(scene, site)}
    loads = [node for node in scene.nodes if isinstance(node, ir.Load) and is_of(scene, node, owner, member)]
    holders = {place[:-1] for node in loads if (place := place_of(scene, node.dst)) in ended}
    return bool(holders) and all(sum(path[:-1] == each for path in ended) >= _WHOLE for each in holders)


def _is_beside(scene: Scene, taker: int, base: str) -> bool:
    """Whether what lies in a member only gets a second name in the same object, or below it (`all->next = all->list`, `all->first->next = all->last`).
    Misses that the other one owns it."""
    node, holder = scene.nodes[taker], place_of(scene, base)
    return isinstance(node, ir.Store) and bool(holder) and place_of(scene, node.base)[: len(holder)] == holder


def _is_grown(scene: Scene, taker: int, what: tuple[str, str]) -> bool:
    """Whether a call may only move a block, and what it gives lies in the member again (`p = realloc(all->list, n); … all->list = p;`)."""
    call = scene.nodes[taker]
    if not isinstance(call, ir.Call) or not call.dst or not any("realloc" in word for word in words_of(call.name)):
        return False
    names, is_more = {call.dst}, True
    while is_more:
        more = {each for each in scene.definitions if any(identity(scene.nodes[at]) in names for at in scene.definitions[each])} - names
        names, is_more = names | more, bool(more)
    return any(isinstance(node, ir.Store) and node.src in names and is_of(scene, node, *what) for node in scene.nodes)


def _takers(scene: Scene, sites: dict[int, CallSite], names: set[str]) -> list[int]:
    found = []
    for at in scene.cfg.order:
        node = scene.nodes[at]
        if isinstance(node, ir.Store | ir.StoreElement) and node.src in names and "*" in scene.type_of(node.src):
            found.append(at)
        elif isinstance(node, ir.Call) and not names.isdisjoint(node.args):
            site = sites[at]
            ended = [path for path, _ in released_by(scene, site)]
            is_ended = any(place_of(scene, each) in ended for each in node.args if each in names)
            is_moved = any(
                len(move.entry) == 1 and move.entry[0] in names and any(map(_is_moving, move.outcomes)) for move in site.moves
            )
            is_guessed = (site.effects is None or not site.effects.is_known) and (is_taking(node.name) or is_release(node.name))
            is_guessed = is_guessed and not all(is_formatted(node, number) for number, each in enumerate(node.args) if each in names)
            if is_ended or is_moved or is_guessed:
                found.append(at)
    return found


def _is_moving(outcome: Outcome) -> bool:
    """Whether a callee ends what it gets, or surely keeps it: who hands it on to somebody unknown has lent it, as the release that is gone says."""
    return outcome.fate == "released" or (outcome.fate == "retained" and outcome.certainty is Certainty.MUST)


def _is_cleared(scene: Scene, sites: dict[int, CallSite], taker: int, what: tuple[str, str], base: str) -> bool:
    """Whether a member is given a new content, or its object freed, or gone with the procedure, on every way behind a node; a destructor
    would release it again."""
    owner, member = what
    holder = place_of(scene, base)
    is_own = len(holder) == 1 and scene.is_aggregate(holder[0]) and scene.variables[holder[0]].kind == "local"
    seen: set[int] = set()
    waiting = list(scene.cfg.normal[taker])
    if isinstance(scene.nodes[taker], ir.Store) and is_of(scene, scene.nodes[taker], owner, member):
        return True
    while waiting:
        at = waiting.pop()
        if at == ir.EXIT:
            if is_own:
                continue
            return False
        if at in seen:
            continue
        seen.add(at)
        node = scene.nodes[at]
        if isinstance(node, ir.Store) and is_of(scene, node, owner, member):
            continue
        if at in sites and holder and is_filled_by(scene, sites[at], (*holder, member)):
            continue
        if at in sites and (sites[at].is_library or is_freeing(sites[at].call.name)) and holder in [path for path, _ in released_by(scene, sites[at])]:
            continue
        if stored_to(scene, node) == holder:
            return False
        waiting += scene.cfg.normal[at]
    return True


def owner_of(scene: Scene, place: tuple[str, ...]) -> str:
    """The struct that the last member of a place is of; empty where that is not known."""
    written = member_type(scene, place[:-1])
    return struct_of(scene, written) if written else ""


def member_type(scene: Scene, place: tuple[str, ...]) -> str:
    """The type of what lies at a place, as written; empty where that is not known."""
    written = scene.type_of(place[0]) if not place[0].startswith("::") else scene.queries.variable_type(scene.linked.key.path, place[0][2:])
    for part in place[1:]:
        written = scene.c_types.member(written, part) if part not in ("[]", "*") else _LAST.sub("", written)
    return written
