"""Where a `finally` does something that may throw before it closes a resource: that comes into a `try` of its own.

Nothing else moves: the close stays the statement that it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.closing import lead_of
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import (
    CONTAINERS,
    call_parts,
    catches,
    declared,
    final_block,
    statements,
    try_body,
    uses,
)
from fixers.java.wrapping import close_block, close_gap, has_own_lines, indent_region
from fixers.leak import Candidate, Leak
from fixers.tree import child, find
from templates import render


def propose(leak: Leak) -> Iterator[Candidate]:
    """One candidate, where every way that loses the resource leads out of the same `finally`, or a handler in it meets what is thrown."""
    for _, each in _proposed(leak):
        yield each


def _proposed(leak: Leak) -> Iterator[tuple[Node, Candidate]]:
    """The candidates, each with the statement that closes the resource."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable:
        return
    scope = Scope(leak, shape)
    exits = tuple(dict.fromkeys((*leak.finding.exits, leak.finding.lost)))
    for close in (*scope.closes(), *_reporting(leak, scope), *_closing_more(leak, scope)):
        path = leak.tree.path(close.start, close.end)
        at = next((n for n, node in enumerate(path) if node is close), 0)
        container = path[at - 1]
        if container.kind not in CONTAINERS or not any(node.kind == "finally_clause" for node in path[:at]):
            continue
        before = statements(container)[: index_in(container, close)]
        is_met = any(_handles(each, close) for each in path[:at] if each.start > _start_of_final(path))
        if before and (is_met or all(before[0].start <= each.start and each.end <= before[-1].end for each in exits)):
            owner = path[at - 2]
            if owner.kind == "try_statement" and try_body(owner) is container and scope.closer.only_reports(owner):
                yield from ((close, each) for each in _split(leak, scope, before, close, owner))
            yield from ((close, each) for each in _apart(leak, scope, before, close))


def _handles(owner: Node, inner: Node) -> bool:
    """Whether a node is a `try` whose handlers meet what is thrown in its block, and that something stands there, or the `try` itself."""
    body = try_body(owner) if owner.kind == "try_statement" else None
    return body is not None and bool(catches(owner)) and (owner is inner or body.start < inner.start < body.end)


def _start_of_final(path: list[Node]) -> int:
    """Where the outermost `finally` on a path begins."""
    return next((node.start for node in path if node.kind == "finally_clause"), 0)


LONG = 20
"""So many lines are not moved in where a few in the `finally` will do."""


def propose_for_long(leak: Leak) -> Iterator[Candidate]:
    """The same, where the `try` is so long that nobody would want to read it moved into another, where a handler is told of what
    closing throws (a header would let that out), or where one call closes others as well: behind a header it would close this twice."""
    for close, each in _proposed(leak):
        if _closes_others(close):
            yield each
            continue
        at = each.edits[0].span.start
        path = leak.tree.path(at, at)
        final = _start_of_final(path)
        if final and any(_handles(node, node) for node in path if node.start > final):
            yield each
            continue
        around = [node for node in leak.tree.path(at, at) if node.kind == "try_statement" and node.start < at]
        if around and leak.tree.text(around[-1]).count("\n") > LONG:
            yield each


def _closing_more(leak: Leak, scope: Scope) -> Iterator[Node]:
    """The statements of `finally` blocks that close the variable and others beside it in one call."""
    for clause in find(scope.root, "finally_clause"):
        block = child(clause, "block")
        for statement in statements(block) if block is not None else ():
            call = child(statement, "method_invocation") if statement.kind == "expression_statement" else None
            if call is None or not _closes_others(statement):
                continue
            given = [leak.tree.text(each) for each in call_parts(leak.tree, call)[2]]
            if scope.variable in given and scope.surely_releases(call):
                yield statement


def _closes_others(close: Node) -> bool:
    """Whether a statement that closes a resource is one call that is given another variable beside it."""
    call = child(close, "method_invocation")
    given = child(call, "argument_list") if call is not None else None
    return given is not None and sum(each.kind == "identifier" for each in given.kids) > 1


def _reporting(leak: Leak, scope: Scope) -> Iterator[Node]:
    """The statements of `finally` blocks that close the variable, and tell of what that throws in their own way."""
    known = scope.closes()
    for clause in find(scope.root, "finally_clause"):
        block = child(clause, "block")
        for statement in statements(block) if block is not None else ():
            calls = [call_parts(leak.tree, each) for each in find(statement, "method_invocation")]
            if statement.kind in ("try_statement", "if_statement") and statement not in known and any(
                receiver is not None and leak.tree.text(receiver) == scope.variable and name in scope.methods and not given
                for receiver, name, given in calls
            ) and not any(statement.start <= each.start < statement.end for each in known):
                yield statement


def is_lost_behind(leak: Leak, scope: Scope, owner: Node) -> bool:
    """Whether every way that loses the resource leads out of the `finally` of one try statement, which closes it."""
    clause = final_block(owner)
    exits = (*leak.finding.exits, leak.finding.lost)
    if clause is None or not any(clause.start <= each.start < clause.end for each in scope.closes()):
        return False
    return all(clause.start <= each.start and each.end <= clause.end for each in exits)


def _apart(leak: Leak, scope: Scope, before: list[Node], close: Node) -> Iterator[Candidate]:
    names = [name for each in before for name in declared(leak.tree, each)]
    own = has_own_lines(leak.data, tuple(before)) and has_own_lines(leak.data, (close,))
    if not own or (names and uses(leak.tree, close, names)):
        return
    yield from moved_to_finally(leak, before, close, scope.variable)


def _split(leak: Leak, scope: Scope, before: list[Node], close: Node, owner: Node) -> Iterator[Candidate]:
    """A `try` whose handlers only tell of what is thrown ends before the close, and another one begins there."""
    names = [name for each in before for name in declared(leak.tree, each)]
    container, clauses = try_body(owner), catches(owner)
    if container is None or final_block(owner) is not None or (names and any(uses(leak.tree, each, names) for each in statements(container)[len(before) :])):
        return
    words = leak.data[container.end - 1 : clauses[-1].end].decode("utf-8", "surrogateescape")
    opening = leak.data[owner.start : container.start + 1].decode("utf-8", "surrogateescape")
    is_own = has_own_lines(leak.data, tuple(before)) and has_own_lines(leak.data, (close,)) and text.starts_line(leak.data, container.end - 1)
    if not is_own or not text.starts_line(leak.data, owner.start) or words.count("\n") > MAX_REPORT:
        return
    draft = Draft(leak.path, leak.data, close.start)
    indent = text.indentation(leak.data, owner.start)
    here = lead_of(leak.data, close.start)
    close_gap(draft, before[-1], here)
    draft.insert(text.line_start(leak.data, here), f"{indent}{words}\n{indent}{opening}\n")
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/close_in_finally", variable=scope.variable), edits)


MAX_REPORT = 4
"""Lines of handlers that may be written a second time."""


def moved_to_finally(leak: Leak, before: list[Node], close: Node, name: str) -> Iterator[Candidate]:
    """What comes before a release in a `try` of its own, the release in its `finally`."""
    draft = Draft(leak.path, leak.data, close.start)
    indent = text.indentation(leak.data, close.start)
    above = lead_of(leak.data, before[0].start)
    draft.insert_lines(above, "try {\n", indent)
    indent_region(draft, tuple(before), above=above)
    here = lead_of(leak.data, close.start)
    close_gap(draft, before[-1], here)
    draft.insert_lines(here, "} finally {\n", indent)
    indent_region(draft, (close,), above=here)
    close_block(draft, (close,), indent)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/close_in_finally", variable=name), edits)
