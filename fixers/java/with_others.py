"""`A a = null; B b = null; try { a = …; b = …; …` with closes in its `finally`: all of them become resources of the header.

Only where each is assigned once, first thing in the block, and used nowhere else; the proof looks at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.header import add_to_header
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import (
    assignment,
    assigns,
    declarators,
    declared_type,
    initialiser,
    is_final,
    statements,
)
from fixers.leak import Candidate, Leak
from fixers.tree import find
from templates import render


class _Other(msgspec.Struct, frozen=True):
    """One variable that comes along: where it is declared, assigned and closed."""

    name: str
    written: str
    declaration: Node
    assigned: Node
    value: Node
    closes: tuple[Node, ...]


def converted_with_others(leak: Leak, scope: Scope, owner: Node, header: list[str]) -> Iterator[Candidate]:
    """The candidate, where all statements before the acquisition open something of this kind."""
    container = scope.shape.container
    declared = scope.declaration()
    if container is None or declared is None or owner.kind != "try_statement" or len(declarators(declared[0])) != 1:
        return
    before = statements(container)[: index_in(container, scope.shape.statement)]
    others = [_other(leak, scope, owner, each) for each in before]
    found = [each for each in others if each is not None]
    mine = [declared[0], scope.shape.statement, *scope.closes(), *scope.nullings()]
    if len(found) != len(others) or scope.closer.uses_besides(scope.root, [*mine, container]):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, sorted([*scope.closes(), *(close for each in found for close in each.closes)], key=lambda node: node.start))
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    for each in (*(other for one in found for other in (one.declaration, one.assigned)), declared[0], scope.shape.statement):
        draft.remove(each.start, each.end)
    words = [f"{each.written} {each.name} = {leak.tree.text(each.value)}" for each in found]
    add_to_header(draft, owner, [*words, *header])
    scope.types.import_into(draft)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), edits, checks_all=True)


def _other(leak: Leak, scope: Scope, owner: Node, statement: Node) -> _Other | None:
    """What a statement opens, where nothing but the block uses it and the `finally` closes it."""
    target = assignment(statement)
    if target is None or target[0].kind != "identifier":
        return None
    name = leak.tree.text(target[0])
    declaration = next((
        each for each in find(scope.root, "local_variable_declaration")
        if [leak.tree.text(one.kids[0]) for one in declarators(each)] == [name] and each.end <= owner.start
    ), None)
    closer = scope.closer_of(name)
    closes = tuple(closer.closes(scope.root))
    body = scope.shape.container
    if declaration is None or body is None or not closes or is_final(leak.tree, declaration):
        return None
    value = initialiser(declarators(declaration)[0])
    is_empty = value is None or value.kind == "null_literal"
    is_once = len(list(assigns(leak.tree, scope.root, name))) == 1
    shape = classify(leak.tree, target[1].start, target[1].end)
    if not is_empty or not is_once or shape is None or closer.uses_besides(scope.root, [declaration, *closes, body]):
        return None
    return _Other(name, declared_type(leak.tree, declaration), declaration, statement, target[1], closes)
