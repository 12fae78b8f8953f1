"""`switch`: the tests of all its labels in a row, then its body with the labels as entries."""

from __future__ import annotations

from analyzers.frontends.c import configurations, literals
from analyzers.frontends.c.body import Body, Target
from analyzers.syntax import Node

_MAY_HOLD_LABELS = frozenset((
    "compound_statement", "if_statement", "else_clause", "for_statement", "while_statement", "do_statement",
    "labeled_statement", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
    "case_statement", "attributed_statement",
))


def switch(body: Body, node: Node) -> None:
    """Lower a switch statement."""
    if len(node.kids) < 2:
        body.unknown(node)
        return
    selector = body.value(node.kids[0])
    inside = node.kids[-1]
    entries: dict[int, list[int]] = {}
    default = -1
    sides: _Sides = ()
    for label, around in _labels(body, inside):
        if is_default(body, label):
            default, sides = label.start, around
        else:
            entries[label.start] = _compiled(body, _test(body, label, selector), around)
    for hidden in _hidden_labels(body, inside):
        taken, body.open = body.branch("*", "=?", "", hidden)
        entries[hidden.start] = taken
        if "conditional" not in body.attributes:
            body.attributes.append("conditional")
    target = Target(len(body.scopes), "")
    if default >= 0:
        taken, body.open = body.open, []
        entries[default] = _compiled(body, taken, sides)
        target.breaks += body.open
    else:
        target.breaks += body.open
    body.open = []
    body.targets.append(target)
    body.entries.append(entries)
    body.statement(inside)
    missed = body.entries.pop()
    body.targets.pop()
    for start in sorted(missed):
        target.breaks += missed[start]
    body.open = body.open + target.breaks


def is_default(body: Body, label: Node) -> bool:
    """Whether a label is `default`."""
    return body.source.startswith("default", label.start)


_Sides = tuple[tuple[Node, Node], ...]
"""The conditional compilation that a label is in: each `#if`, and what it holds that holds the label."""


def _labels(body: Body, inside: Node) -> list[tuple[Node, _Sides]]:
    """The labels of this switch, in order, also inside nested blocks (Duff's device)."""
    found: list[tuple[Node, _Sides]] = []
    source = body.source
    stack: list[tuple[Node, _Sides]] = [(inside, ())]
    while stack:
        node, around = stack.pop()
        if node.kind == "case_statement":
            found.append((node, around))
        is_conditional = node.kind in configurations.CONDITIONAL
        stack.extend(
            (kid, (*around, (node, kid)) if is_conditional else around)
            for kid in reversed(node.kids) if _may_hold_labels(source, kid)
        )
    return found


def _compiled(body: Body, taken: list[int], around: _Sides) -> list[int]:
    """The edges to a label where it is compiled; where it is not, the switch goes on as if it had none."""
    missed = body.open
    body.open = taken
    for node, inner in around if taken else ():
        missed = missed + configurations.pass_by(body, node, inner)
    taken, body.open = body.open, missed
    return taken


_JUMPS = frozenset((
    "break_statement", "return_statement", "goto_statement", "continue_statement", "switch_statement",
))


def _hidden_labels(body: Body, inside: Node) -> list[Node]:
    """Macro calls that nothing reaches but a label of their own: `OPCODES(X)` for many `case`."""
    found: list[Node] = []
    groups = [inside.kids, *(kid.kids for kid in inside.kids if kid.kind == "case_statement")]
    for number, kids in enumerate(groups):
        is_reached = number > 0
        for kid in kids:
            if not is_reached and (kid.start in body.found.blocks or _is_macro_call(kid)):
                found.append(kid)
            elif kid.kind == "case_statement":
                is_reached = not (kid.kids and kid.kids[-1].kind in _JUMPS)
            elif kid.kind in _JUMPS:
                is_reached = False
            elif kid.kind != "preproc_def" and kid.kind != "preproc_function_def":
                is_reached = True
    return found


def _is_macro_call(node: Node) -> bool:
    return node.kind == "expression_statement" and len(node.kids) == 1 and (
        node.kids[0].kind in ("identifier", "call_expression")
    )


def enter(body: Body, node: Node) -> None:
    """Reach a macro that holds its own labels."""
    body.open = body.entries[-1].pop(node.start, [])


def _may_hold_labels(source: str, node: Node) -> bool:
    if node.kind == "case_statement":
        return True
    if node.kind not in _MAY_HOLD_LABELS:
        return False
    return source.find("case", node.start, node.end) >= 0 or source.find("default", node.start, node.end) >= 0


def _test(body: Body, label: Node, selector: str) -> list[int]:
    """Test for one label; its edges. What is open after did not match."""
    if not label.kids:
        return []
    limits = body.file.found.ranges.get(label.start)
    first = label.kids[0]
    if limits is not None:
        return _test_range(body, first, selector, limits[0], limits[1])
    constant = body.value(first)
    if selector[0] == "=" and "=?" not in (selector, constant):
        taken, body.open = (body.open, []) if selector == constant else ([], body.open)
        return taken
    if selector[0] == "=" or constant == "=?":
        taken, body.open = body.branch("*", "=?", "", first)
        return taken
    taken, body.open = body.branch("==", selector, constant, first)
    return taken


def _test_range(body: Body, first: Node, selector: str, start: int, end: int) -> list[int]:
    """`case a ... b`; b are the bytes [start, end)."""
    inside, below = body.branch(">=", selector, body.value(first), first)
    body.open = inside
    taken, above = body.branch("<=", selector, _constant(body, body.source[start:end]), first)
    body.open = below + above
    return taken


def _constant(body: Body, text: str) -> str:
    if text[:1] == "'":
        return literals.character(text)
    if text[:1].isdecimal():
        return literals.number(text)
    return body.file.constants.get(text, "=?")


def case(body: Body, node: Node) -> None:
    """Enter at a label, from the tests or from the label above."""
    if body.entries:
        body.open = body.open + body.entries[-1].pop(node.start, [])
    else:
        body.broken(node.start, node.end)
        body.file.note("not-modelled", node.start, node.end, "a case label outside a switch")
    for kid in node.kids if is_default(body, node) else node.kids[1:]:
        body.statement(kid)
