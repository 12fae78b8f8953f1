"""Shuts a pool of threads down right behind the last task that it is given, where the code only gives it tasks, and behind the `try` that ends
with doing so, where what it handles goes on: nobody moves a class without a name into a `try` for that, or shuts a pool down twice.

Only where the statements behind its making make tasks and hand it one each, or are loops of such, or where a handler comes out behind its `try`;
that nothing else may throw there is for the proof to say. Misses pools whose results are waited for among the tasks: a `finally` covers those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.fix import Edit
from fixers.java import closing
from fixers.java.closing import lead_of
from fixers.java.region import needed
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import (
    LOOPS,
    TRIES,
    assignment,
    call_parts,
    declarators,
    final_block,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.java.wrapping import has_own_lines
from fixers.leak import Candidate, Leak
from fixers.tree import Tree, child
from templates import render

_GIVING = {"execute": 1, "submit": 1, "schedule": 3}
"""How tasks are given, with how many arguments."""

_POOLS = "java.util.concurrent."


def propose(leak: Leak) -> Iterator[Candidate]:
    """The candidate, if there is one."""
    if leak.owned or not leak.finding.resource.startswith(_POOLS):
        return
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None or shape.kind != "declared" or shape.container is None or len(declarators(shape.statement)) != 1:
        return
    scope = Scope(leak, shape)
    if scope.release != "shutdown" or scope.is_reassigned():
        return
    if scope.closes():
        yield from _behind_try(leak, scope, shape.container)
        return
    region = needed(leak.tree, shape.container, index_in(shape.container, shape.statement) + 1, shape.variable)
    if not region.body or not _only_gives(scope, region.body) or not has_own_lines(leak.data, region.body):
        return
    last = region.body[-1]
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    draft.insert_lines_after(last.end, scope.release_statement() + "\n", text.indentation(leak.data, last.start))
    yield from _candidate(draft, shape.variable)


def _behind_try(leak: Leak, scope: Scope, container: Node) -> Iterator[Candidate]:
    """`try { …; pool.shutdown(); } catch … { … }`: the same behind it."""
    body = statements(container)[index_in(container, scope.shape.statement) + 1 :]
    owner = body[-1] if body and body[-1].kind in TRIES and final_block(body[-1]) is None else None
    block = try_body(owner) if owner is not None else None
    inner = statements(block) if block is not None else []
    close = inner[-1] if len(inner) > 1 else None
    is_alone = close is not None and scope.closes() == [close] and close.kind == "expression_statement"
    if owner is None or close is None or not is_alone or not has_own_lines(leak.data, (owner,)):
        return
    if not text.starts_line(leak.data, close.start) or not text.ends_line(leak.data, close.end) or lead_of(leak.data, close.start) < close.start:
        return  # A comment would stay where it was.
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    if closing.remove(draft, scope.root, [close]):
        return
    draft.insert_lines_after(owner.end, scope.release_statement() + "\n", text.indentation(leak.data, owner.start))
    yield from _candidate(draft, scope.variable)


def _only_gives(scope: Scope, body: Sequence[Node]) -> bool:
    """Whether statements do nothing but make tasks and hand the pool one each."""
    return all(_gives(scope, each) or _makes(scope, each) for each in body)


def _makes(scope: Scope, statement: Node) -> bool:
    """Whether a statement only gives a name to a new object, whose class stands there, to a text or a number, or to the time that it is."""
    target = assignment(statement)
    values = [initialiser(each) for each in declarators(statement)] or ([target[1]] if target is not None else [])
    return bool(values) and all(value is not None and _is_made_here(scope, value) and not uses(scope.tree, value, [scope.variable]) for value in values)


def _is_made_here(scope: Scope, value: Node) -> bool:
    is_task = value.kind == "lambda_expression" or (value.kind == "object_creation_expression" and child(value, "class_body") is not None)
    return is_task or value.kind.endswith("_literal") or scope.tree.text(value) in ("System.currentTimeMillis()", "System.nanoTime()")


def _gives(scope: Scope, statement: Node) -> bool:
    if statement.kind == "block":
        return bool(statements(statement)) and _only_gives(scope, statements(statement))
    if statement.kind in LOOPS:
        return _gives(scope, statement.kids[-1])
    call = child(statement, "method_invocation") if statement.kind == "expression_statement" else None
    if call is None:
        return False
    receiver, name, given = call_parts(scope.tree, call)
    is_given = receiver is not None and scope.tree.text(receiver) == scope.variable and _GIVING.get(name) == len(given)
    return is_given and not uses(scope.tree, given[0], [scope.variable])  # A task may give the pool others, later.


def _candidate(draft: Draft, variable: str) -> Iterator[Candidate]:
    if edits := draft.edits():
        yield Candidate(render("fixes/titles/insert_close", variable=variable), edits)


def ends_what_never_began(scope: Scope, edits: Sequence[Edit]) -> bool:
    """Whether a `finally` shuts a pool down for nothing but its first task, behind which the code shuts it down: no thread runs yet where that is
    not taken."""
    container, tree = scope.shape.container, scope.tree
    if container is None or scope.release != "shutdown" or not any("finally" in each.text for each in edits):
        return False
    behind = statements(container)[index_in(container, scope.shape.statement) + 1 :][:2]
    names = [call_parts(tree, call)[1] for each in behind if each.kind == "expression_statement" for call in each.kids if _is_on(tree, call, scope.variable)]
    return len(names) == 2 and names[0] in ("submit", "execute") and names[1] == "shutdown"


def _is_on(tree: Tree, call: Node, variable: str) -> bool:
    receiver = call_parts(tree, call)[0] if call.kind == "method_invocation" else None
    return receiver is not None and tree.text(receiver) == variable
