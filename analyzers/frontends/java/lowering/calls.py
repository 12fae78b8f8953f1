"""Java calls: methods, constructors, and the creation of objects and arrays."""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from . import names
from .body import DEEPEST, UNKNOWN, Body
from .expressions import operands
from .scopes import ClassScope, Method
from .type_nodes import is_type, type_text

_OF_OBJECT = frozenset(("getClass", "hashCode", "equals", "toString", "notify", "notifyAll", "wait", "clone"))


def invocation(body: Body, node: Node, into: str) -> str:
    """A method call whose result is wanted."""
    return _invoke(body, node, into or body.temporary())


def dropped(body: Body, node: Node) -> None:
    """A method call whose result nobody wants."""
    _invoke(body, node, "")


def _invoke(body: Body, node: Node, into: str) -> str:
    chain = [node]
    while chain[-1].kids[0].kind == "method_invocation" and len(chain[-1].kids) > 2:
        chain.append(chain[-1].kids[0])
    receiver: str | None = None
    while len(chain) > 1:
        receiver = _call(body, chain.pop(), body.temporary(), receiver)
    return _call(body, node, into, receiver)


def _call(body: Body, node: Node, into: str, receiver: str | None) -> str:
    """One call of a chain; `receiver` is what the call before it answered."""
    kids = node.kids
    name = body.context.text(kids[-2])
    body.context.mention(name)
    arguments = kids[-1].kids
    kind: ir.CallKind = "virtual"
    qualifier = ""
    lowered: tuple[str, ...] | None = None
    if receiver is None:
        first = kids[0]
        if len(kids) == 2:
            kind, qualifier, receiver = _unqualified(body, node, name, len(arguments))
        elif first.kind == "super" or kids[1].kind == "super":
            kind, qualifier, receiver = "special", "super", body.this
            if first.kind != "super":
                qualifier = f"{body.context.text(first)}.super"
        else:
            written = names.type_name(body, first)
            if written is None:
                receiver, *rest = operands(body, [first, *arguments])
                lowered = tuple(rest)
            else:
                body.context.mention(written)
                kind, qualifier, receiver = "static", written, ""
    if lowered is None:
        lowered = operands(body, arguments)
    start = body.start
    body.graph.emit_call(
        ir.Call(node.start - start, node.end - start, into, kind, name, qualifier, receiver, lowered)
    )
    return into


def _unqualified(body: Body, node: Node, name: str, arity: int) -> tuple[ir.CallKind, str, str]:
    """Kind, qualifier and receiver of `name(...)`."""
    depth = 0
    scope: ClassScope | None = body.owner
    is_static = body.is_static
    heir_depth = -1
    while scope is not None:
        found = scope.method(name)
        if found is not None:
            method = _fitting(found[1], arity)
            if method.is_static or is_static:
                return "static", "" if depth == 0 and found[0] is scope else found[0].simple, ""
            receiver = names.instance(body, depth, node)
            return "special" if method.is_private else "virtual", "", receiver
        if heir_depth < 0 and scope.supertypes and not is_static:
            heir_depth = depth
        is_static = is_static or not scope.has_outer
        scope = scope.outer
        depth += 1
    imported = body.context.imported_members.get(name)
    if imported is not None:
        return "static", imported.rpartition(".")[0], ""
    if heir_depth < 0 and (body.is_static or (body.context.imports_all_members and name not in _OF_OBJECT)):
        return "static", "", ""
    names.note_inherited(body.owner, max(heir_depth, 0))
    return "virtual", "", names.instance(body, max(heir_depth, 0), node)


def _fitting(methods: list[Method], arity: int) -> Method:
    for method in methods:
        if method.arity == arity:
            return method
    for method in methods:
        if method.is_varargs and arity >= method.arity - 1:
            return method
    return methods[0]


def creation(body: Body, node: Node, into: str) -> str:
    """`new T(...)`, `outer.new T(...)`, `new T(...) { ... }`."""
    outer: Node | None = None
    written = ""
    arguments: list[Node] = []
    block: Node | None = None
    for kid in node.kids:
        if kid.kind == "argument_list":
            arguments = kid.kids
        elif kid.kind == "class_body":
            block = kid
        elif is_type(kid):
            written = type_text(body.context, kid)
        elif kid.kind == "new":
            outer = node.kids[0] if node.kids[0] is not kid else None
    body.context.mention(written)
    enclosing = body.value(outer) if outer is not None else ""
    return create(body, node, written, operands(body, arguments), block, enclosing)


def create(
    body: Body, node: Node, written: str, arguments: tuple[str, ...], block: Node | None, enclosing: str
) -> str:
    """A new object: allocation, what it gets from around it, construction, its own initialisers."""
    created = body.temporary()
    start, end = node.start - body.start, node.end - body.start
    scope: ClassScope | None = None
    if block is not None:
        scope = body.tables.anonymous(body, node, block, written)
        body.graph.emit(ir.Alloc(start, end, created, scope.name))
        fill(body, node, created, scope, "", is_outer_asked=scope.asks_outer or _is_inner(body, written))
    else:
        body.graph.emit(ir.Alloc(start, end, created, written))
        declared = body.owner.find_type(written.partition("<")[0].rpartition(".")[2])
        if declared is not None:
            fill(body, node, created, declared, enclosing)
        elif enclosing:
            body.graph.emit(ir.Store(start, end, created, "this$0", enclosing))
    body.graph.emit_call(ir.Call(start, end, "", "new", "<init>", written, created, arguments))
    if scope is not None and scope.has_initialisers:
        body.graph.emit_call(ir.Call(start, end, "", "special", "<init>", scope.name, created, ()))
    return created


def _is_inner(body: Body, written: str) -> bool:
    """Whether the class that an anonymous one extends is an inner class of the file, which may ask for the object around."""
    declared = body.owner.find_type(written.partition("<")[0].rpartition(".")[2])
    return declared is not None and declared.has_outer


def fill(body: Body, node: Node, created: str, scope: ClassScope, enclosing: str, *, is_outer_asked: bool = True) -> None:
    """Store what an object of a class of this file gets from around it: `this$0`, where it may ask for that, and `val$x`."""
    start, end = node.start - body.start, node.end - body.start
    if scope.has_outer and is_outer_asked:
        outer = enclosing or _enclosing(body, node, scope)
        body.graph.emit(ir.Store(start, end, created, "this$0", outer))
    for name in tuple(scope.captures):
        variable = body.variable(name)
        if variable is not None:
            body.graph.emit(ir.Store(start, end, created, f"val${name}", variable))


def _enclosing(body: Body, node: Node, scope: ClassScope) -> str:
    """The object that encloses a new object: this, or an instance further out."""
    if body.is_static:
        return UNKNOWN
    depth = 0
    around: ClassScope | None = body.owner
    while around is not None:
        if any(scope.outer is each for each in around.lineage()):
            return names.instance(body, depth, node)
        if not around.has_outer:
            break
        around = around.outer
        depth += 1
    return UNKNOWN


def array_creation(body: Body, node: Node, into: str) -> str:
    """`new T[n]`, `new T[] {...}`."""
    dimensions = 0
    written = ""
    filled: Node | None = None
    sizes: list[Node] = []
    for kid in node.kids:
        if kid.kind == "dimensions_expr":
            dimensions += 1
            sizes.extend(each for each in kid.kids if not each.kind.endswith("annotation"))
        elif kid.kind == "dimensions":
            dimensions += body.context.text(kid).count("[")
        elif kid.kind == "array_initializer":
            filled = kid
        elif is_type(kid):
            written = type_text(body.context, kid)
    body.context.mention(written)
    operands(body, sizes)
    if filled is not None:
        return array_of(body, filled, written + "[]" * dimensions)
    created = body.temporary()
    start = body.start
    body.graph.emit(
        ir.Alloc(node.start - start, node.end - start, created, written + "[]" * max(dimensions, 1))
    )
    return created


def array_of(body: Body, node: Node, written: str) -> str:
    """`{a, b}` as an array of a type; literals are not stored, elements being told apart by nothing."""
    if body.depth > DEEPEST:
        return body.havoc(node, "nested too deeply")
    created = body.temporary()
    start = body.start
    body.graph.emit(ir.Alloc(node.start - start, node.end - start, created, written))
    for position, kid in enumerate(node.kids):
        if kid.kind == "array_initializer":
            body.depth += 1
            operand = array_of(body, kid, written.removesuffix("[]"))
            body.depth -= 1
        elif kid.kind.endswith("_literal"):
            continue
        else:
            operand = body.value(kid)
        if operand[:1] != "=":
            body.graph.emit(
                ir.StoreElement(kid.start - start, kid.end - start, created, f"={position}", operand)
            )
    return created


def array_initializer(body: Body, node: Node, into: str) -> str:
    """`{a, b}` whose type stands elsewhere."""
    return array_of(body, node, "[]")


EXPRESSIONS: dict[str, Callable[[Body, Node, str], str]] = {
    "method_invocation": invocation,
    "object_creation_expression": creation,
    "array_creation_expression": array_creation,
    "array_initializer": array_initializer,
}
