"""Names in Java expressions: variables, fields of the classes around, types, packages.

A simple name is a variable if one is visible, else a field that the file declares, nearest class
first; else a static import; else a field that some class around inherits. A capitalised qualifier
that is none of these names a type.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.syntax import Node

from .body import Body
from .scopes import ClassScope
from .type_nodes import spaced, type_text


def identifier(body: Body, node: Node, into: str) -> str:
    """A simple name as a value."""
    name = body.context.text(node)
    variable = body.names.get(name) or body.variable(name)
    return variable if variable is not None else _load(body, node, *place(body, name, node), into)


def this(body: Body, node: Node, into: str) -> str:
    """`this`, which inside a lambda is that of the method around."""
    return body.this


def field_access(body: Body, node: Node, into: str) -> str:
    """`a.b`, `this.f`, `super.f`, `Outer.this`, `Type.CONSTANT`."""
    last = node.kids[-1]
    if last.kind == "this":
        return outer_instance(body, body.context.text(node.kids[0]), node)
    return _load(body, node, *field_place(body, node), into)


def _load(body: Body, node: Node, base: str, field: str, into: str) -> str:
    into = into or body.temporary()
    start = body.start
    body.graph.emit(ir.Load(node.start - start, node.end - start, into, base, field))
    return into


def field_place(body: Body, node: Node) -> tuple[str, str]:
    """Base and field of a `field_access`, as in `ir.Load`."""
    first, last = node.kids[0], node.kids[-1]
    name = body.context.text(last)
    if first.kind == "super" or (len(node.kids) > 2 and node.kids[1].kind == "super"):
        return body.this, name
    written = type_name(body, first)
    if written is not None:
        body.context.mention(written)
        return static_place(body, written, name)
    return body.value(first), name


def static_place(body: Body, written: str, name: str) -> tuple[str, str]:
    """Where the static field of a type lies: under the binary name for a type of this file."""
    declared = body.owner.find_type(written.rpartition(".")[2])
    found = declared.field(name) if declared is not None else None
    if found is not None:
        return "", f"{found[0].name}.{name}"
    return "", f"{written}.{name}"


def place(body: Body, name: str, node: Node) -> tuple[str, str]:
    """Base and field of a simple name that is no variable, as in `ir.Load`."""
    depth = 0
    scope: ClassScope | None = body.owner
    heir, heir_depth = None, 0
    is_static = body.is_static
    while scope is not None:
        found = scope.field(name)
        if found is not None:
            if found[1].is_static or is_static:
                return "", f"{found[0].name}.{name}"
            return instance(body, depth, node), name
        if heir is None and scope.supertypes and not is_static:
            heir, heir_depth = scope, depth
        is_static = is_static or not scope.has_outer
        scope = scope.outer
        depth += 1
    imported = body.context.imported_members.get(name)
    if imported is not None:
        return "", imported
    if heir is not None and not (body.context.imports_all_members and name.isupper()):
        note_inherited(body.owner, heir_depth, is_field=True)
        return instance(body, heir_depth, node), name
    return "", name


def instance(body: Body, depth: int, node: Node) -> str:
    """The operand for the object of the class that is `depth` classes further out."""
    base = body.this
    start = body.start
    note_outer(body.owner, depth)
    for _ in range(depth):
        step = body.temporary()
        body.graph.emit(ir.Load(node.start - start, node.end - start, step, base, "this$0"))
        base = step
    return base


def note_outer(scope: ClassScope | None, depth: int) -> None:
    """Note that the code of a class looks for the object that is `depth` classes further out."""
    for _ in range(depth):
        if scope is not None:
            scope.asks_outer = True
            scope = scope.outer


def note_inherited(scope: ClassScope, depth: int, *, is_field: bool = False) -> None:
    """Note that a name nobody in the file declares, which is taken for one that the class `depth` further out inherits, may be one that
    a class around that inherits; fields of objects come from superclasses only."""
    found: ClassScope | None = scope
    position = farthest = 0
    while found is not None:
        is_heir = bool(found.superclass or not found.simple) if is_field else bool(found.supertypes)
        if is_heir and position > depth:
            farthest = position
        found = found.outer
        position += 1
    note_outer(scope, farthest)


def outer_instance(body: Body, written: str, node: Node) -> str:
    """The operand for `Outer.this`."""
    simple = written.rpartition(".")[2]
    depth = 0
    scope: ClassScope | None = body.owner
    while scope is not None:
        if scope.simple == simple:
            return instance(body, depth, node)
        scope = scope.outer
        depth += 1
    return body.this


def is_type_like(name: str) -> bool:
    """Whether a simple name looks like the name of a type and not of a constant."""
    return name[:1].isupper() and (len(name) == 1 or not name.isupper() or "_" not in name)


def type_name(body: Body, node: Node) -> str | None:
    """The type that a qualifier names, None where it is an expression."""
    if node.kind == "identifier":
        name = body.context.text(node)
        if name in body.names or not _may_be_type(body, name) or body.variable(name) is not None:
            return None
        return name if _is_type(body, name) else None
    if node.kind in ("scoped_type_identifier", "generic_type", "array_type", "type_identifier"):
        return type_text(body.context, node)
    if node.kind != "field_access" or node.kids[-1].kind != "identifier":
        return None
    head = node
    while head.kind == "field_access" and len(head.kids) == 2:
        head = head.kids[0]
    if head.kind != "identifier":
        return None
    first = body.context.text(head)
    last = body.context.text(node.kids[-1])
    if body.variable(first) is not None or _field_scope(body, first) or not is_type_like(last):
        return None
    text = spaced(body.context.text(node))
    if first[:1].islower() or first[:1] == "_":
        is_constant = last.isupper() and len(last) > 1 and text.count(".") == 1
        return None if is_constant else text
    return text if _is_type(body, first) and not (last.isupper() and len(last) > 1) else None


def _may_be_type(body: Body, name: str) -> bool:
    return name[:1].isupper() or _is_declared_type(body, name)


def _is_declared_type(body: Body, name: str) -> bool:
    return name in body.context.imported_types or body.owner.find_type(name) is not None


def _is_type(body: Body, name: str) -> bool:
    if _is_declared_type(body, name):
        return _field_scope(body, name) is None
    if _field_scope(body, name) is not None:
        return False
    if name in body.context.imported_members:
        return False
    return not (name.isupper() and "_" in name)


def _field_scope(body: Body, name: str) -> ClassScope | None:
    scope: ClassScope | None = body.owner
    while scope is not None:
        if scope.field(name) is not None:
            return scope
        scope = scope.outer
    return None
