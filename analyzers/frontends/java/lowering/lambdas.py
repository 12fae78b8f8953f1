"""Lambdas and method references: objects with one procedure each.

The creating procedure stores what is captured to `val$x` and `this$0` of the object; the procedure loads it
at its entry. A method reference becomes a lambda that makes one call; how many arguments that gets is
known only where the file declares the method, else it is one (attribute `method-reference`).
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from . import names
from .body import UNKNOWN, Body
from .procedures import finish, parameters_of, start_captures
from .scopes import ClassScope


def expression(body: Body, node: Node, into: str) -> str:
    """`(a, b) -> ...`."""
    if node.start not in body.context.lambdas:
        formals, code = node.kids[0], node.kids[-1]
        inner = _inner(body, node, code.start)
        parameters = parameters_of(inner, formals) if formals is not code else ()
        if code.kind == "block":
            inner.statement(code)
        else:
            value = inner.value(code)
            inner.graph.leave(ir.Return(code.start - inner.start, code.end - inner.start, value))
        _keep(inner, parameters, ())
    return _create(body, node, "")


def reference(body: Body, node: Node, into: str) -> str:
    """`Type::m`, `e::m`, `super::m`, `Type::new`, `T[]::new`."""
    qualifier, last = node.kids[0], node.kids[-1]
    written = names.type_name(body, qualifier)
    bound = body.value(qualifier) if written is None and qualifier.kind not in ("this", "super") else ""
    if node.start not in body.context.lambdas:
        name = "<init>" if last.kind == "new" else body.context.text(last)
        body.context.mention(name)
        inner = _inner(body, node, node.start)
        _keep(inner, _refer(inner, node, name, written, bound), ("method-reference",))
    return _create(body, node, bound)


def _refer(inner: Body, node: Node, name: str, written: str | None, bound: str) -> tuple[str, ...]:
    """The body of a method reference; answers its formals."""
    if bound:
        parameters = _formals(inner, 1)
        _forward(inner, node, name, "", inner.capture("receiver"), parameters)
    elif written is None:
        parameters = _formals(inner, _arity(inner, "", name))
        _forward(inner, node, name, node.kids[0].kind, inner.this, parameters)
    else:
        inner.context.mention(written)
        parameters = _formals(inner, _arity(inner, written, name))
        if name == "<init>":
            _construct(inner, node, written, parameters)
        else:
            _forward(inner, node, name, written, "", parameters)
    return parameters


def _inner(body: Body, node: Node, header_end: int) -> Body:
    root = body
    while root.around is not None:
        root = root.around
    root.lambdas += 1
    name = body.context.unique(f"{root.name}$lambda{root.lambdas}")
    inner = Body(body.context, body.tables, body.owner, name, (node.start, header_end, node.end), body)
    inner.is_static = body.is_static
    inner.receive()
    return inner


def _keep(inner: Body, parameters: tuple[str, ...], attributes: tuple[str, ...]) -> None:
    """Finish the procedure of a lambda; copies of the expression share it."""
    start_captures(inner)
    finish(inner, "lambda", parameters, "", (), attributes)
    inner.context.lambdas[inner.start] = (inner.name, tuple(inner.captures))


def _create(body: Body, node: Node, bound: str) -> str:
    name, captures = body.context.lambdas[node.start]
    created = body.temporary()
    start, end = node.start - body.start, node.end - body.start
    body.graph.emit(ir.Alloc(start, end, created, f"lambda:{name}"))
    for captured in captures:
        if captured == "this$0":
            operand, field = body.this, captured
        elif bound and captured == "receiver":
            operand, field = bound, "val$receiver"
        else:
            operand, field = body.variable(captured) or UNKNOWN, f"val${captured}"
        body.graph.emit(ir.Store(start, end, created, field, operand))
    return created


def _formals(inner: Body, count: int) -> tuple[str, ...]:
    return tuple(
        inner.declare(f"argument{position}", "", inner.start + position - 1, (), "parameter")
        for position in range(1, count + 1)
    )


def _arity(body: Body, written: str, name: str) -> int:
    """How many arguments a referenced method gets: from this file, else one."""
    scope: ClassScope | None = body.owner if not written else body.owner.find_type(written.partition("<")[0])
    found = scope.method(name) if scope is not None else None
    if found is None:
        return 1
    method = found[1][0]
    return method.arity + (0 if method.is_static or not written or name == "<init>" else 1)


def _forward(
    inner: Body, node: Node, name: str, qualifier: str, receiver: str, parameters: tuple[str, ...]
) -> None:
    kind: ir.CallKind = "virtual"
    if qualifier == "super":
        kind = "special"
    elif qualifier and qualifier != "this":
        kind = "static"
        declared = inner.owner.find_type(qualifier.partition("<")[0])
        found = declared.method(name) if declared is not None else None
        if found is not None and not found[1][0].is_static and parameters:
            kind, receiver, parameters = "virtual", parameters[0], parameters[1:]
    end = node.end - inner.start
    result = inner.temporary()
    inner.graph.emit_call(
        ir.Call(0, end, result, kind, name, "" if qualifier == "this" else qualifier, receiver, parameters)
    )
    inner.graph.leave(ir.Return(0, end, result))


def _construct(inner: Body, node: Node, written: str, parameters: tuple[str, ...]) -> None:
    end = node.end - inner.start
    created = inner.temporary()
    inner.graph.emit(ir.Alloc(0, end, created, written))
    if not written.endswith("]"):
        inner.graph.emit_call(ir.Call(0, end, "", "new", "<init>", written, created, parameters))
    inner.graph.leave(ir.Return(0, end, created))


EXPRESSIONS: dict[str, Callable[[Body, Node, str], str]] = {
    "lambda_expression": expression,
    "method_reference": reference,
}
