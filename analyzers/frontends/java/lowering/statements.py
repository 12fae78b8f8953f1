"""Java statements except loops, switches and try."""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from . import calls, expressions
from .body import Body
from .exits import Target
from .patterns import bindings
from .signatures import attributes_of, written_type


def block(body: Body, node: Node) -> None:
    """`{ ... }`: what it declares ends with it."""
    mark, outer = len(body.undo), body.scope_end
    body.scope_end = node.end
    for kid in node.kids:
        body.statement(kid)
    body.end_scope(mark, node.end - 1, node.end)
    body.close_scope(mark)
    body.scope_end = outer


def expression_statement(body: Body, node: Node) -> None:
    """An expression whose value is dropped."""
    mark = len(body.undo)
    for kid in node.kids:
        dropped(body, kid)
    body.close_scope(mark)


def dropped(body: Body, node: Node) -> None:
    """An expression whose value nobody wants."""
    if node.kind == "method_invocation":
        calls.dropped(body, node)
    elif node.kind == "update_expression":
        expressions.step(body, node)
    elif node.kind == "switch_expression":
        body.statement(node)
    else:
        body.value(node)


def local_variables(body: Body, node: Node) -> None:
    """`T x = e, y;`."""
    written = written_type(body.context, node.kids)
    attributes = attributes_of(body.context, node.kids)
    for kid in node.kids:
        if kid.kind == "variable_declarator":
            _declarator(body, kid, written, attributes)


def _declarator(body: Body, node: Node, written: str, attributes: tuple[str, ...]) -> None:
    name, last = node.kids[0], node.kids[-1]
    dimensions = [kid for kid in node.kids if kid.kind == "dimensions"]
    if dimensions:
        written += "[]" * body.context.text(dimensions[0]).count("[")
    text = body.context.text(name)
    if len(node.kids) < 3 or node.kids[-2].kind != "=":
        body.declare(text, written, name.start, attributes)
        return
    variable = body.declare(text, written, name.start, attributes)
    if last.kind == "array_initializer":
        operand = calls.array_of(body, last, written)
    else:  # What cleans up after itself is given its value by a step of its own, where one can see that.
        operand = body.value(last, "" if any(each.startswith("Cleanup") for each in attributes) else variable)
    if operand != variable:
        body.graph.emit(ir.Copy(node.start - body.start, node.end - body.start, variable, operand))


def if_statement(body: Body, node: Node) -> None:
    """`if (c) a else b`; a chain of `else if` is walked in a loop."""
    graph = body.graph
    mark = len(body.undo)
    joined: list[int] = []
    after: list[Bound] = []
    first = node
    while True:
        test = node.kids[0]
        before = len(body.undo)
        graph.pending, fails = body.condition(test)
        bound = body.undo[before:]
        if bound:
            show_bindings(body, before, bound, bindings(body, test, "true"))
        if len(node.kids) > 1:
            body.statement(node.kids[1])
        if node is first and bound and not graph.pending:
            after = [each for each in bound if each[0] in bindings(body, test, "false")]
        joined += graph.pending
        graph.pending = fails
        if bound:
            show_bindings(body, before, bound, bindings(body, test, "false"))
        if len(node.kids) < 3:
            break
        node = node.kids[2]
        if node.kind != "if_statement":
            body.statement(node)
            if bound and not graph.pending and not after and test is first.kids[0]:
                after = [each for each in bound if each[0] in bindings(body, test, "true")]
            break
    graph.pending = joined + graph.pending
    if len(body.undo) > mark or after:
        if not after:
            body.end_scope(mark, first.end - 1, first.end)
        body.close_scope(mark)
        body.undo.extend((name, body.names.get(name), variable) for name, _, variable in after)
        body.names.update((name, variable) for name, _, variable in after)


Bound = tuple[str, str | None, str]


def show_bindings(body: Body, mark: int, bound: list[Bound], visible: set[str]) -> None:
    """Of the pattern variables bound since `mark` let exactly some be visible."""
    body.close_scope(mark)
    for name, _, variable in bound:
        if name in visible:
            body.undo.append((name, body.names.get(name), variable))
            body.names[name] = variable


def labeled(body: Body, node: Node) -> None:
    """`label: statement`."""
    labels = []
    while node.kind == "labeled_statement" and len(node.kids) > 1:
        labels.append(body.context.text(node.kids[0]))
        node = node.kids[1]
    body.labels = tuple(labels)
    if node.kind in _LOOPS:
        body.statement(node)
        return
    target = Target(body.take_labels(), len(body.undo))
    body.exits.push(target)
    body.statement(node)
    body.exits.pop()
    body.graph.pending = body.graph.pending + target.breaks


_LOOPS = ("while_statement", "do_statement", "for_statement", "enhanced_for_statement")


def jump(body: Body, node: Node) -> None:
    """`break`, `continue`, with or without a label."""
    kind = "break" if node.kind == "break_statement" else "continue"
    label = body.context.text(node.kids[0]) if node.kids else ""
    target = body.exits.target(kind, label)
    if target is None:
        body.havoc(node, f"`{kind}` without a target")
        return
    body.leave(kind, target, node)


def yield_statement(body: Body, node: Node) -> None:
    """`yield e`."""
    target = body.exits.target("yield", "")
    if target is None or not node.kids:
        body.havoc(node, "`yield` without a switch")
        return
    body.assign(target.result, node.kids[0])
    body.leave("break", target, node)


def return_statement(body: Body, node: Node) -> None:
    """`return`, `return e`."""
    body.leave("return", None, node, body.value(node.kids[0]) if node.kids else "")


def throw_statement(body: Body, node: Node) -> None:
    """`throw e`."""
    thrown = node.kids[0]
    operand = body.value(thrown)
    body.graph.throw(
        ir.Throw(node.start - body.start, node.end - body.start, operand, _type_thrown(body, thrown))
    )


def _type_thrown(body: Body, node: Node) -> str:
    while node.kind == "parenthesized_expression" and node.kids:
        node = node.kids[0]
    if node.kind in ("object_creation_expression", "cast_expression"):
        return written_type(body.context, node.kids)
    return ""


def synchronized(body: Body, node: Node) -> None:
    """`synchronized (e) { ... }`."""
    for kid in node.kids:
        if kid.kind == "parenthesized_expression":
            body.value(kid)
        elif kid.kind == "block":
            body.statement(kid)


def assertion(body: Body, node: Node) -> None:
    """`assert c : e`: the side on which it fails throws."""
    graph = body.graph
    holds, fails = body.condition(node.kids[0])
    if fails:
        graph.pending = fails
        arguments = tuple(body.value(kid) for kid in node.kids[1:])
        created = body.temporary()
        start, end = node.start - body.start, node.end - body.start
        graph.emit(ir.Alloc(start, end, created, "AssertionError"))
        graph.emit_call(ir.Call(start, end, "", "new", "<init>", "AssertionError", created, arguments))
        graph.throw(ir.Throw(start, end, created, "AssertionError"))
    graph.pending = holds


def nothing(body: Body, node: Node) -> None:
    """`;`."""


STATEMENTS: dict[str, Callable[[Body, Node], None]] = {
    "block": block,
    "constructor_body": block,
    "expression_statement": expression_statement,
    "local_variable_declaration": local_variables,
    "if_statement": if_statement,
    "labeled_statement": labeled,
    "break_statement": jump,
    "continue_statement": jump,
    "yield_statement": yield_statement,
    "return_statement": return_statement,
    "throw_statement": throw_statement,
    "synchronized_statement": synchronized,
    "assert_statement": assertion,
    ";": nothing,
}
