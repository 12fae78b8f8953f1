"""Destructors of C that release what a struct holds, and forget the struct.

A function named and shaped like one that frees (`void ring_free(struct ring *)`) releases members of its argument; the same file
allocates such structs; and neither the function nor anybody who calls it frees the struct itself. Reports too much when somebody
frees it under another name later; misses structs that are made in other files.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.destructors.reading import struct_of
from analyzers.detectors.destructors.uses import Fill
from analyzers.domains.obligation import Limits
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy, is_releaser, words_of
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.source import Span

MAX_CALLERS = 30
"""Procedures that may mention such a function."""
MEMORY = "heap-memory"
_ENDING = frozenset(("destroy", "free"))


def forgotten_struct(linked: Linked, queries: Queries) -> tuple[str, Fill] | None:
    """The formal that a destructor takes apart without freeing it, and who allocates such; None where all is well."""
    formals = [each.name for each in linked.body.variables if each.kind == "parameter"]
    if len(formals) != 1 or linked.body.result != "void" or _ENDING.isdisjoint(words_of(linked.key.name)):
        return None
    scene = Scene(linked, queries, Limits())
    written = scene.type_of(formals[0])
    owner = struct_of(scene, written) if written.count("*") == 1 else ""
    if not owner or scene.definitions.get(formals[0]) or not _takes_apart(scene, formals[0]):
        return None
    made = _made(linked.key.path, owner, queries)
    return (formals[0], made) if made is not None and left_alone(linked.key, queries) else None


def _takes_apart(scene: Scene, name: str) -> bool:
    """Whether a procedure releases members of its argument, and neither frees nor keeps nor hands on the argument."""
    effects = scene.queries.effects(scene.linked.key)
    root = f"${scene.formals[name]}"
    own = [each for each in effects.transfers if each.entry == (root,)]
    if any(end.fate in ("released", "retained") for each in own for end in each.outcomes) or (root,) in effects.retains:
        return False
    if any(isinstance(node, ir.Store) and node.base == name and ir.is_literal(node.src) for node in scene.nodes):
        return False
    members = {node.dst for node in scene.nodes if isinstance(node, ir.Load | ir.AddressOf) and node.base == name}
    return any(isinstance(node, ir.Call) and is_releaser(node.name) and not members.isdisjoint(node.args) for node in scene.nodes)


def _made(path: str, owner: str, queries: Queries) -> Fill | None:
    """Where a file allocates a struct; None where another procedure than its maker frees one."""
    unit, found = queries.unit(path), None
    for each in unit.procedures if unit is not None else ():
        key = ProcedureKey(path, each.name)
        linked = queries.linked(key)
        if linked is None or not any(owner.removeprefix("struct ") in variable.type for variable in linked.body.variables):
            continue
        scene = Scene(linked, queries, Limits())
        sites = [site for _, site in sorted(CallSites(scene).sites.items())]
        made = next((site.call for site in sites if gives(site) and any(is_pointer_to(scene, name, owner) for name in takers(scene, site.call.dst))), None)
        if made is None and any(is_pointer_to(scene, name, owner) and _takes(site, {name}) for site in sites for name in site.call.args if not ir.is_literal(name)):
            return None
        if made is not None and found is None:
            start = linked.body.start
            text = " ".join(queries.text(key, made.start, made.end).split())[:60]
            found = Fill(key, Span(path, start + made.start, start + made.end), text, MEMORY)
    return found


def gives(site: CallSite) -> bool:
    """Whether a call gives a new block, not one that only leads to others."""
    return any(each.resource == MEMORY and all(end.paths == (("$ret",),) for end in each.outcomes) for each in site.acquired)


def takers(scene: Scene, name: str) -> tuple[str, ...]:
    """A variable, and those that it is copied to; none where there is no variable."""
    return (name, *(copy.dst for copy in scene.copies.get(name, ()))) if name else ()


def is_pointer_to(scene: Scene, name: str, owner: str) -> bool:
    """Whether a variable that has a name is a pointer to such a struct."""
    written = scene.type_of(name)
    return not ir.is_temporary(name) and written.count("*") == 1 and struct_of(scene, written) == owner


def left_alone(key: ProcedureKey, queries: Queries) -> bool:
    """Whether all who name the function call it, with a struct that lies in nothing else, and none of them frees that."""
    callers = queries.callers(key.name)
    return len(callers) <= MAX_CALLERS and not any(each != key and _frees(each, key.name, queries) for each in callers)


def _frees(caller: ProcedureKey, name: str, queries: Queries) -> bool:
    linked = queries.linked(caller)
    if linked is None:
        return True
    scene = Scene(linked, queries, Limits())
    calls = [node for node in scene.nodes if isinstance(node, ir.Call) and node.name == name]
    if not calls:
        return any(f"=&{name}" in operands(node) for node in scene.nodes)
    sites = CallSites(scene).sites
    return any(len(call.args) != 1 or _is_ended(scene, sites, call) for call in calls)


def _is_ended(scene: Scene, sites: dict[int, CallSite], call: ir.Call) -> bool:
    """Whether what a call is passed lies in something else, or goes to anybody who may free it."""
    names, waiting = set(), [call.args[0]]
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        for node in scene.definitions.get(name, ()):
            instruction = scene.nodes[node]
            if isinstance(instruction, ir.AddressOf) or (isinstance(instruction, ir.Op) and instruction.operator != "cast"):
                return True
            waiting += [identity(instruction)] if identity(instruction) else []
        waiting += [each for node in scene.nodes if identity(node) == name for each in assigned(node)]
    places = {(node.base, node.field) for node in scene.nodes if isinstance(node, ir.Load) and node.dst in names}
    names |= {node.dst for node in scene.nodes if isinstance(node, ir.Load) and (node.base, node.field) in places}
    return any(_takes(site, names) for site in sites.values() if site.call.name != call.name)


def _takes(site: CallSite, names: set[str]) -> bool:
    """Whether a call may free one of some variables' objects."""
    if any(each.path in [(name,) for name in names] and each.policy is Policy.ESCAPE for each in site.exposures):
        return True
    return any(
        len(move.entry) == 1 and move.entry[0] in names and any(end.fate in ("released", "retained") for end in move.outcomes) for move in site.moves
    )
