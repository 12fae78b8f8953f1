"""Java expressions except calls, creations, lambdas and switches.

Boolean operators with side conditions become control flow. Integer division, array access and null
dereference have no exceptional edges; a static context is told by the declarations of this file only.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from . import names
from .body import Body
from .type_nodes import is_type, type_text

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))


def parenthesized(body: Body, node: Node, into: str) -> str:
    """`(e)`."""
    while node.kind == "parenthesized_expression" and node.kids:
        node = node.kids[0]
    return body.value(node, into)


def operands(body: Body, nodes: list[Node]) -> tuple[str, ...]:
    """Lower operands from left to right; a variable that a later one assigns is copied first."""
    lowered = []
    last = len(nodes) - 1
    for position, node in enumerate(nodes):
        operand = body.value(node)
        if (
            position < last
            and node.kind == "identifier"
            and any(_may_assign(body, later) for later in nodes[position + 1 :])
        ):
            copy = body.temporary()
            body.graph.emit(ir.Copy(node.start - body.start, node.end - body.start, copy, operand))
            operand = copy
        lowered.append(operand)
    return tuple(lowered)


def _may_assign(body: Body, node: Node) -> bool:
    if not node.kids or not body.context.has_assignment(node):
        return False
    work = [node]
    while work:
        each = work.pop()
        if each.kind in ("assignment_expression", "update_expression"):
            return True
        if each.kind not in ("lambda_expression", "class_body"):
            work.extend(each.kids)
    return False


def binary(body: Body, node: Node, into: str) -> str:
    """`a + b`, `a < b`, `a && b`."""
    left, sign, right = node.kids[0], node.kids[1].kind, node.kids[2]
    if sign in ("&&", "||"):
        return materialised(body, node, into)
    parts = [right]
    while left.kind == "binary_expression" and len(left.kids) == 3 and left.kids[1].kind == sign == "+":
        parts.append(left.kids[2])
        left = left.kids[0]
    spine: list[Node] = []
    while len(parts) == 1 and left.kind == "binary_expression" and len(left.kids) == 3 and _is_plain(left):
        spine.append(left)
        left = left.kids[0]
    if not spine:
        return _operation(body, node, sign, operands(body, [left, *reversed(parts)]), into)
    operand = body.value(left)
    for inner in reversed(spine):
        operand = _operation(body, inner, inner.kids[1].kind, (operand, body.value(inner.kids[2])), "")
    return _operation(body, node, sign, (operand, body.value(right)), into)


def _is_plain(node: Node) -> bool:
    """Whether a binary expression stands leftmost in another of its kind: a chain, walked in a loop."""
    left = node.kids[0]
    return node.kids[1].kind not in ("&&", "||", "+") and left.kind == "binary_expression"


def _operation(body: Body, node: Node, sign: str, parts: tuple[str, ...], into: str) -> str:
    into = into or body.temporary()
    body.graph.emit(ir.Op(node.start - body.start, node.end - body.start, into, sign, parts))
    return into


def unary(body: Body, node: Node, into: str) -> str:
    """`-a`, `!a`, `~a`."""
    sign, inner = node.kids[0].kind, node.kids[1]
    if sign == "!" and inner.kind == "parenthesized_expression":
        return materialised(body, node, into)
    operand = body.value(inner)
    if sign in ("-", "+") and inner.kind.endswith("_literal"):
        return f"=-{operand[1:]}" if sign == "-" else operand
    return _operation(body, node, sign, (operand,), into)


def materialised(body: Body, node: Node, into: str) -> str:
    """A condition as a value: one variable that its two outcomes assign."""
    into = into or body.choice("choice")
    start, end = node.start - body.start, node.end - body.start
    graph = body.graph
    holds, fails = body.condition(node)
    joined: list[int] = []
    for edges, literal in ((holds, "=true"), (fails, "=false")):
        if edges:
            graph.pending = edges
            graph.emit(ir.Copy(start, end, into, literal))
            joined += graph.pending
    graph.pending = joined
    return into


def instance_test(body: Body, node: Node, into: str) -> str:
    """`e instanceof T` as a value; with a pattern it is a condition."""
    if len(node.kids) != 2 or not is_type(node.kids[1]):
        return materialised(body, node, into)
    written = type_text(body.context, node.kids[1])
    body.context.mention(written)
    operand = body.value(node.kids[0])
    into = into or body.temporary()
    start, end = node.start - body.start, node.end - body.start
    body.graph.emit(ir.Op(start, end, into, "instanceof", (operand,), written))
    return into


def ternary(body: Body, node: Node, into: str) -> str:
    """`c ? a : b`."""
    into = into or body.choice("choice")
    mark = len(body.undo)
    holds, fails = body.condition(node.kids[0])
    graph = body.graph
    graph.pending = holds
    body.assign(into, node.kids[1])
    joined, graph.pending = graph.pending, fails
    body.close_scope(mark)
    body.assign(into, node.kids[2])
    graph.pending = joined + graph.pending
    return into


def assignment(body: Body, node: Node, into: str) -> str:
    """`a = b`, `a.f += b`, `a[i] = b`."""
    target, sign, source = node.kids[0], node.kids[1].kind, node.kids[2]
    while target.kind == "parenthesized_expression" and target.kids:
        target = target.kids[0]
    if target.kind == "identifier":
        name = body.context.text(target)
        variable = body.names.get(name) or body.variable(name)
        if variable is not None:
            return _assign_variable(body, node, variable, sign, source)
    elif target.kind == "array_access":
        return _assign_element(body, node, target, sign, source)
    elif target.kind != "field_access":
        return body.havoc(node, "assignment")
    base, field = _place(body, target)
    start, end = node.start - body.start, node.end - body.start
    if sign == "=":
        operand = body.value(source)
    else:
        before = body.temporary()
        body.graph.emit(ir.Load(start, end, before, base, field))
        operand = _operation(body, node, sign[:-1], (before, body.value(source)), "")
    body.graph.emit(ir.Store(start, end, base, field, operand))
    return operand


def _place(body: Body, target: Node) -> tuple[str, str]:
    if target.kind == "identifier":
        return names.place(body, body.context.text(target), target)
    return names.field_place(body, target)


def _assign_variable(body: Body, node: Node, variable: str, sign: str, source: Node) -> str:
    start, end = node.start - body.start, node.end - body.start
    if sign != "=":
        return _operation(body, node, sign[:-1], (variable, body.value(source)), variable)
    operand = body.value(source, variable)
    if operand != variable:
        body.graph.emit(ir.Copy(start, end, variable, operand))
    return variable


def _assign_element(body: Body, node: Node, target: Node, sign: str, source: Node) -> str:
    start, end = node.start - body.start, node.end - body.start
    if sign == "=":
        array, index, operand = operands(body, [target.kids[0], target.kids[1], source])
    else:
        array, index = operands(body, target.kids[:2])
        before = body.temporary()
        body.graph.emit(ir.LoadElement(start, end, before, array, index))
        operand = _operation(body, node, sign[:-1], (before, body.value(source)), "")
    body.graph.emit(ir.StoreElement(start, end, array, index, operand))
    return operand


def update(body: Body, node: Node, into: str) -> str:
    """`i++`, `--a.f`; the value of a postfix one is the old one."""
    if node.kids[0].kind in ("++", "--"):
        return step(body, node)
    target = _stepped(node)
    variable = body.variable(body.context.text(target)) if target.kind == "identifier" else None
    if variable is None:
        return step(body, node)
    before = body.temporary()
    body.graph.emit(ir.Copy(node.start - body.start, node.end - body.start, before, variable))
    step(body, node)
    return before


def _stepped(node: Node) -> Node:
    """What is counted up or down; the grammar reads `(T) x++` as `((T) x)++`."""
    target = node.kids[1] if node.kids[0].kind in ("++", "--") else node.kids[0]
    while target.kind in ("parenthesized_expression", "cast_expression") and target.kids:
        target = target.kids[-1]
    return target


def step(body: Body, node: Node) -> str:
    """An increment or decrement; answers the new value of a prefix one, the old one of a postfix field."""
    is_prefix = node.kids[0].kind in ("++", "--")
    sign = (node.kids[0] if is_prefix else node.kids[1]).kind[:1]
    target = _stepped(node)
    start, end = node.start - body.start, node.end - body.start
    if target.kind == "identifier":
        variable = body.variable(body.context.text(target))
        if variable is not None:
            return _operation(body, node, sign, (variable, "=1"), variable)
    before = body.temporary()
    if target.kind == "array_access":
        array, index = operands(body, target.kids[:2])
        body.graph.emit(ir.LoadElement(start, end, before, array, index))
        after = _operation(body, node, sign, (before, "=1"), "")
        body.graph.emit(ir.StoreElement(start, end, array, index, after))
    else:
        base, field = _place(body, target)
        body.graph.emit(ir.Load(start, end, before, base, field))
        after = _operation(body, node, sign, (before, "=1"), "")
        body.graph.emit(ir.Store(start, end, base, field, after))
    return after if is_prefix else before


def array_access(body: Body, node: Node, into: str) -> str:
    """`a[i]`."""
    array, index = operands(body, node.kids[:2])
    into = into or body.temporary()
    body.graph.emit(ir.LoadElement(node.start - body.start, node.end - body.start, into, array, index))
    return into


def cast(body: Body, node: Node, into: str) -> str:
    """`(T) e`: the identity of `e`."""
    inner = node.kids[-1]
    written = " & ".join(type_text(body.context, kid) for kid in node.kids[:-1] if is_type(kid))
    body.context.mention(written)
    operand = body.value(inner)
    into = into or body.temporary()
    start, end = node.start - body.start, node.end - body.start
    body.graph.emit(ir.Op(start, end, into, "cast", (operand,), written))
    return into


EXPRESSIONS: dict[str, Callable[[Body, Node, str], str]] = {
    "identifier": names.identifier,
    "this": names.this,
    "field_access": names.field_access,
    "parenthesized_expression": parenthesized,
    "binary_expression": binary,
    "unary_expression": unary,
    "instanceof_expression": instance_test,
    "ternary_expression": ternary,
    "assignment_expression": assignment,
    "update_expression": update,
    "array_access": array_access,
    "cast_expression": cast,
}
