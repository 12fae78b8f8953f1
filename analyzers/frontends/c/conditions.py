"""Conditions as control flow: `&&`, `||`, `!` and `?:` become branches, never values where none is wanted."""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.words import is_assertion, is_same_as_argument
from analyzers.syntax import Node

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

_UNSIGNED = re.compile(r"\b(?:unsigned\s+long|size_t|uintptr_t|uint64_t|u64)\b")
"""Types of numbers of 64 bits that are never negative."""

Edges = list[int]


def condition(body: Body, node: Node) -> tuple[Edges, Edges]:
    """Lower a condition; the edges taken when it holds and when not. Nothing is open after."""
    kind = node.kind
    if kind == "parenthesized_expression" and len(node.kids) == 1 and node.kids[0].kind != "compound_statement":
        return condition(body, node.kids[0])
    if kind == "binary_expression" and len(node.kids) == 3:
        operator = node.kids[1].kind
        if operator in _COMPARISONS:
            return _compare(body, node, operator)
        if operator in ("&&", "||"):
            return _short_circuit(body, node, operator)
    elif kind == "unary_expression" and len(node.kids) == 2 and node.kids[0].kind == "!":
        taken, other = condition(body, node.kids[1])
        return other, taken
    elif kind == "unary_expression" and len(node.kids) == 2 and node.kids[0].kind == "~":
        return body.branch("!=", body.value(node.kids[1]), "=-1", node)  # `if (~fd)`
    elif kind == "comma_expression" and len(node.kids) == 2:
        body.effect(node.kids[0])
        return condition(body, node.kids[1])
    elif kind == "conditional_expression" and len(node.kids) == 3:
        return _conditional(body, node)
    elif kind == "call_expression" and _is_transparent(body, node):
        return condition(body, node.kids[1].kids[0])
    return _truth(body, node)


def _is_transparent(body: Body, node: Node) -> bool:
    if len(node.kids) != 2 or not node.kids[1].kids:
        return False
    name = body.file.text(node.kids[0])
    return is_same_as_argument(name) or (is_assertion(name) and len(node.kids[1].kids) == 1 and name not in body.names)


def _truth(body: Body, node: Node) -> tuple[Edges, Edges]:
    operand = body.value(node)
    if operand[0] == "=" and operand != "=?":
        edges = body.open
        body.open = []
        return ([], edges) if operand in ("=0", "=null") else (edges, [])
    if operand == "=?":
        return body.branch("*", "=?", "", node)
    return body.branch("true", operand, "", node)


def _compare(body: Body, node: Node, operator: str) -> tuple[Edges, Edges]:
    left, right = (_size(body, kid) if operator not in ("==", "!=") else body.value(kid) for kid in (node.kids[0], node.kids[2]))
    if operator not in ("==", "!="):
        left, right = _wrapped(body, node.kids[0], left), _wrapped(body, node.kids[2], right)
    left, right = nulls(body, left, right)
    if left[0] == "=" and right[0] != "=":
        left, right, operator = right, left, _MIRRORED[operator]
    return body.branch(operator, left, right, node)


def _wrapped(body: Body, node: Node, operand: str) -> str:
    """A negative number that is cast to an unsigned type, where an order is asked for: a great one (`(unsigned long)-MAX_ERRNO`)."""
    while node.kind == "parenthesized_expression" and len(node.kids) == 1:
        node = node.kids[0]
    if node.kind != "cast_expression" or len(node.kids) != 2 or not _UNSIGNED.search(body.file.text(node.kids[0])):
        return operand
    if not body.file.text(node.kids[1]).lstrip("( ").startswith("-"):
        return operand
    wrapped = body.temporary()
    body.emit(ir.Op(node.start - body.base, node.end - body.base, wrapped, "unsigned", (operand,)))
    return wrapped


def _size(body: Body, node: Node) -> str:
    """An operand of an order; a `sizeof` is a constant that is known by its text."""
    inner = node
    while inner.kind == "parenthesized_expression" and len(inner.kids) == 1:
        inner = inner.kids[0]
    if inner.kind != "sizeof_expression":
        return body.value(node)
    size = body.temporary()
    words = "".join(body.file.text(inner).split()).upper().replace(".", "_")
    body.emit(ir.Load(node.start - body.base, node.end - body.base, size, "", words))
    return size


def nulls(body: Body, left: str, right: str) -> tuple[str, str]:
    """Operands of a comparison: a 0 beside a pointer is null, a NULL beside a number is 0."""
    if right == "=0" and left in body.pointers:
        return left, "=null"
    if left == "=0" and right in body.pointers:
        return "=null", right
    if right == "=null" and body.is_number(left):
        return left, "=0"
    return left, right


def _short_circuit(body: Body, node: Node, operator: str) -> tuple[Edges, Edges]:
    """A chain of one operator, without recursion along it."""
    parts: list[Node] = []
    while node.kind == "binary_expression" and len(node.kids) == 3 and node.kids[1].kind == operator:
        parts.append(node.kids[2])
        node = node.kids[0]
    parts.append(node)
    decided: Edges = []
    going: Edges = []
    for part in reversed(parts):
        taken, other = condition(body, part)
        going, out = (taken, other) if operator == "&&" else (other, taken)
        decided += out
        body.open = going
    body.open = []
    return (going, decided) if operator == "&&" else (decided, going)


def _conditional(body: Body, node: Node) -> tuple[Edges, Edges]:
    taken, other = condition(body, node.kids[0])
    body.open = taken
    taken, not_taken = condition(body, node.kids[1])
    body.open = other
    also_taken, also_not = condition(body, node.kids[2])
    return taken + also_taken, not_taken + also_not


def as_value(body: Body, node: Node, want: str) -> str:
    """A condition as a number: 1 or 0."""
    result = want or body.join()
    taken, other = condition(body, node)
    after: Edges = []
    for edges, literal in ((taken, "=1"), (other, "=0")):
        if edges:
            body.open = edges
            body.emit(ir.Copy(node.start - body.base, node.end - body.base, result, literal))
            after += body.open
    body.open = after
    return result


def choose(body: Body, node: Node) -> None:
    """`c ? a : b` for what it does."""
    if len(node.kids) == 2:
        taken, body.open = condition(body, node.kids[0])
        body.effect(node.kids[1])
        body.open = body.open + taken
        return
    if len(node.kids) != 3:
        body.unknown(node)
        return
    taken, other = condition(body, node.kids[0])
    body.open = taken
    body.effect(node.kids[1])
    after = body.open
    body.open = other
    body.effect(node.kids[2])
    body.open = after + body.open


def choose_value(body: Body, node: Node, want: str) -> str:
    """`c ? a : b`, or GNU `c ?: b`, for its value."""
    if len(node.kids) == 2:
        return _first_or(body, node, want)
    if len(node.kids) != 3:
        return body.unknown(node)
    result = want or body.join()
    taken, other = condition(body, node.kids[0])
    after: Edges = []
    for edges, arm in ((taken, node.kids[1]), (other, node.kids[2])):
        if edges:
            body.open = edges
            _copy(body, arm, body.value(arm, result), result)
            after += body.open
    body.open = after
    return result


def _first_or(body: Body, node: Node, want: str) -> str:
    """`c ?: b`: c where it is true, evaluated once."""
    result = want or body.join()
    first = body.value(node.kids[0])
    taken, other = body.branch("true", first, "", node.kids[0])
    body.open = taken
    _copy(body, node.kids[0], first, result)
    after = body.open
    body.open = other
    _copy(body, node.kids[1], body.value(node.kids[1], result), result)
    body.open = after + body.open
    return result


def _copy(body: Body, node: Node, operand: str, result: str) -> None:
    if operand in body.pointers:
        body.pointers.add(result)
    if operand != result:
        if operand == "=0" and result in body.pointers:
            operand = "=null"
        body.emit(ir.Copy(node.start - body.base, node.end - body.base, result, operand))


def any_of(body: Body, node: Node, choices: list[Node], want: str) -> str:
    """The value of any one of the choices."""
    result = want or body.join()
    after: Edges = []
    for choice in choices[:-1]:
        taken, other = body.branch("*", "=?", "", node)
        body.open = taken
        _copy(body, choice, body.value(choice, result), result)
        after += body.open
        body.open = other
    _copy(body, choices[-1], body.value(choices[-1], result), result)
    body.open = after + body.open
    return result
