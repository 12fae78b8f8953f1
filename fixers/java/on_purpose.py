"""Closes that the code makes only sometimes, and means it: behind a test of something else (`if (!toConsole) out.close();`), or right in front of
the end of the program, where no header closes anything.

Declines too often where such a test is the mistake.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.scope import Scope, index_in
from fixers.java.statements import call_parts, completes, statements, uses
from fixers.tree import Tree, find

_ENDS = ("System.exit(", "Runtime.getRuntime().exit(", "Runtime.getRuntime().halt(")


def closed_only_where(scope: Scope) -> str:
    """The test, of anything but the variable, behind which alone the code closes it, and does not throw where it fails; empty for none."""
    tested = ""
    for call in _closes(scope):
        test = _test_around(scope, call)
        if test is None:
            return ""
        tested = tested or " ".join(scope.tree.text(test).strip("()").split())
    return tested


def ends_program_behind(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a patch takes out a close in front of a statement that ends the program, for a header or a `finally`, which that never comes to."""
    for close in _closes(scope):
        if not any(each.span.start <= close.start and close.end <= each.span.end for each in edits):
            continue
        path = scope.tree.path(close.start, close.end)
        for container, statement in itertools.pairwise(path):
            if statement.kind == "expression_statement" and container.kind in ("block", "switch_block_statement_group"):
                behind = statements(container)[index_in(container, statement) + 1 :]
                if any(is_end(scope.tree, each) for each in behind):
                    return True
    return False


def is_end(tree: Tree, statement: Node) -> bool:
    """Whether a statement ends the program."""
    return tree.text(statement).startswith(_ENDS)


def _closes(scope: Scope) -> list[Node]:
    """The calls behind the acquisition that close the variable, outside of handlers."""
    found = []
    for call in find(scope.root, "method_invocation"):
        receiver, name, given = call_parts(scope.tree, call)
        is_it = receiver is not None and scope.tree.text(receiver) == scope.variable and name in scope.methods and not given
        if is_it and call.start > scope.shape.statement.start and not any(each.kind == "catch_clause" for each in scope.tree.path(call.start, call.end)):
            found.append(call)
    return found


def _test_around(scope: Scope, call: Node) -> Node | None:
    """The test of the innermost `if` around a close and behind the acquisition, which is on one of its ways alone."""
    path = scope.tree.path(call.start, call.end)
    owner = next((each for each in reversed(path) if each.kind == "if_statement"), None)
    if owner is None or owner.start < scope.shape.statement.end:
        return None
    test = next((kid for kid in owner.kids if kid.kind == "parenthesized_expression"), None)
    branch = next((kid for kid in owner.kids if kid.start <= call.start < kid.end), None)
    if test is None or branch is None or branch is test or uses(scope.tree, test, [scope.variable]) or not completes(branch):
        return None
    if any(kid is not branch and _ends_in_throw(kid) for kid in owner.kids):  # Nobody goes on with it there: that it stays open is forgotten.
        return None
    others = [kid for kid in owner.kids if kid is not branch and uses(scope.tree, kid, [scope.variable])]
    opened = [kid for each in scope.shape.path if each.kind == "if_statement" for kid in each.kids if kid.kind == "parenthesized_expression"]
    return None if others or any(scope.tree.text(each) == scope.tree.text(test) for each in opened) else test


def _ends_in_throw(branch: Node) -> bool:
    """Whether what runs last in a branch is a `throw`."""
    while branch.kind == "block" and (inner := statements(branch)):
        branch = inner[-1]
    return branch.kind == "throw_statement"
