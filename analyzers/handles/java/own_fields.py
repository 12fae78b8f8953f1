"""What a procedure believes of the fields of its own object: who owns them, and which are filled already.

Whoever closes a field owns what lies there: so does the constructor that fills it, until it returns (a belief, after Engler).
A method that fills a field only while it is null does nothing for one who has just filled it. Reports too much when a field
is closed for somebody else, who notices that the constructor failed; misses fields that a superclass closes.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.handles.java.implied import RESOURCE
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.handles.unknown import is_release
from analyzers.queries import MethodFacts, ProcedureKey, Target
from analyzers.summaries import AccessPath, Outcome, Transfer

_CLOSING = ("close", "dispose", "shutdown", "stop", "destroy", "disconnect", "cleanup", "cleanUp", "release")


def believed_member(call: ir.Call, target: Target, scene: Scene) -> Transfer | None:
    """What an unknown callee hands out to a constructor, if the class closes the field that takes it."""
    made = call.receiver if call.kind == "new" else call.dst
    if not scene.is_constructor or not ir.is_temporary(made):
        return None
    type_name = target.type if call.kind == "new" else target.result or scene.type_of(made)
    if type_name in PLAIN_JAVA or scene.queries.is_closeable(type_name) is False:
        return None
    fields = [node.field for node in scene.nodes if isinstance(node, ir.Store) and node.base == "this" and node.src == made]
    if len(fields) != 1 or not _is_closed_by_its_class(fields[0], scene):
        return None
    return Transfer((), RESOURCE, type_name, (Outcome("return", (), "held", (("this",) if call.kind == "new" else ("$ret",),)),))


def _is_closed_by_its_class(field: str, scene: Scene) -> bool:
    """Whether a method that ends the life of the object calls `close` on what the field holds."""
    owner = scene.body.owner
    for name in _CLOSING:
        for method in scene.queries.methods(owner, name):
            body = scene.queries.procedure(method.procedure) if method.procedure is not None and method.owner == owner else None
            if body is not None and _closes(body, field):
                return True
    return False


def _closes(body: ir.Procedure, field: str) -> bool:
    loaded = {node.dst for node in body.nodes if isinstance(node, ir.Load) and (node.base, node.field) == ("this", field)}
    return any(isinstance(node, ir.Call) and node.name == "close" and not node.args and node.receiver in loaded for node in body.nodes)


def may_end(type_name: str, names: tuple[str, ...], field: str, scene: Scene) -> bool:
    """Whether a method of a class that by its name ends an object looks at a field, or calls one of the class that does. A method
    without a body may do anything, and so may what another makes."""
    methods = [method for name in names for method in scene.queries.methods(type_name, name)]
    return any(_looks_at(method, type_name, field, scene, 2) for method in methods)


def ends_with_its_object(path: AccessPath, scene: Scene) -> bool:
    """Whether a path goes by what lies in a field of `this` (`this.connection.^`) that its class may end: a method that it declares, and
    that by its name ends something, looks at the field, or calls one of the class that does."""
    if path[0] != "this" or len(path) != 3 or path[2] != CLOSED_WITH:
        return False
    type_name = scene.body.owner
    unit = scene.queries.unit(scene.queries.declaring_file(type_name))
    declared = [method.name for each in (unit.types if unit is not None else ()) if each.name == type_name for method in each.methods]
    names = sorted({each for each in declared if is_release(each)})
    methods = [each for name in names for each in scene.queries.methods(type_name, name) if each.owner == type_name and each.procedure is not None]
    return any(_looks_at(method, type_name, path[1], scene, 2) for method in methods)


def _looks_at(method: MethodFacts, type_name: str, field: str, scene: Scene, depth: int) -> bool:
    body = scene.queries.procedure(method.procedure) if method.procedure is not None else None
    if body is None or any(isinstance(node, ir.Alloc) or (isinstance(node, ir.Load) and node.field == field) for node in body.nodes):
        return True
    called = {node.name for node in body.nodes if isinstance(node, ir.Call) and node.kind != "new" and node.receiver in ("this", "")}
    return depth > 0 and any(
        _looks_at(each, type_name, field, scene, depth - 1) for name in sorted(called) for each in scene.queries.methods(type_name, name)
    )


def ends_by_another_name(type_name: str, field: str, scene: Scene) -> bool:
    """Whether a class has a method, whatever it is called (`closeConnection`, `done`), that closes a field and does little else, and that
    it never calls itself: whoever made the object has to call it."""
    path = scene.queries.declaring_file(type_name)
    unit = scene.queries.unit(path)
    declared = next((each for each in unit.types if each.name == type_name), None) if unit is not None else None
    named = {each.name: each for each in declared.methods if _may_end_it(each)} if declared is not None else {}
    bodies = {each.procedure: scene.queries.procedure(ProcedureKey(path, each.procedure)) for each in (declared.methods if declared is not None and named else ()) if each.procedure}
    called = {node.name for body in bodies.values() if body is not None for node in body.nodes if isinstance(node, ir.Call) and node.receiver in ("this", "")}
    found = [bodies.get(each.procedure) for name, each in named.items() if name not in called]
    return any(body is not None and not body.loops and _closes(body, field) and _only_asks_for_null(body) for body in found)


def _may_end_it(method: ir.MethodDeclaration) -> bool:
    return not method.parameters and method.result == "void" and method.name not in _NOBODYS and _KEPT_BACK.isdisjoint(method.attributes)


_NOBODYS = frozenset(("run", "finalize", "main", "call"))
"""Methods that somebody else calls."""

_KEPT_BACK = frozenset(("private", "static"))
"""What says of a method that nobody calls it on the object from outside."""


def _only_asks_for_null(body: ir.Procedure) -> bool:
    """Whether all that a method tests is whether something is null."""
    return all(node.right == "=null" for node in body.nodes if isinstance(node, ir.Branch))


def is_filled(transfer: Transfer, node: int, call: ir.Call, target: Target, scene: Scene) -> bool:
    """Whether a method of the same object opens something only for a field that is null, and the caller has always filled it."""
    fields = {path[1] for outcome in transfer.outcomes for path in outcome.paths if len(path) == 2 and path[0] == "this"}
    if call.receiver != "this" or len(fields) != 1 or len(target.procedures) != 1:
        return False
    (field,) = fields
    body = scene.queries.procedure(target.procedures[0])
    return body is not None and _asks_for_null(body, field) and _is_always_stored(field, node, scene)


def _asks_for_null(body: ir.Procedure, field: str) -> bool:
    """Whether a method begins by asking whether a field of its object is null."""
    loaded = ""
    for node in body.nodes:
        match node:
            case ir.Load(base="this", field=name, dst=dst) if name == field:
                loaded = dst
            case ir.Branch(left=left, right="=null"):
                return bool(loaded) and left == loaded
            case ir.Call() | ir.Store():
                return False
            case _:
                continue
    return False


def _is_always_stored(field: str, node: int, scene: Scene) -> bool:
    """Whether something is stored to a field of the own object on every way to a node."""
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        for before in scene.cfg.predecessors[waiting.pop()]:
            store = scene.nodes[before]
            if isinstance(store, ir.Store) and (store.base, store.field) == ("this", field):
                if ir.is_literal(store.src):
                    return False
            elif before == ir.ENTRY:
                return False
            elif before not in seen:
                seen.add(before)
                waiting.append(before)
    return True
