"""`p = realloc(p, n)` loses the old block when it fails: keep it until the new one is there.

The result goes to a variable of its own; where it is null the old block is released, as the assignment to `p`
that follows would have lost it.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.syntax import Node
from fixers import text
from fixers.c.patch import Patch, declaration
from fixers.c.release import release_call
from fixers.c.style import Style
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import COMMENTS
from templates import render


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The one candidate, where the leak has this shape."""
    found = _assignment(leak)
    if found is None:
        return
    statement, target, value = found
    call = release_call(leak, leak.tree.text(target))
    if not call or not text.starts_line(leak.data, statement.start):
        return
    style = Style(leak.tree, leak.standard)
    name = unused(leak.tree, "resized", "grown", "moved")
    patch = Patch(leak, style)
    written = _type(leak, target)
    block = _block(leak, statement)
    if block is None:
        return
    head = declaration(written, name)
    if not style.is_mixed:
        patch.declare_first(block, head)
        head = name
    lines = render(
        "fixes/c/realloc",
        head=head,
        value=leak.tree.text(value),
        failed=f"!{name}" if style.tests_truth else f"{name} == NULL",
        call=call,
        target=leak.tree.text(target),
        name=name,
        unit=patch.draft.unit,
    )
    indent = text.indentation(leak.data, statement.start)
    patch.draft.replace(statement.start, statement.end, text.reindented(lines, indent).strip())
    edits = patch.edits()
    if edits:
        yield Candidate(render("fixes/titles/realloc", expression=leak.tree.text(target)), edits)


def _assignment(leak: Leak) -> tuple[Node, Node, Node] | None:
    """(statement, target, value) of `p = realloc(p, …);` where the finding is lost at it."""
    lost = leak.finding.lost
    for node in reversed(leak.tree.path(lost.start, lost.end)):
        if node.kind != "expression_statement":
            continue
        expression = node.kids[0]
        if expression.kind != "assignment_expression":
            return None
        kids = [kid for kid in expression.kids if kid.kind not in COMMENTS]
        if len(kids) != 3 or kids[1].kind != "=":
            return None
        target, value = kids[0], kids[2]
        inner = next((each for each in (value, *value.kids) if each.kind == "call_expression"), None)
        if inner is None or not _consumes(leak, inner, leak.tree.text(target)):
            return None
        return node, target, value
    return None


def _consumes(leak: Leak, call: Node, target: str) -> bool:
    """Whether a call releases its argument only when it succeeds, and that argument is the target."""
    arguments = next((kid for kid in call.kids if kid.kind == "argument_list"), None)
    given = [kid for kid in arguments.kids if kid.kind not in ("(", ")", ",")] if arguments is not None else []
    body = leak.linked.body
    for node, each in enumerate(body.nodes):
        if not isinstance(each, ir.Call) or (body.start + each.start, body.start + each.end) != (call.start, call.end):
            continue
        for transfer in (t for effects in leak.effects.get(node, ()) for t in effects.transfers):
            if not transfer.entry or not transfer.entry[0][1:].isdigit():
                continue
            index = int(transfer.entry[0][1:])
            fates = {outcome.fate for outcome in transfer.outcomes if outcome.exit == "return"}
            if index < len(given) and leak.tree.text(given[index]) == target and {"released", "held"} <= fates:
                return True
    return False


def _type(leak: Leak, target: Node) -> str:
    name = leak.tree.text(target)
    variable = next((each for each in leak.procedure.variables if each.name == name), None)
    if variable is not None and "*" in variable.type:
        return variable.type.replace("const ", "")
    return "void *"


def _block(leak: Leak, statement: Node) -> Node | None:
    path = leak.tree.path(statement.start, statement.end)
    at = next((n for n, node in enumerate(path) if node is statement), 0)
    return path[at - 1] if at and path[at - 1].kind == "compound_statement" else None
