"""Containers of the repository, summarised from their source: a class around one private container, call by call.

What a method does to what it stores is what its body, and those of its class that it calls, do to that field. Silent
where anything but the methods of the class touches the field, where the class is extended, or hands itself to others
while it is made. Misses classes around several containers, or that hold what they store in two places, and chains of links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from analyzers import ir
from analyzers.queries import ProcedureKey, Queries
from analyzers.specs.containers import Container, Role

_HARMLESS_SUPERTYPES = frozenset((
    "java.lang.Object", "java.lang.Iterable", "java.io.Serializable", "java.lang.Cloneable", "java.lang.AutoCloseable",
    "java.io.Closeable",
))
_STRONGEST = (
    Role.ESCAPE, Role.REPLACE, Role.CLEAR, Role.TAKE, Role.REMOVE, Role.READ, Role.VIEW, Role.FEED, Role.TEST, Role.STORE, Role.SET,
    Role.COUNT, Role.NONE,
)
"""What a method is, of all that it does: the first of these."""

_ADDING = ("add", "put", "push", "offer", "append", "insert", "enqueue")
"""How the calls begin by which an object is made to hold something."""

Touch = tuple[Role, tuple[str, ...]]
"""What an instruction does with the field, and its operands."""


def summarised(
    queries: Queries, type_name: str, model: Callable[[str], Container | None],
    touches: Callable[[str, ir.FieldDeclaration, ProcedureKey, ir.Procedure], Iterable[Touch]],
) -> Container | None:
    """The calls of a class of the repository; None where it is no container. `touches`: what a procedure does to its field."""
    path = queries.declaring_file(type_name)
    unit = queries.unit(path) if path else None
    declared = next((each for each in unit.types if each.name == type_name), None) if unit is not None else None
    if unit is None or declared is None or declared.kind != "class" or "abstract" in declared.attributes:
        return None
    if queries.subtypes(type_name) or not _is_plain_class(queries, type_name):
        return None
    fields = [
        (each, model(queries.resolve_type(path, type_name, erased(each.type)) or erased(each.type)))
        for each in declared.fields if "static" not in each.attributes
    ]
    held = [(each, known) for each, known in fields if known is not None and known.roles]
    if len(held) != 1 or "private" not in held[0][0].attributes:
        return None
    field, inner = held[0]
    bodies: dict[str, list[tuple[ir.Procedure, tuple[Touch, ...]]]] = {}
    for each in unit.procedures:
        key = ProcedureKey(path, each.name)
        body = queries.procedure(key)
        if body is None:
            continue
        found = tuple(touches(type_name, field, key, body))
        if found and body.owner != type_name:
            return None
        if body.owner == type_name and body.kind == "constructor" and _hands_itself_on(body):
            return None
        if body.owner == type_name and body.kind in ("method", "lambda"):  # a function is read where it is made
            bodies.setdefault(_simple(body), []).append((body, found))
    roles = {name: _role(name, bodies) for name in bodies}
    storing = [body for name, role in roles.items() if role is Role.STORE for body, _ in bodies[name]]
    if any(_is_stored_twice(body, field.name) for body in storing):
        return None
    return Container(roles, inner.is_keyed) if Role.STORE in roles.values() else None


def erased(written: str) -> str:
    """A type as it is written, without its arguments and brackets."""
    return written.partition("<")[0].replace("[]", "").strip()


def _is_plain_class(queries: Queries, type_name: str) -> bool:
    """Whether a class inherits nothing but obligations."""
    for each in queries.supertypes(type_name):
        path = queries.declaring_file(each)
        unit = queries.unit(path) if path else None
        kind = next((one.kind for one in unit.types if one.name == each), "") if unit is not None else ""
        if kind != "interface" and each not in _HARMLESS_SUPERTYPES:
            return False
    return True


def _hands_itself_on(body: ir.Procedure) -> bool:
    return any(
        (isinstance(node, ir.Call) and "this" in node.args) or (isinstance(node, ir.Store | ir.StoreElement) and node.src == "this")
        for node in body.nodes
    )


def _is_stored_twice(body: ir.Procedure, field: str) -> bool:
    """Whether what a method is given goes into something else of its object, too, which others may be shown."""
    others = {
        node.dst for node in body.nodes if isinstance(node, ir.Load) and node.base == "this" and node.field.rpartition(".")[2] != field
    }
    return any(
        isinstance(node, ir.Call) and node.receiver in others and node.name.startswith(_ADDING) and not set(body.parameters).isdisjoint(node.args)
        for node in body.nodes
    )


def _role(name: str, bodies: dict[str, list[tuple[ir.Procedure, tuple[Touch, ...]]]]) -> Role:
    """What all methods of a name do, with those that they call."""
    found: set[Role] = set()
    seen, todo = {name}, [name]
    while todo:
        for body, touches in bodies.get(todo.pop(), ()):
            found.update(_of(body, role, operands) for role, operands in touches)
            for node in body.nodes:
                if isinstance(node, ir.Call) and node.receiver in ("", "this") and node.name in bodies and node.name not in seen:
                    seen.add(node.name)
                    todo.append(node.name)
    return next((each for each in _STRONGEST if each in found), Role.NONE)


def _of(body: ir.Procedure, role: Role, operands: tuple[str, ...]) -> Role:
    """What is stored counts where it comes from the caller, or is made around what does."""
    if role is Role.VIEW:
        return Role.READ
    if role is not Role.STORE:
        return role
    given = set(body.parameters)
    for _ in range(3):
        given |= {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in given}
        given |= {
            node.receiver for node in body.nodes if isinstance(node, ir.Call) and node.kind == "new" and not given.isdisjoint(node.args)
        }
    return Role.STORE if not given.isdisjoint(operands) else Role.ESCAPE


def _simple(body: ir.Procedure) -> str:
    return body.name.partition("(")[0].rpartition(".")[2]
