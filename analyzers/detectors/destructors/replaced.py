"""Members of somebody else's struct, and static variables, that a function of C replaces without releasing what lay there.

`if (strcmp(entry->text, text) != 0) entry->text = strdup(text);`: the old text has just been looked into, so there was one; elsewhere it is
released with its struct; and everything that anybody ever puts there is a block of its own, which nobody else keeps. Says nothing where
the old content is not looked into on the way, and where a callee gets the struct.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.destructors.reading import Body, struct_of
from analyzers.detectors.destructors.uses import Tree
from analyzers.domains.obligation import Limits
from analyzers.graphs.operands import operands
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.queries import Linked, ProcedureKey, Queries

_LOOKING = ("str", "mem", "wcs")
_PRINTING = ("printf", "puts")
"""What the names of library functions begin or end with that look into what they are given, which must be there."""

_COPYING = "dup"
"""How the names of those end that make something new of it."""


class Replaced(msgspec.Struct, frozen=True):
    """A store that replaces a member: the formal, the member, and what made the new content."""

    node: int
    base: str
    member: str
    made: int
    resource: str


def replaced(linked: Linked, queries: Queries, tree: Tree) -> Iterator[Replaced]:
    """The members that a procedure loses in this way."""
    body = linked.body
    if body.kind != "function":
        return
    stores = [
        (at, node) for at, node in enumerate(body.nodes)
        if isinstance(node, ir.Store) and (node.base in body.parameters or not node.base) and not ir.is_literal(node.src) and node.field != "*" and "." not in node.field
    ]
    places = [(node.base, node.field) for _, node in stores]
    chosen = [(at, node) for at, node in stores if places.count((node.base, node.field)) == 1 and _looked_into(linked, node)]
    if not chosen:
        return
    scene = Scene(linked, queries, Limits())
    statics = tree.statics(linked.key.path)
    for at, store in chosen:
        if not store.base and store.field not in statics:
            continue
        if store.base in scene.assigned_formals or not _is_sure(scene, at, store) or _is_handed_on(scene, store) or _may_be_taken(scene, store):
            continue
        made = _lost(scene, tree, linked.key, (at, store))
        if made is not None:
            yield Replaced(at, store.base, store.field, *made)


def _is_sure(scene: Scene, at: int, store: ir.Store) -> bool:
    """Whether the old content has been looked into on a way to a store, and nobody asks afterwards whether there is any."""
    names = _names(scene.linked, store)
    looked = [each for each in _looked_into(scene.linked, store) if at in scene.cfg.reachable_from(each)]
    asked = [
        node for node in scene.cfg.order
        if isinstance(branch := scene.nodes[node], ir.Branch) and not names.isdisjoint((branch.left, branch.right)) and at in scene.cfg.reachable_from(node)
    ]
    return any(not any(node in scene.cfg.reachable_from(each) for node in asked) for each in looked)


def _may_be_taken(scene: Scene, store: ir.Store) -> bool:
    """Whether a call may have the old content, or gives another place for it: only library functions that look into it do not."""
    names = _names(scene.linked, store)
    for node, target in scene.linked.targets.items():
        call = scene.nodes[node]
        if not isinstance(call, ir.Call):
            continue
        if not names.isdisjoint(call.args) and (call.kind != "function" or not _is_looking(call.name) or (call.dst in _sources(scene, store.src) and not call.name.endswith(_COPYING))):
            return True
        for each in (scene.queries.effects(key) for key in target.procedures):
            paths = (*each.writes, *(one.entry for one in each.transfers if one.entry))
            if not each.is_known or any(store.field in part or part in ("::?", "?") for path in paths for part in path):
                return True
        if not target.procedures and (not target.models or scene.queries.model(target.models, target.parameters) is None):
            return True
    return False


def _sources(scene: Scene, name: str) -> set[str]:
    """A variable, and what it is a copy of."""
    found, waiting = {name}, [name]
    while waiting:
        for node in scene.definitions.get(waiting.pop(), ()):
            source = identity(scene.nodes[node])
            if source and source not in found:
                found.add(source)
                waiting.append(source)
    return found


def _names(linked: Linked, store: ir.Store) -> set[str]:
    """The variables that hold what a procedure has read from a member."""
    names = {node.dst for node in linked.body.nodes if isinstance(node, ir.Load) and (node.base, node.field) == (store.base, store.field)}
    grown = bool(names)
    while grown:
        more = {node.dst for node in linked.body.nodes if isinstance(node, ir.Copy | ir.Op) and identity(node) in names} - names
        names |= more
        grown = bool(more)
    return names


def _looked_into(linked: Linked, store: ir.Store) -> list[int]:
    """Where a procedure looks into what a member holds; nowhere if it returns that."""
    names = _names(linked, store)
    if any(isinstance(node, ir.Return) and node.src in names for node in linked.body.nodes):
        return []
    return [at for at, node in enumerate(linked.body.nodes) if _looks(node, names)]


def _looks(node: ir.Instruction, names: set[str]) -> bool:
    match node:
        case ir.Load(base=base) | ir.Store(base=base) | ir.LoadElement(base=base) | ir.StoreElement(base=base):
            return base in names
        case ir.Call(kind="function", name=name, args=args):
            return _is_looking(name) and not names.isdisjoint(args)
        case _:
            return False


def _is_looking(name: str) -> bool:
    return name.startswith(_LOOKING) or name.endswith(_PRINTING)


def _is_handed_on(scene: Scene, store: ir.Store) -> bool:
    """Whether a struct goes to anybody, by whatever name, or other names are made for it; or the address of a variable does."""
    base = store.base
    if not base:
        return any(isinstance(node, ir.AddressOf) and not node.base and node.field == store.field for node in scene.nodes)
    return any(
        (isinstance(node, ir.Store) and node.base == base and node.field == "*") or (base in operands(node) and not isinstance(node, ir.Load | ir.Branch) and not (isinstance(node, ir.Store | ir.AddressOf) and node.base == base and getattr(node, "src", "") != base))
        for node in scene.nodes
    ) or any(isinstance(node, ir.AddressOf) and node.base == base for node in scene.nodes)


def _lost(scene: Scene, tree: Tree, own: ProcedureKey, what: tuple[int, ir.Store]) -> tuple[int, str] | None:
    """What made the new content of a member whose old content is nobody else's, and is released by others; None where that is not so."""
    at, store = what
    owner = struct_of(scene, scene.type_of(store.base)) if store.base else ""
    found, is_released = None, False
    for key, body, uses in tree.readings(scene, owner, store.field) if owner or not store.base else ():
        if key == own:
            found = next(((node, resource) for filled, node, resource in uses.fills if filled == at), None)
            if uses.drains or found is None:
                return None
            continue
        if uses.is_returned and not owner:
            return None  # Who gets what a variable holds may still have it.
        for node, _ in uses.drains:
            if not is_release(body, node):
                return None
            is_released = True
    return found if is_released and not (owner and is_copied(scene, store.base, owner)) else None


def is_release(body: Body, node: int) -> bool:
    """Whether a call of a procedure releases something, for all that is known of it."""
    site = body.sites.sites.get(node)
    return site is not None and any(end.fate == "released" for move in site.moves for end in move.outcomes)


def is_copied(scene: Scene, base: str, owner: str) -> bool:
    """Whether anybody copies such structs as wholes: then two of them may lead to one block."""
    queries, own = scene.queries, scene.linked.key.path
    words = {word for word in (*scene.type_of(base).replace("*", " ").split(), *owner.split()) if word not in ("struct", "const")}
    paths = {own, *(path for word in words for path in queries.mentioning(word))}
    for path in sorted(paths):
        unit = queries.unit(path)
        for each in unit.procedures if unit is not None else ():
            body = queries.procedure(ProcedureKey(path, each.name))
            types = {variable.name: variable.type for variable in body.variables} if body is not None else {}
            for node in body.nodes if body is not None else ():
                match node:
                    case ir.Store(base=name, field="*") | ir.Load(base=name, field="*"):
                        names: tuple[str, ...] = (name,) if types.get(name, "").count("*") == 1 else ()
                    case ir.Copy(dst=name):
                        names = (name,) if "*" not in types.get(name, "*") else ()
                    case ir.Call(name="memcpy" | "memmove" | "bcopy", args=names):
                        pass
                    case _:
                        continue
                if any(not words.isdisjoint(types.get(name, "").replace("*", " ").split()) for name in names):
                    return True
    return False
