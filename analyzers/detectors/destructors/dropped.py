"""Elements of C that a procedure takes out of a list, and then drops: `list->head = node->next;`, and `node` is not looked at any more.

The place that led to an element now leads to the next one, or a macro of <sys/queue.h> or <sys/tree.h> has taken it out, and the procedure
neither frees the element nor gives it to anybody. Believed only of elements that hang nowhere else: the file makes and frees such structs itself,
links them by one chain, and stores them nowhere but in that chain and in the struct at its head. Says nothing of elements that the procedure was
passed, for whoever passed them has them still. Reports too much where an element lies in an array or in a larger struct; misses structs of other files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from analyzers import ir
from analyzers.detectors.destructors.reading import Body, struct_of
from analyzers.detectors.destructors.uses import Fill, Tree, ended_in
from analyzers.detectors.destructors.whole import MEMORY, gives, is_pointer_to, takers
from analyzers.domains.obligation import Limits
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy, words_of
from analyzers.queries import Linked, ProcedureKey, Queries

_MACROS = {
    "TAILQ_REMOVE": 1, "LIST_REMOVE": 0, "SLIST_REMOVE": 1, "STAILQ_REMOVE": 1, "SIMPLEQ_REMOVE": 1, "CIRCLEQ_REMOVE": 1, "RB_REMOVE": 2, "SPLAY_REMOVE": 2,
}
"""Macros that take an element out, and the number of the argument that is the element."""

_OF_MEMBERS = frozenset(("dl_list_del", "hlist_del", "list_del", "list_del_init", "wl_list_remove"))
"""Functions that take out the element around the member whose address they are passed."""

_OF_FIRST = "_REMOVE_HEAD"
"""How the names of macros end that take the first element out."""

_LINKING = ("TAILQ_", "LIST_", "SLIST_", "STAILQ_", "SIMPLEQ_", "CIRCLEQ_", "RB_", "SPLAY_")
"""How the names of macros begin that only link elements, or walk over them."""

_WALKING = ("_EMPTY", "_FIRST", "_FOREACH", "_LAST", "_NEXT", "_PREV", "_REMOVE")
"""Parts of the names of those that leave an element where it is, or take it out."""

_MEMBER_LINKS = (["dl_list"], ["hlist_node"], ["list_head"], ["wl_list"])
"""Types of members that link an element into a list."""

_COUNTS = frozenset(("count", "rc", "ref", "refcnt", "refcount", "references", "refs", "shared", "use", "usecount", "users"))
"""Words in the names of members that count who holds an object."""

_ELEMENT = "[]"
_MOST_LINKS = 2
"""Members of one chain: those to the next element and to the one before."""


class Dropped(msgspec.Struct, frozen=True):
    """The last instruction that takes an element out, the variable that leads to it then (a temporary where none does), and who makes such."""

    node: int
    name: str
    made: Fill


class _Out(msgspec.Struct, frozen=True):
    """An instruction that takes an element out, the element, and what type of struct is left to hold the chain."""

    node: int
    name: str
    holder: str


def dropped(linked: Linked, queries: Queries, tree: Tree) -> Iterator[Dropped]:
    """The elements that a procedure loses in this way, each once."""
    body = linked.body
    if body.kind != "function" or not any(_may_unlink(node) for node in body.nodes):
        return
    scene = Scene(linked, queries, Limits())
    found: dict[str, list[_Out]] = {}
    for each in _taken_out(scene):
        found.setdefault(each.name, []).append(each)
    sites = CallSites(scene).sites if found else {}
    for name, outs in found.items():
        written = _type(scene, name)
        owner = struct_of(scene, written) if written.count("*") == 1 else ""
        if not owner or name in scene.formals or not _is_single_chain(scene, written):
            continue
        lost = [each for each in outs if not _is_looked_after(scene, sites, each, outs)]
        made = _made(linked.key.path, owner, _places(scene, outs), tree) if lost else None
        if made is not None and made.key != linked.key:
            yield Dropped(lost[-1].node, name, made)


def _may_unlink(node: ir.Instruction) -> bool:
    """Whether an instruction may take an element out, at first sight."""
    match node:
        case ir.Store(src=src) | ir.StoreElement(src=src):
            return not ir.is_literal(src)
        case ir.Call(name=name):
            return name in _MACROS or name in _OF_MEMBERS or name.endswith(_OF_FIRST)
        case _:
            return False


def _type(scene: Scene, name: str) -> str:
    """The type of an element, or of what a pointer to its place leads to."""
    for at in scene.definitions.get(name, ()) if not scene.type_of(name) else ():
        node = scene.nodes[at]
        if isinstance(node, ir.Load) and node.field == "*":
            return scene.type_of(node.base).replace("*", "", 1)
    return scene.type_of(name)


def _taken_out(scene: Scene) -> Iterator[_Out]:
    for at in sorted(scene.cfg.order):
        node = scene.nodes[at]
        if isinstance(node, ir.Call):
            yield from (_Out(at, name, "") for name in _unlinked_by(scene, node))
        if not isinstance(node, ir.Store | ir.StoreElement):
            continue
        place = (node.base, node.field if isinstance(node, ir.Store) else _ELEMENT)
        for load in _loads(scene, node.src):
            name = load.base if place[1] == load.field else _element(scene, load.base, place)
            if name and _is_link(scene, name, load.field) and _leads_to(scene, place, name, load.field):
                yield _Out(at, name, _holder(scene, place))


def _is_link(scene: Scene, name: str, field: str) -> bool:
    """Whether a member of an element leads to another one."""
    if field in ("", "*") or "." in field:
        return False
    written = _type(scene, name)
    linked = scene.c_types.member(written, field)
    return linked.count("*") == 1 and struct_of(scene, linked) == struct_of(scene, written)


def _element(scene: Scene, name: str, place: tuple[str, str]) -> str:
    """What an element is called whose link is read; empty where it has no name of its own: then what is walked is as like a position as a list
    (`turn->at = turn->at->next`), unless a pointer leads to the place."""
    if not ir.is_temporary(name) or place[1] == "*":
        return name
    loads = [node for at in scene.definitions.get(name, ()) if isinstance(node := scene.nodes[at], ir.Load)]
    places = {(each.base, each.field) for each in loads}
    return next((node.dst for node in scene.nodes if isinstance(node, ir.Load) and not ir.is_temporary(node.dst) and (node.base, node.field) in places), "")


def _unlinked_by(scene: Scene, call: ir.Call) -> Iterator[str]:
    """The elements that a macro takes out: the one that it is passed, by its address or by that of a member, or what is first in the list."""
    if call.name in _MACROS and len(call.args) > _MACROS[call.name]:
        name = call.args[_MACROS[call.name]]
        yield from [name] if not ir.is_literal(name) else []
    elif call.name in _OF_MEMBERS and call.args:
        yield from (node.base for at in scene.definitions.get(call.args[0], ()) if isinstance(node := scene.nodes[at], ir.AddressOf) and node.base and node.field)
    elif call.name.endswith(_OF_FIRST) and call.name.startswith(_LINKING) and call.args:
        first = call.name.removesuffix(_OF_FIRST) + "_FIRST"
        for node in scene.nodes:
            if isinstance(node, ir.Call) and node.name == first and node.dst and node.args and _is_same(scene, node.args[0], call.args[0]):
                yield from (node.dst,) if not ir.is_temporary(node.dst) else (copy.dst for copy in scene.copies.get(node.dst, ()))


def _loads(scene: Scene, name: str) -> Iterator[ir.Load]:
    """What a variable was read from, where nothing else is ever put into it."""
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        nodes = [scene.nodes[each] for each in scene.definitions.get(name, ())]
        if len(nodes) != 1:
            return
        if isinstance(nodes[0], ir.Load):
            yield nodes[0]
        name = nodes[0].src if isinstance(nodes[0], ir.Copy) else ""


def _leads_to(scene: Scene, place: tuple[str, str], element: str, link: str) -> bool:
    """Whether what lies at a place is an element: it was read from there, or from the same member of the one before it."""
    base, field = place
    for at in _origins(scene, element):
        node = scene.nodes[at]
        if isinstance(node, ir.Load | ir.LoadElement):
            read = (node.base, node.field if isinstance(node, ir.Load) else _ELEMENT)
            if read == place or _reads_same(scene, read, place):
                return True
            if read == (element, link) and field == link and any(isinstance(each := scene.nodes[one], ir.Copy) and each.src == element for one in scene.definitions.get(base, ())):
                return True
    return any(isinstance(each := scene.nodes[one], ir.Load) and each.base == element and field == link for one in scene.definitions.get(base, ()))


def _reads_same(scene: Scene, read: tuple[str, str], place: tuple[str, str]) -> bool:
    """Whether two places are one that is written twice (`queue->list.first`)."""
    return read[1] == place[1] and _is_same(scene, read[0], place[0])


def _is_same(scene: Scene, one: str, other: str) -> bool:
    """Whether two operands are the same: one variable, or what is read, or taken the address of, at one place of a variable."""
    if one == other or not (ir.is_temporary(one) and ir.is_temporary(other)):
        return one == other
    left, right = ([scene.nodes[at] for at in scene.definitions.get(each, ())] for each in (one, other))
    if len(left) != 1 or len(right) != 1:
        return False
    match left[0], right[0]:
        case (ir.Load(base=a, field=f), ir.Load(base=b, field=g)) | (ir.AddressOf(base=a, field=f), ir.AddressOf(base=b, field=g)):
            return (a, f) == (b, g)
        case _:
            return False


def _origins(scene: Scene, name: str) -> list[int]:
    """Where a variable, or what it is a copy of, is read from memory."""
    found, seen, waiting = [], {name}, [name]
    while waiting:
        for at in scene.definitions.get(waiting.pop(), ()):
            source = identity(scene.nodes[at])
            if isinstance(scene.nodes[at], ir.Load | ir.LoadElement):
                found.append(at)
            elif source and source not in seen and not ir.is_literal(source):
                seen.add(source)
                waiting.append(source)
    return found


def _holder(scene: Scene, place: tuple[str, str]) -> str:
    """The struct in which a place lies, or may lie that a pointer leads to; empty where that is not told."""
    base, field = place
    if field == "*":
        addresses = [node for at in scene.definitions.get(base, ()) if isinstance(node := scene.nodes[at], ir.AddressOf) and node.base in scene.formals]
        base, field = (addresses[0].base, addresses[0].field) if addresses else ("", "")
    return struct_of(scene, scene.type_of(base)) if base and field != _ELEMENT else ""


def _is_single_chain(scene: Scene, written: str) -> bool:
    """Whether structs of a type are linked by one chain, and nobody counts who holds them."""
    declared = scene.c_types.declared(written)
    if declared is None or declared.kind != "struct":
        return False
    own = struct_of(scene, written)
    links = [each for each in declared.fields if "*" in each.type and struct_of(scene, each.type) == own]
    macros = [each for each in declared.fields if "_ENTRY" in each.type or each.type.split()[-1:] in _MEMBER_LINKS]
    is_counted = any(not _COUNTS.isdisjoint(words_of(each.name)) for each in declared.fields if "*" not in each.type)
    return not is_counted and (len(links) <= _MOST_LINKS if not macros else len(macros) == 1 and not links)


def _is_looked_after(scene: Scene, sites: dict[int, CallSite], out: _Out, outs: Iterable[_Out]) -> bool:
    """Whether a procedure does anything with an element, on a way by the place where it is taken out, but to look into it: it keeps it,
    returns it, or passes it on."""
    names, waiting = {out.name}, [out.name]
    while waiting:
        each = waiting.pop()
        more = [node.dst for node in scene.copies.get(each, ())] + [source for at in scene.definitions.get(each, ()) if (source := identity(scene.nodes[at])) and not ir.is_literal(source)]
        waiting += [one for one in more if one not in names]
        names.update(more)
    if not names.isdisjoint(scene.formals):
        return True
    origins = {(node.base, node.field) for at in _origins(scene, out.name) if isinstance(node := scene.nodes[at], ir.Load)}
    names |= {node.dst for node in scene.nodes if isinstance(node, ir.Load) and (node.base, node.field) in origins and ir.is_temporary(node.dst)}
    nodes, after = {each.node for each in outs}, scene.cfg.reachable_from(out.node)
    return any(at in after and _writes(scene, scene.nodes[at], names) for at in scene.cfg.order) or any(
        at not in nodes and _keeps(scene, sites, at, names) and (at in after or out.node in scene.cfg.reachable_from(at)) for at in scene.cfg.order
    )


def _writes(scene: Scene, node: ir.Instruction, names: set[str]) -> bool:
    """Whether something but a link is written to an element (`request->state = DONE`): somebody else will look at it."""
    return isinstance(node, ir.Store) and node.base in names and not _is_link(scene, node.base, node.field)


def _keeps(scene: Scene, sites: dict[int, CallSite], at: int, names: set[str]) -> bool:
    match scene.nodes[at]:
        case ir.Return(src=src) | ir.Store(src=src) | ir.StoreElement(src=src):
            return src in names
        case ir.AddressOf(base=base, field=""):
            return base in names
        case ir.Op(operands=operands, operator=operator):
            return operator not in ("==", "!=", "cast") and not names.isdisjoint(operands)
        case ir.Call(name=name, args=args) if not names.isdisjoint(args):
            is_walk = name.startswith(_LINKING) and any(each in name for each in _WALKING)
            return not is_walk and _takes(sites.get(at), names)
        case ir.Call(name=name, args=args) if name not in _OF_MEMBERS:
            return any(isinstance(node := scene.nodes[one], ir.AddressOf) and node.base in names for each in args for one in scene.definitions.get(each, ()))
        case _:
            return False


def _takes(site: CallSite | None, names: set[str]) -> bool:
    """Whether a call may free or keep one of these, or what it answers leads there."""
    if site is None or site.effects is None or not site.effects.is_known:
        return True
    if any(each.path[0] in names and each.policy is Policy.ESCAPE for each in site.exposures):
        return True
    roots = {f"${number}" for number, each in enumerate(site.call.args) if each in names}
    return any(move.entry[0] in names for move in site.moves) or any(path[0] in roots for path in (*site.effects.retains, *site.effects.aliases))


def _places(scene: Scene, outs: Iterable[_Out]) -> dict[str, frozenset[str]]:
    """Per struct that holds the chain its members that a procedure which takes elements out sets itself."""
    stores = [node for node in scene.nodes if isinstance(node, ir.Store) and node.base]
    return {each.holder: frozenset(node.field for node in stores if struct_of(scene, scene.type_of(node.base)) == each.holder) for each in outs}


def _made(path: str, owner: str, holders: Mapping[str, frozenset[str]], tree: Tree) -> Fill | None:
    """Where a file makes such a struct that it also frees; None where it does not, or keeps one outside of its chain."""
    unit, found, is_freed = tree.queries.unit(path), None, False
    simple = owner.removeprefix("struct ")
    for each in unit.procedures if unit is not None else ():
        key = ProcedureKey(path, each.name)
        linked = tree.queries.linked(key)
        if linked is None or not any(simple in variable.type for variable in linked.body.variables):
            continue
        scene = Scene(linked, tree.queries, Limits())
        body = Body(scene, CallSites(scene), tree.freeing(linked))
        names = {variable.name for variable in linked.body.variables if is_pointer_to(scene, variable.name, owner)}
        if _is_held_elsewhere(body, names, owner, holders):
            return None
        ended = ended_in(body)
        is_freed |= not names.isdisjoint(ended)
        for at, site in sorted(body.sites.sites.items()):
            fresh = names.intersection(takers(scene, site.call.dst)) if gives(site) and _is_one(scene, site.call) else ()
            if fresh and _is_linked_and_returned(scene, fresh):
                return None  # Who called for it has it, too.
            found = found or (tree.fill(body, at, MEMORY) if fresh else None)
    return found if is_freed else None


def _is_held_elsewhere(body: Body, names: set[str], owner: str, holders: Mapping[str, frozenset[str]]) -> bool:
    """Whether a procedure puts an element where no chain of its own is, or passes it to somebody who may keep it. A member of the struct at
    the head that who takes elements out leaves alone is one of the chain (`queue->last`) where elements are put into it as they are linked, and
    somebody else's (`queue->current`) where they are not."""
    scene = body.scene
    is_linking = any(isinstance(node, ir.Store) and node.base in names and _is_link(scene, node.base, node.field) for node in scene.nodes)
    for at in scene.cfg.order:
        match scene.nodes[at]:
            case ir.Store(base=base, field=field, src=src) if src in names and field != "*":
                holder = struct_of(scene, scene.type_of(base)) if base else owner
                if holder != owner and (holder not in holders or (field not in holders[holder] and not is_linking)):
                    return True
            case ir.StoreElement(src=src, base=base) if src in names:
                return True
            case ir.Call(name=name, args=args) if not names.isdisjoint(args) and not name.startswith(_LINKING):
                site = body.sites.sites.get(at)
                if site is None or any(each.path[0] in names and len(each.path) == 1 and each.policy is Policy.ESCAPE for each in site.exposures):
                    return True
            case _:
                pass
    return False


def _is_linked_and_returned(scene: Scene, names: Collection[str]) -> bool:
    """Whether a procedure puts an element into a chain and gives it to its caller as well."""
    is_linked = any(
        node.src in names if isinstance(node, ir.Store | ir.StoreElement) else isinstance(node, ir.Call) and "_INSERT" in node.name and not set(names).isdisjoint(node.args)
        for node in scene.nodes
    )
    return is_linked and any(isinstance(node, ir.Return) and node.src in names for node in scene.nodes)


def _is_one(scene: Scene, call: ir.Call) -> bool:
    """Whether a block is of one element, for all that its size tells: of several, none can be freed by itself."""
    if len(call.args) > 1 and "=1" not in call.args:
        return False
    sizes = [scene.nodes[at] for each in call.args for at in scene.definitions.get(each, ())]
    return not any(isinstance(node, ir.Op) and node.operator == "*" for node in sizes)
