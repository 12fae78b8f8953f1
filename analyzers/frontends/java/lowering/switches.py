"""Java `switch`: statements and expressions, groups and arrows, constants and patterns.

Labels are tested in their order, then the bodies follow. Enumerators are the literals `=NAME`. A switch
that is an expression or has patterns is exhaustive: without `default` its last label always fits.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.syntax import Node

from . import patterns
from .body import Body
from .exits import Target

_PATTERNS = ("pattern", "type_pattern", "record_pattern")


def expression(body: Body, node: Node, into: str) -> str:
    """A switch as a value, which all its branches assign."""
    result = into or body.choice("choice")
    _switch(body, node, result)
    return result


def statement(body: Body, node: Node) -> None:
    """A switch as a statement."""
    _switch(body, node, "")


class _Case:
    """A body with the edges that lead to it, and what its patterns bind."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.edges: list[int] = []
        self.bound: list[tuple[str, str | None, str]] = []


def _switch(body: Body, node: Node, result: str) -> None:
    graph = body.graph
    mark, outer = len(body.undo), body.scope_end
    body.scope_end = node.end
    labels = body.take_labels()
    operand = body.value(node.kids[0])
    block = node.kids[-1]
    cases = [_Case(kid) for kid in block.kids if kid.kind in ("switch_rule", "switch_block_statement_group")]
    rest = _dispatch(body, cases, operand, result)
    target = Target(labels, len(body.undo))
    target.is_switch = True
    target.result = result
    body.exits.push(target)
    graph.pending = []
    for case in cases:
        graph.pending = graph.pending + case.edges
        _body(body, case, target)
    body.exits.pop()
    graph.pending = graph.pending + rest + target.breaks
    body.end_scope(mark, node.end - 1, node.end)
    body.close_scope(mark)
    body.scope_end = outer


def _dispatch(body: Body, cases: list[_Case], operand: str, result: str) -> list[int]:
    """Test the labels in order; answers the edges on which none fits."""
    graph = body.graph
    fallback: _Case | None = None
    has_patterns = False
    for case in cases:
        for label in case.node.kids:
            if label.kind != "switch_label":
                continue
            mark = len(body.undo)
            edges, is_default, is_pattern = _label(body, label, operand)
            case.edges += edges
            case.bound += body.undo[mark:]
            body.close_scope(mark)
            has_patterns = has_patterns or is_pattern
            if is_default:
                fallback = case
    rest, graph.pending = graph.pending, []
    if fallback is None and (result or has_patterns) and cases:
        cases[-1].edges += graph.always(rest)
        return []
    if fallback is None:
        return rest
    fallback.edges += rest
    return []


def _label(body: Body, label: Node, operand: str) -> tuple[list[int], bool, bool]:
    """Test one label; answers the edges where it fits, whether it is the default, whether a pattern."""
    graph = body.graph
    fitting: list[int] = []
    is_default = not label.kids
    is_pattern = False
    for kid in label.kids:
        if kid.kind == "default" or (kid.kind == "identifier" and body.context.text(kid) == "default"):
            is_default = True
        elif kid.kind == "guard":
            graph.pending, unmet = fitting, graph.pending
            holds, fails = body.condition(kid.kids[-1])
            fitting, graph.pending = holds, unmet + fails
        elif kid.kind in _PATTERNS:
            is_pattern = True
            holds, graph.pending = patterns.pattern(body, kid, operand)
            fitting = fitting + holds
        else:
            start, end = kid.start - body.start, kid.end - body.start
            holds, graph.pending = graph.branch(ir.Branch(start, end, "==", operand, _constant(body, kid)))
            fitting = fitting + holds
    return fitting, is_default, is_pattern


def _constant(body: Body, node: Node) -> str:
    """The operand that a label stands for."""
    if node.kind == "identifier":
        name = body.context.text(node)
        return body.names.get(name) or f"={name}"
    if node.kind == "field_access":
        return "=" + body.context.text(node.kids[-1])
    return body.value(node)


def _body(body: Body, case: _Case, target: Target) -> None:
    mark = len(body.undo)
    for name, _, variable in case.bound:
        body.undo.append((name, body.names.get(name), variable))
        body.names[name] = variable
    code = [kid for kid in case.node.kids if kid.kind != "switch_label"]
    if case.node.kind == "switch_block_statement_group":
        for kid in code:
            body.statement(kid)
        return
    for kid in code:
        if target.result and kid.kind == "expression_statement" and kid.kids:
            body.assign(target.result, kid.kids[0])
        else:
            body.statement(kid)
    body.end_scope(mark, case.node.end - 1, case.node.end)
    body.close_scope(mark)
    target.breaks.extend(body.graph.pending)
    body.graph.pending = []


EXPRESSIONS: dict[str, Callable[[Body, Node, str], str]] = {"switch_expression": expression}
STATEMENTS: dict[str, Callable[[Body, Node], None]] = {"switch_expression": statement}
