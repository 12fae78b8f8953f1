"""Java patterns: type patterns, record patterns, and the scope of what they bind.

A match is a chain of branches; on its true side each variable is a cast of what was tested. Components of
records come from their accessors, which are taken to throw nothing.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.syntax import Node

from .body import DEEPEST, UNKNOWN, Body, Edges
from .type_nodes import is_type, type_text

_ALWAYS = frozenset(("", "var", "boolean", "byte", "char", "short", "int", "long", "float", "double"))


def match(body: Body, node: Node, operand: str, parts: list[Node], declared: str = "") -> Edges:
    """Test an operand against what follows `instanceof` or `case`: a type, a name, a record pattern.

    What is `declared` with the very type that is asked for always fits.
    """
    written = ""
    name: Node | None = None
    for part in parts:
        if part.kind in ("record_pattern", "pattern", "type_pattern"):
            return pattern(body, part, operand)
        if part.kind == "identifier":
            name = part
        elif is_type(part):
            written = type_text(body.context, part)
    is_open = written not in _ALWAYS and written != declared
    holds, fails = _test(body, node, operand, written) if is_open else _pass(body)
    return _bind(body, node, operand, written, name, holds), fails


def pattern(body: Body, node: Node, operand: str) -> Edges:
    """Test an operand against a pattern; its variables are visible from here on."""
    while node.kind == "pattern" and node.kids:
        node = node.kids[0]
    if node.kind == "type_pattern":
        return match(body, node, operand, node.kids)
    if node.kind == "record_pattern":
        return _record(body, node, operand)
    return body.test(UNKNOWN, node)


def _test(body: Body, node: Node, operand: str, written: str) -> Edges:
    body.context.mention(written)
    start, end = node.start - body.start, node.end - body.start
    return body.graph.branch(ir.Branch(start, end, "instanceof", operand, f"={written}"))


def _pass(body: Body) -> Edges:
    edges, body.graph.pending = body.graph.pending, []
    return edges, []


def _bind(
    body: Body, node: Node, operand: str, written: str, name: Node | None, holds: list[int]
) -> list[int]:
    """Name what fitted; answers the edges on which the name stands."""
    text = body.context.text(name) if name is not None else "_"
    if name is None or text == "_":
        return holds
    graph = body.graph
    graph.pending = holds
    start, end = node.start - body.start, node.end - body.start
    variable = body.declare(text, written, name.start)
    graph.emit(ir.Op(start, end, variable, "cast", (operand,), "" if written == "var" else written))
    holds, graph.pending = graph.pending, []
    return holds


def _record(body: Body, node: Node, operand: str) -> Edges:
    if body.depth > DEEPEST:
        return body.test(body.havoc(node, "nested too deeply"), node)
    graph = body.graph
    written = type_text(body.context, node.kids[0])
    holds, fails = _test(body, node, operand, written)
    parts = [kid for kid in node.kids[-1].kids if node.kids[-1].kind == "record_pattern_body"]
    components = _components(body, written)
    for position, part in enumerate(parts):
        graph.pending = holds
        component = body.temporary()
        unknown = (f"component{position + 1}", "Object")
        field, declared = components[position] if position < len(components) else unknown
        graph.emit(ir.Load(part.start - body.start, part.end - body.start, component, operand, field))
        if part.kind == "record_pattern":
            body.depth += 1
            holds, more = _record(body, part, component)
            body.depth -= 1
        elif part.kind == "record_pattern_component":
            kinds = [kid for kid in part.kids if kid.kind != "underscore_pattern"]
            holds, more = match(body, part, component, kinds, declared)
        else:
            holds, more = _pass(body)
        fails = fails + more
    graph.pending = []
    return holds, fails


def _components(body: Body, written: str) -> list[tuple[str, str]]:
    """The components of a record of this file: name and type."""
    scope = body.owner.find_type(written.partition("<")[0].rpartition(".")[2])
    return [(name, scope.fields[name].type) for name in scope.components] if scope is not None else []


def bindings(body: Body, node: Node, holds: str) -> set[str]:
    """The variables that a condition binds where it is true (`holds` is "true") or false ("false")."""
    names: set[str] = set()
    work = [(node, holds)]
    while work:
        node, holds = work.pop()
        if node.kind == "parenthesized_expression" and node.kids:
            work.append((node.kids[0], holds))
        elif node.kind == "instanceof_expression" and holds == "true":
            names |= _bound(body, node)
        elif node.kind == "unary_expression" and len(node.kids) == 2 and node.kids[0].kind == "!":
            work.append((node.kids[1], "false" if holds == "true" else "true"))
        elif node.kind == "binary_expression" and node.kids[1].kind == ("&&" if holds == "true" else "||"):
            work += [(node.kids[0], holds), (node.kids[2], holds)]
    return names


def _bound(body: Body, node: Node) -> set[str]:
    names: set[str] = set()
    work = list(node.kids[1:])
    while work:
        each = work.pop()
        if each.kind == "identifier":
            names.add(body.context.text(each))
        work.extend(each.kids)
    return names
