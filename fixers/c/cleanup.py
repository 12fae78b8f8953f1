"""Leaves by the label that the function has for cleaning up, instead of by a `return` that forgets to.

Only where other exits go there already, and only where every release behind the label is safe from the new jump:
that is verified for all of them, not for the finding's resource alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.syntax import Node
from fixers import text
from fixers.c.patch import Patch, Release
from fixers.c.points import returned, statements
from fixers.c.release import release_call
from fixers.c.style import style_of
from fixers.leak import Candidate, Leak, Refusal
from fixers.tree import Tree, find
from templates import render


class Label(msgspec.Struct, frozen=True):
    """A label whose statements release and return: its name, where it begins, what it returns («» nothing)."""

    name: str
    start: int
    result: str


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The one candidate, where every leaking exit is a return that a label can stand for."""
    if not leak.finding.variable or not leak.releases:
        return
    label = _label(leak)
    exits = [_return(leak.tree, each.start, each.end) for each in sorted({*leak.finding.exits, leak.finding.lost})]
    if label is None or not exits or any(each is None or each.start > label.start for each in exits):
        return
    patch = Patch(leak, style_of(leak))
    for statement in exits:
        if statement is None or not _leave(leak, patch, statement, label):
            return
    edits = patch.draft.edits()
    if edits:
        title = render("fixes/titles/cleanup", label=label.name, expression=leak.finding.variable)
        yield Candidate(title, edits, checks_all=True)


def _label(leak: Leak) -> Label | None:
    """The label that releases the finding's variable and that some `goto` behind the acquisition names."""
    tree = leak.tree
    at = leak.finding.acquired.end
    used = {tree.text(each.kids[1]) for each in find(tree.root, "goto_statement") if each.start > at and len(each.kids) > 1}
    call = release_call(leak, leak.finding.variable)
    for block in find(tree.root, "compound_statement"):
        body = statements(block)
        for index, statement in enumerate(body):
            if statement.kind != "labeled_statement" or tree.text(statement.kids[0]) not in used:
                continue
            rest = body[index:]
            last = rest[-1]
            is_end = last.kind == "return_statement" or leak.procedure.result == "void"
            if not is_end or not any(_releases(tree, each, call) for each in rest):
                continue
            value = returned(last) if last.kind == "return_statement" else None
            if value is not None and value.kind != "identifier":
                continue
            return Label(tree.text(statement.kids[0]), statement.start, tree.text(value) if value is not None else "")
    return None


def _releases(tree: Tree, statement: Node, call: str) -> bool:
    words = "".join(call.split())
    return any("".join(tree.text(each).split()) == words for each in find(statement, "call_expression"))


def _return(tree: Tree, start: int, end: int) -> Node | None:
    path = tree.path(start, end)
    return next((node for node in reversed(path) if node.kind == "return_statement"), None)


def _leave(leak: Leak, patch: Patch, statement: Node, label: Label) -> bool:
    """Turn `return x;` into `result = x; goto label;`."""
    value = returned(statement)
    words = leak.tree.text(value) if value is not None else ""
    if words == label.result:
        patch.draft.replace(statement.start, statement.end, f"goto {label.name};")
        return True
    if not label.result or not words or not text.starts_line(leak.data, statement.start):
        return False
    path = leak.tree.path(statement.start, statement.end)
    at = next((n for n, node in enumerate(path) if node is statement), 0)
    assignment = Release(f"{label.result} = {words}")
    if at and path[at - 1].kind in ("compound_statement", "case_statement"):
        patch.draft.insert_lines(statement.start, f"{assignment.call};\n", text.indentation(leak.data, statement.start))
        patch.draft.replace(statement.start, statement.end, f"goto {label.name};")
        return True
    if not patch.put_before_branch(statement, assignment):
        return False
    patch.draft.replace(statement.start, statement.end, f"goto {label.name};")
    return True


