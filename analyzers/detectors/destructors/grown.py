"""Members of somebody else's struct, and globals, whose block is lost where it cannot grow: `b->p = realloc(b->p, n); if (b->p == NULL) return -1;`.

The callee leaves the old block to its owner where it answers null, and that answer has just taken the place of the only pointer to it. Told only
where the procedure asks for null and returns on that side: who does not ask, or ends the program, has other troubles.
Reports too much where a second member leads to the block, or where the size is 0; misses what a callee does with the answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.domains.obligation import Limits
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite, Move
from analyzers.queries import Linked, Queries

_STEPS = 12
"""Instructions between the store and the test of what was stored."""


_GLOBAL = ""
"""The base of loads and stores of globals."""


class Grown(msgspec.Struct, frozen=True):
    """A call whose failure loses what a member held: the call, the store, the formal (none of a global) and the member, and where that
    returns."""

    call: int
    store: int
    base: str
    member: str
    lost: int
    resource: str


def grown(linked: Linked, queries: Queries) -> Iterator[Grown]:
    """The members that a procedure loses in this way."""
    body = linked.body
    if body.kind != "function" or not _is_candidate(linked):
        return
    scene = Scene(linked, queries, Limits())
    for node, site in CallSites(scene).sites.items():
        move = next((each for each in site.moves if _is_kept_on_null(each)), None) if site.is_library else None
        if move is None or len(move.entry) != 1 or not site.call.dst:
            continue
        loaded = _loaded(scene, move.entry[0])
        store = _stored(scene, site, node) if loaded is not None else -1
        if loaded is None or store < 0 or not (loaded.base == _GLOBAL or _is_formal(scene, loaded.base)):
            continue
        to = scene.nodes[store]
        assert isinstance(to, ir.Store)
        if (to.base, to.field) != (loaded.base, loaded.field) or _is_held_elsewhere(scene, loaded):
            continue
        lost = _null_side(scene, store, to)
        if lost >= 0:
            yield Grown(node, store, loaded.base, loaded.field, lost, move.resource)


def _is_formal(scene: Scene, name: str) -> bool:
    """Whether a variable is a formal, or the one other name of one (`struct text *text = user_data;`)."""
    places = scene.definitions.get(name, ())
    source = identity(scene.nodes[places[0]]) if len(places) == 1 and name not in scene.linked.body.parameters else name
    return source in scene.linked.body.parameters and source not in scene.assigned_formals


def _is_candidate(linked: Linked) -> bool:
    """Whether a procedure reads a global or a member of a formal and fills it with what a call gives: most do not."""
    formals, answers = {_GLOBAL, *linked.body.parameters}, set[str]()
    formals.update(node.dst for node in linked.body.nodes if isinstance(node, ir.Copy | ir.Op) and identity(node) in linked.body.parameters)
    read = {(node.base, node.field) for node in linked.body.nodes if isinstance(node, ir.Load) and node.base in formals}
    for node in linked.body.nodes if read else ():
        if isinstance(node, ir.Call) or (isinstance(node, ir.Copy | ir.Op) and identity(node) in answers):
            answers.add(node.dst)
    return any(isinstance(node, ir.Store) and node.src in answers and (node.base, node.field) in read for node in linked.body.nodes)


def _is_kept_on_null(move: Move) -> bool:
    """Whether a call releases what it is given unless it answers null."""
    def asks(operator: str, fate: str) -> bool:
        return any(
            each.fate == fate and any(one.path == ("$ret",) and (one.operator, one.value) == (operator, "=null") for one in each.when)
            for each in move.outcomes
        )

    return asks("!=", "released") and asks("==", "held")


def _loaded(scene: Scene, name: str) -> ir.Load | None:
    """Where the value of a temporary comes from, if that is one member; a variable with a name keeps the old block, and may give it back."""
    for _ in range(_STEPS):
        places = scene.definitions.get(name, ())
        if len(places) != 1 or not ir.is_temporary(name):
            return None
        node = scene.nodes[places[0]]
        if isinstance(node, ir.Load):
            return node
        name = identity(node)
        if not name:
            return None
    return None


def _stored(scene: Scene, site: CallSite, at: int) -> int:
    """The store that takes the answer of a call at once, before anybody asks what it is; -1 for none."""
    names = {site.call.dst}
    for _ in range(_STEPS):
        following = scene.linked.next[at]
        if len(following) != 1:
            return -1
        at = following[0]
        node = scene.nodes[at]
        match node:
            case ir.Store(src=src) if src in names:
                return at
            case ir.Copy(dst=dst) | ir.Op(dst=dst) if identity(node) in names:
                names.add(dst)
            case _:
                return -1
    return -1


def _is_held_elsewhere(scene: Scene, loaded: ir.Load) -> bool:
    """Whether a procedure has the old block, or the place of the member, by a name, or puts it down in another place."""
    place = (loaded.base, loaded.field)
    names = {node.dst for node in scene.nodes if isinstance(node, ir.Load) and (node.base, node.field) == place}
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if not ir.is_temporary(name):
            return True
        for node in scene.nodes:
            if identity(node) == name and isinstance(node, ir.Copy | ir.Op) and node.dst not in names:
                names.add(node.dst)
                waiting.append(node.dst)
    return any(
        (isinstance(node, ir.AddressOf) and node.base == loaded.base and node.field in (loaded.field, ""))
        or (isinstance(node, ir.Store | ir.StoreElement | ir.Return) and node.src in names)
        for node in scene.nodes
    )


def _null_side(scene: Scene, store: int, stored: ir.Store) -> int:
    """Where a procedure returns after it found that null was stored, and has put nothing else there; -1 where it does not."""
    names, at = {stored.src}, store
    node = scene.nodes[at]
    while (source := next((identity(scene.nodes[each]) for name in names for each in scene.definitions.get(name, ()) if identity(scene.nodes[each])), "")) and source not in names:
        names.add(source)
    for _ in range(_STEPS):
        following = scene.linked.next[at]
        if len(following) != 1:
            break
        at = following[0]
        node = scene.nodes[at]
        match node:
            case ir.Load(dst=dst, base=base, field=field) if (base, field) == (stored.base, stored.field):
                names.add(dst)
            case ir.Copy(dst=dst) | ir.Op(dst=dst) if identity(node) in names:
                names.add(dst)
            case ir.Branch(left=left) if left in names:
                break
            case ir.Call(args=args) if stored.base in (_GLOBAL, *args) or not names.isdisjoint(args):
                return -1
            case ir.Branch() | ir.Return():
                return -1
    side = _side(node, scene.linked.next[at], names)
    return _return(scene, side, stored) if side >= 0 else -1


def _side(node: ir.Instruction, following: tuple[int, ...], names: set[str]) -> int:
    """The way that a test takes where one of these is null; -1 for none."""
    if not isinstance(node, ir.Branch) or node.left not in names or len(following) != 2:
        return -1
    match node.operator, node.right:
        case "==", "=null" | "=0":
            return following[0]
        case ("true", _) | ("!=", "=null" | "=0"):
            return following[1]
        case _:
            return -1


def _return(scene: Scene, node: int, stored: ir.Store) -> int:
    """The first return on a way from a node on which nothing else is put into the member; -1 where all ways end the program first."""
    ending = scene.cfg.ending()
    seen, waiting = set[int](), [node]
    while waiting:
        at = waiting.pop(0)
        if at in seen or at in ending:
            continue
        seen.add(at)
        match scene.nodes[at]:
            case ir.Return():
                return at
            case ir.Store(base=base, field=field) if (base, field) == (stored.base, stored.field):
                continue
            case ir.Call(name=name) if name.startswith("longjmp"):
                continue
            case _:
                waiting.extend(scene.cfg.normal[at])
    return -1
