"""Java types: what they declare, first; then the bodies of their members.

Field initialisers and instance initialisers run inside every constructor that calls no other one of
its class; those that are static in `Type.<clinit>()`. Anonymous and local classes are numbered as javac does.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers.finding import NoteKind
from analyzers.syntax import Node

from .body import Body, Tables
from .context import Context
from .members import Members, collect, declaration
from .methods import lower_constructors, lower_initialiser, lower_method
from .scopes import ClassScope, LocalNames
from .signatures import type_parameters_of
from .type_nodes import is_type, type_text

KINDS = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "annotation_type_declaration": "annotation",
}
DEEPEST_TYPE = 30
_BODIES = ("class_body", "interface_body", "enum_body", "annotation_type_body")


class Declared:
    """A type between its two passes."""

    __slots__ = ("block", "members", "nested", "node", "scope")

    def __init__(self, node: Node, block: Node | None, scope: ClassScope, members: Members) -> None:
        self.node = node
        self.block = block
        self.scope = scope
        self.members = members
        self.nested: list[Declared] = []


def declare(
    context: Context,
    node: Node,
    outer: ClassScope | None,
    body: LocalNames | None,
    binary: str,
    is_static: bool,
) -> Declared:
    """First pass: the scope of a named type and of those inside it, and its declaration."""
    simple = _simple_name(context, node)
    kind = KINDS.get(node.kind, "class")
    scope = ClassScope(context.unique(binary), simple, kind, outer, body, context.classes)
    block = next((kid for kid in node.kids if kid.kind in _BODIES), None)
    scope.type_parameters = {**(outer.type_parameters if outer is not None else {})}
    scope.type_parameters.update(type_parameters_of(context, node.kids))
    scope.supertypes = _supertypes(context, node.kids)
    scope.superclass = scope.supertypes[0] if any(kid.kind == "superclass" for kid in node.kids) else ""
    members = collect(context, scope, node, block)
    is_static = is_static or kind != "class" or "static" in members.attributes
    is_static = is_static or (outer is not None and outer.kind in ("interface", "annotation"))
    scope.has_outer = outer is not None and not is_static
    return _complete(context, Declared(node, block, scope, members))


def _complete(context: Context, declared: Declared) -> Declared:
    scope, members = declared.scope, declared.members
    scope.depth = scope.outer.depth + 1 if scope.outer is not None else 0
    context.types.append(declaration(context, declared.node, scope, members))
    for inner in members.types:
        if scope.depth > DEEPEST_TYPE:
            context.note(NoteKind.NOT_MODELLED, inner.start, inner.end, "types are nested too deeply")
            break
        simple = _simple_name(context, inner)
        nested = declare(context, inner, scope, None, f"{scope.name}${simple}", False)
        scope.types[simple] = nested.scope
        declared.nested.append(nested)
    return declared


def _simple_name(context: Context, node: Node) -> str:
    for kid in node.kids:
        if kid.kind == "identifier":
            return context.text(kid)
    return ""


def _supertypes(context: Context, nodes: list[Node]) -> tuple[str, ...]:
    found: list[str] = []
    for node in nodes:
        if node.kind in ("superclass", "super_interfaces", "extends_interfaces"):
            for kid in node.kids:
                parts = kid.kids if kid.kind == "type_list" else [kid]
                found.extend(type_text(context, part) for part in parts if is_type(part))
    for each in found:
        context.mention(each)
    return tuple(found)


def lower(context: Context, tables: Tables, declared: Declared) -> None:
    """Second pass: the bodies of a type's members, and of the types inside it."""
    members, scope = declared.members, declared.scope
    lower_initialiser(context, tables, scope, members)
    lower_constructors(context, tables, scope, members)
    for method in members.methods:
        lower_method(context, tables, scope, method)
    for nested in declared.nested:
        lower(context, tables, nested)


def anonymous(body: Body, node: Node, block: Node, written: str) -> ClassScope:
    """The class of a creation with a body, lowered when first met."""
    owner = body.owner
    known = owner.locals.get(node.start)
    if known is not None:
        return known
    scope = _anonymous_scope(body.context, owner, body)
    owner.locals[node.start] = scope
    scope.has_outer = not body.is_static
    scope.supertypes = (written,) if written else ()
    members = collect(body.context, scope, block, block)
    scope.has_initialisers = bool(members.instance_code)
    lower(body.context, body.tables, _complete(body.context, Declared(block, block, scope, members)))
    return scope


def _anonymous_scope(context: Context, owner: ClassScope, body: Body) -> ClassScope:
    number = owner.counters.get("", 0) + 1
    owner.counters[""] = number
    scope = ClassScope(context.unique(f"{owner.name}${number}"), "", "class", owner, body, context.classes)
    scope.type_parameters = dict(owner.type_parameters)
    return scope


def local_type(body: Body, node: Node) -> None:
    """A class, record, enum or interface declared among statements."""
    owner = body.owner
    if node.start in owner.locals:
        return
    simple = _simple_name(body.context, node)
    number = owner.counters.get(simple, 0) + 1
    owner.counters[simple] = number
    declared = declare(body.context, node, owner, body, f"{owner.name}${number}{simple}", body.is_static)
    owner.locals[node.start] = declared.scope
    owner.types[simple] = declared.scope
    lower(body.context, body.tables, declared)


STATEMENTS: dict[str, Callable[[Body, Node], None]] = dict.fromkeys(KINDS, local_type)
