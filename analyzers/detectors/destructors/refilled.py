"""Members, and static variables, that a function of C fills anew although they must be full by then.

What is filled with a block of its own everywhere, and released elsewhere, is full in an object that lives where somebody else releases it
before he fills it anew (`free(entry->text); entry->text = strdup(text);`), or where whoever makes such an object fills it always; and a property of
GObject that may be set twice is. Says nothing of procedures that begin an object: by their names, because somebody calls them with a new one
or with one that he has emptied, or where they ask a member of it first. Reports too much where an object is filled once only, far from where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers import ir
from analyzers.detectors.destructors.finalised import is_view, views
from analyzers.detectors.destructors.properties import is_settable, is_setter
from analyzers.detectors.destructors.reading import Body, Place, Uses, struct_of
from analyzers.detectors.destructors.replaced import Replaced, is_copied, is_release
from analyzers.detectors.destructors.uses import Tree, ended_in
from analyzers.domains.obligation import Limits
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_inserting, is_taking, words_of
from analyzers.queries import Linked, Queries

_BEGINNING = frozenset((
    "activate", "alloc", "attach", "begin", "bind", "build", "clone", "connect", "construct", "constructed", "copy", "create", "dup", "enter", "fill",
    "init", "initialise", "initialize", "load", "main", "make", "new", "open", "parse", "prepare", "probe", "read", "realize", "register", "setup", "start",
))
"""Words in the names of procedures that begin an object, or something in it."""

_SETTING = frozenset(("assign", "change", "rename", "replace", "set", "switch", "update"))
"""Words in the names of procedures that may be asked any number of times."""

_NOTHING = ("=null", "=0", "=-1")
_INIT = "_init"
_MAX_CALLERS = 40


def refilled(linked: Linked, queries: Queries, tree: Tree) -> Iterator[Replaced]:
    """The members, and statics, whose old content a procedure loses in this way."""
    body = linked.body
    is_property = is_setter(linked)
    if body.kind != "function" or (not is_property and not _BEGINNING.isdisjoint(words_of(linked.key.name))):
        return
    stores = [
        (at, node) for at, node in enumerate(body.nodes)
        if isinstance(node, ir.Store) and not ir.is_literal(node.src) and node.field != "*" and "." not in node.field
    ]
    if not stores:
        return
    scene = Scene(linked, queries, Limits())
    statics = tree.statics(linked.key.path)
    seen = [(at, node) for at, node in enumerate(body.nodes) if isinstance(node, ir.Load | ir.AddressOf)]
    names = _names(scene)
    for at, store in stores:
        if store.base not in names if store.base else store.field not in statics:
            continue
        if any(node.field == store.field and at in scene.cfg.reachable_from(each) for each, node in seen) or _may_be_emptied(scene, at, store.field, names):
            continue
        if is_property:
            is_full = is_settable(scene, queries, at)
        else:
            is_full = not _is_chosen(scene, at) and _is_asked_of_live(scene, tree, store)
        made = _lost(scene, tree, (at, store), is_known=is_property) if is_full else None
        if made is not None:
            yield Replaced(at, store.base, store.field, *made)


def _names(scene: Scene) -> tuple[str, ...]:
    """The variables that lead to what a procedure is given: its formals, an object of GObject under its own class, and what it finds
    in any object, or in a variable of the file."""
    formals = tuple(each for each in scene.body.parameters if each not in scene.assigned_formals)
    objects = [each for each in formals if "*" in scene.type_of(each)]
    found = [each for each in scene.variables if each not in scene.formals and _is_found(scene, each)]
    return tuple(dict.fromkeys((*formals, *(name for each in objects for name, _ in views(scene, each)), *found)))


def _is_found(scene: Scene, name: str) -> bool:
    """Whether a variable only ever holds what a procedure reads from a member of something, or nothing."""
    seen, waiting, is_read = {name}, [name], False
    while waiting:
        for node in scene.definitions.get(waiting.pop(), ()):
            instruction = scene.nodes[node]
            source = identity(instruction)
            if isinstance(instruction, ir.Load) and instruction.field != "*":
                is_read = True
            elif not source:
                return False
            elif source not in seen and not ir.is_literal(source):
                seen.add(source)
                waiting.append(source)
    return is_read and not any(name in scene.formals for name in seen)


def _may_be_emptied(scene: Scene, at: int, member: str, given: Iterable[str]) -> bool:
    """Whether a call on the way to a store may take out what lay there: only known ones do not, and what does not get the object."""
    names = {*given}
    for node, target in scene.linked.targets.items():
        call = scene.nodes[node]
        if not isinstance(call, ir.Call) or at not in scene.cfg.reachable_from(node):
            continue
        if not target.procedures:
            if is_view(call.name) or (target.models and scene.queries.model(target.models, target.parameters) is not None):
                continue
            if not names.isdisjoint(call.args):
                return True
            continue
        for each in (scene.queries.effects(key) for key in target.procedures):
            paths = (*each.writes, *(one.entry for one in each.transfers if one.entry))
            if any(member in path or part in ("::?", "?") for path in paths for part in path):
                return True
            if not each.is_known and not names.isdisjoint(call.args):
                return True
    return False


def _is_chosen(scene: Scene, at: int) -> bool:
    """Whether a procedure comes to a node only for what an object, or a variable of the file, says: it may know that there is nothing yet."""
    read = {node.dst for node in scene.nodes if isinstance(node, ir.Load)}
    for node in scene.cfg.order:
        branch = scene.nodes[node]
        if isinstance(branch, ir.Branch) and at in scene.cfg.reachable_from(node) and not read.isdisjoint((branch.left, branch.right)):
            return True
    return False


def _is_asked_of_live(scene: Scene, tree: Tree, store: ir.Store) -> bool:
    """Whether nobody who calls a procedure passes an object that he has just made, or emptied; who sets a static may not be called by `main`."""
    own, queries = scene.linked.key, scene.queries
    position = scene.body.parameters.index(store.base) if store.base in scene.body.parameters else -1
    callers = [each for each in queries.callers(own.name) if each != own]
    if len(callers) > _MAX_CALLERS:
        return False
    is_called = False
    for key in callers:
        linked = queries.linked(key)
        calls = [at for at, node in enumerate(linked.body.nodes) if isinstance(node, ir.Call) and node.name == own.name] if linked is not None else []
        if linked is None or not calls:
            continue
        is_called = True
        if not _BEGINNING.isdisjoint(words_of(key.name)) or not _is_live(Scene(linked, queries, Limits()), calls, position, store.field):
            return False
    return is_called or not _SETTING.isdisjoint(words_of(own.name))


def _is_live(scene: Scene, calls: list[int], position: int, member: str) -> bool:
    if any(isinstance(node, ir.Load | ir.AddressOf | ir.Store) and node.field == member for node in scene.nodes):
        return False
    for at in calls:
        call = scene.nodes[at]
        passed = call.args[position] if isinstance(call, ir.Call) and 0 <= position < len(call.args) else ""
        if position >= 0 and not (passed in scene.formals or passed in scene.loads):
            return False
        if _may_be_emptied(scene, at, member, _names(scene) if position >= 0 else ()):
            return False
    return True


def _lost(scene: Scene, tree: Tree, what: tuple[int, ir.Store], *, is_known: bool) -> tuple[int, str] | None:
    """What made the new content of a member whose old content is nobody else's, is released by others and is there; None where that is not so."""
    at, store = what
    own, written = scene.linked.key, _type_of(scene, store.base)
    owner = struct_of(scene, written) if store.base else ""
    found, is_released, is_full = None, False, is_known
    for key, body, uses in tree.readings(scene, owner, store.field, with_strangers=True) if owner or not store.base else ():
        if uses.strange or not all(_is_lent(body, node, place) for node, place in uses.given):
            return None
        if key == own:
            found = next(((node, resource) for filled, node, resource in uses.fills if filled == at), None)
            if uses.drains or found is None:
                return None
            continue
        if uses.is_returned and not owner:
            return None
        for node, base in uses.drains:
            if not is_release(body, node):
                return None
            is_released = True
            is_full = is_full or _is_replacing(body, uses, node, base)
        is_full = is_full or (bool(owner) and _is_begun(body, uses, store.field))
    return found if is_released and is_full and not (owner and is_copied(scene, store.base, owner)) else None


def _is_lent(body: Body, node: int, place: Place) -> bool:
    """Whether a callee that nobody knows only looks into what it is given, which is a text."""
    call = body.scene.nodes[node]
    if not isinstance(call, ir.Call) or is_taking(call.name) or is_inserting(call.name):
        return False
    return "char" in body.scene.type_of(call.args[place[1]])


def _type_of(scene: Scene, name: str) -> str:
    found = dict(pair for each in scene.body.parameters for pair in views(scene, each))
    return scene.type_of(name) or found.get(name, "")


def _is_replacing(body: Body, uses: Uses, drain: int, base: str) -> bool:
    """Whether a procedure releases what a member of a living object holds, and fills it anew whatever comes."""
    scene = body.scene
    if scene.is_sometimes_fresh(base) or (base and scene.is_aggregate(base)) or base in ended_in(body) or not _BEGINNING.isdisjoint(words_of(scene.linked.key.name)):
        return False
    if any(isinstance(node := scene.nodes[at], ir.Store) and node.src in _NOTHING for at in scene.cfg.order if at in uses.refills):
        return False
    after = scene.cfg.reachable_from(drain)
    return any(at in after and drain not in scene.cfg.reachable_from(at) for at, _, _ in uses.fills)


def _is_begun(body: Body, uses: Uses, member: str) -> bool:
    """Whether a procedure that makes such objects fills a member of each."""
    scene = body.scene
    for at, _, _ in uses.fills:
        store = scene.nodes[at]
        if not isinstance(store, ir.Store):
            continue
        if scene.linked.key.name.endswith(_INIT) and store.base in _names(scene) and not _passes_by(scene, at, {ir.EXIT}):
            return True
        ends = {node for node, each in enumerate(scene.nodes) if isinstance(each, ir.Return) and each.src == store.base}
        if ends and scene.is_sometimes_fresh(store.base) and not _passes_by(scene, at, ends):
            return True
    return False


def _passes_by(scene: Scene, node: int, ends: set[int]) -> bool:
    """Whether a procedure may come to one of some ends without coming by a node."""
    seen, waiting = {node}, [scene.cfg.order[0]]
    while waiting:
        at = waiting.pop()
        if at in ends:
            return True
        if at not in seen:
            seen.add(at)
            waiting.extend(scene.cfg.normal[at])
    return False
