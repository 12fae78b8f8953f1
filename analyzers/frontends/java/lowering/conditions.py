"""Java conditions as branches on atomic predicates, and which pattern variables they bind."""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from . import patterns
from .body import Body, Edges
from .expressions import COMPARISONS, operands

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def binary(body: Body, node: Node) -> Edges:
    """`a && b`, `a || b`, `a < b`, and any other operator as a boolean. A literal stands on the right."""
    sign = node.kids[1].kind
    if sign in COMPARISONS:
        for literal, other in ((node.kids[0], node.kids[2]), (node.kids[2], node.kids[0])):
            if literal.kind in ("true", "false") and sign in ("==", "!="):
                holds, fails = body.condition(other)
                return (holds, fails) if (literal.kind == "true") == (sign == "==") else (fails, holds)
        left, right = operands(body, [node.kids[0], node.kids[2]])
        if left[:1] == "=" and right[:1] != "=":
            left, sign, right = right, _MIRRORED.get(sign, sign), left
        start = body.start
        return body.graph.branch(ir.Branch(node.start - start, node.end - start, sign, left, right))
    if sign not in ("&&", "||"):
        return body.test(body.value(node), node)
    graph = body.graph
    chain = chain_of(node, sign)
    decided: list[int] = []
    for part in chain[:-1]:
        holds, fails = body.condition(part)
        if sign == "&&":
            decided += fails
            graph.pending = holds
        else:
            decided += holds
            graph.pending = fails
    holds, fails = body.condition(chain[-1])
    return (holds, decided + fails) if sign == "&&" else (decided + holds, fails)


def chain_of(node: Node, sign: str) -> list[Node]:
    """The operands of a chain of one operator, from left to right."""
    parts: list[Node] = []
    while node.kind == "binary_expression" and len(node.kids) == 3 and node.kids[1].kind == sign:
        parts.append(node.kids[2])
        node = node.kids[0]
    parts.append(node)
    parts.reverse()
    return parts


def negation(body: Body, node: Node) -> Edges:
    """`!a`; other unary operators are values."""
    if node.kids[0].kind != "!":
        return body.test(body.value(node), node)
    holds, fails = body.condition(node.kids[1])
    return fails, holds


def instance_test(body: Body, node: Node) -> Edges:
    """`e instanceof T`, with or without a pattern."""
    operand = body.value(node.kids[0])
    return patterns.match(body, node, operand, node.kids[1:])


def ternary(body: Body, node: Node) -> Edges:
    """`c ? a : b` as a condition."""
    graph = body.graph
    first, second = body.condition(node.kids[0])
    graph.pending = first
    holds, fails = body.condition(node.kids[1])
    graph.pending = second
    other_holds, other_fails = body.condition(node.kids[2])
    return holds + other_holds, fails + other_fails


CONDITIONS: dict[str, Callable[[Body, Node], Edges]] = {
    "binary_expression": binary,
    "unary_expression": negation,
    "instanceof_expression": instance_test,
    "ternary_expression": ternary,
}
