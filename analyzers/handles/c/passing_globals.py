"""Globals of C that only pass a handle on: to callees that this procedure alone calls, and that only look at it.

Nobody reads such a global after the procedure has returned, so it keeps a handle no longer than a local
variable does. Heapcheck's globals and LeakFix's «globals that no caller uses» ask for the same. Says no where nobody reads the global:
then somebody wants the block to stay; and where it may be read before it is stored, is declared in a header, or has its address taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from analyzers import ir
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.queries import ProcedureKey

MAX_FILES = 3
"""Files that may mention such a global."""

MAX_READERS = 4

Borrows = Callable[[ProcedureKey, str], bool]
"""Whether a procedure does nothing but look at what a global holds."""


def passing_globals(scene: Scene, sites: CallSites, borrows: Borrows) -> frozenset[str]:
    """The globals, as roots of access paths."""
    if scene.body.kind == "initialiser" or scene.is_main:
        return frozenset()
    made = holding_names(scene, sites)
    stored = {
        node.field for node in scene.nodes
        if isinstance(node, ir.Store) and not node.base and scene.loads.get(node.src, (node.src,))[0] in made
    }
    return frozenset(f"::{name}" for name in sorted(stored) if _is_passing(scene, name, borrows))


def holding_names(scene: Scene, sites: CallSites) -> set[str]:
    """The variables that may hold what this procedure acquires."""
    found: set[str] = set()
    waiting = [site.call.dst for site in sites.sites.values() if site.acquired and site.call.dst]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [copy.dst for copy in scene.copies.get(name, ())]
            waiting += [
                node.dst for node in scene.nodes
                if isinstance(node, ir.Op) and node.operator == "cast" and name in node.operands
            ]
    return found


def _is_passing(scene: Scene, name: str, borrows: Borrows) -> bool:
    own = scene.linked.key
    users = _users(scene, name)
    if own not in users or not 1 < len(users) <= MAX_READERS + 1:
        return False
    readers = [key for key in users if key != own]
    names = {ir.source_name(key.name) for key in readers}
    if _takes_address(scene.nodes, name) or _is_read_first(scene, name, names):
        return False
    return all(_is_called_here_only(scene, key, name, users) and borrows(key, name) for key in readers)


def _users(scene: Scene, name: str) -> frozenset[ProcedureKey]:
    """The procedures that mention a global; none where somebody else may."""
    queries, path = scene.queries, scene.linked.key.path
    unit = queries.unit(path)
    if unit is None:
        return frozenset()
    declared = [each for each in unit.globals if each.name == name]
    is_static = any("static" in each.attributes for each in declared)
    files: Iterable[str] = (path,) if is_static else queries.mentioning(name)
    found: set[ProcedureKey] = set()
    for number, each in enumerate(files):
        unit = queries.unit(each)
        if unit is None or number >= MAX_FILES or not each.endswith(".c"):
            return frozenset()
        if any(name in macro.body for macro in unit.macros):
            return frozenset()
        for procedure in unit.procedures:
            key = ProcedureKey(each, procedure.name)
            body = queries.procedure(key)
            if body is not None and _mentions(body, name):
                if procedure.kind == "initialiser" and not _only_clears(body, name):
                    return frozenset()
                if procedure.kind != "initialiser":
                    found.add(key)
    return frozenset(found)


def _mentions(body: ir.Procedure, name: str) -> bool:
    return any(isinstance(node, ir.Load | ir.Store | ir.AddressOf) and not node.base and node.field == name for node in body.nodes)


def _only_clears(body: ir.Procedure, name: str) -> bool:
    """Whether the initialisers of a file do no more with a global than set it to nothing."""
    return all(
        isinstance(node, ir.Store) and node.src in ("=null", "=0")
        for node in body.nodes
        if isinstance(node, ir.Load | ir.Store | ir.AddressOf) and not node.base and node.field == name
    )


def _takes_address(nodes: Iterable[ir.Instruction], name: str) -> bool:
    return any(isinstance(node, ir.AddressOf) and not node.base and node.field == name for node in nodes)


def _changes(nodes: Iterable[ir.Instruction], name: str) -> bool:
    return _takes_address(nodes, name) or any(isinstance(node, ir.Store) and not node.base and node.field == name for node in nodes)


def _is_read_first(scene: Scene, name: str, readers: set[str]) -> bool:
    """Whether what an earlier call has left in a global may be read here."""
    seen: set[int] = set()
    waiting = [ir.ENTRY]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        match scene.nodes[node]:
            case ir.Store(base="", field=field) if field == name:
                continue
            case ir.Load(base="", field=field) if field == name:
                return True
            case ir.Call(name=called) if called in readers:
                return True
        waiting += scene.cfg.successors[node]
    return False


def _is_called_here_only(scene: Scene, reader: ProcedureKey, name: str, users: frozenset[ProcedureKey]) -> bool:
    """Whether a reader only loads the global, and runs only while this procedure or another reader does."""
    body = scene.queries.procedure(reader)
    function = ir.source_name(reader.name)
    if body is None or _is_named(scene.nodes, function) or _changes(body.nodes, name):
        return False
    is_static = "static" in body.attributes
    callers = {key for key in scene.queries.callers(function) if not is_static or key.path == reader.path}
    return bool(callers) and callers <= users


def _is_named(nodes: Iterable[ir.Instruction], function: str) -> bool:
    """Whether a function is passed around as a value."""
    value = f"=&{function}"
    for node in nodes:
        match node:
            case ir.Call(args=args) if value in args:
                return True
            case ir.Copy(src=src) | ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src) if src == value:
                return True
    return False
