"""`A a = null; B b = null; try { a = …; b = …; …` with closes in its `finally`, or `A a = …; B b = …; try { …`: all of them become
resources of the header.

Only where each is assigned once, first thing in the block or right above it, and used nowhere else; the proof looks at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.declaring import declare_thrown
from fixers.java.folded import folded
from fixers.java.header import add_to_header
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import (
    annotated,
    assignment,
    assigns,
    declarators,
    declared_type,
    final_block,
    initialiser,
    is_final,
    statements,
    try_body,
    uses,
)
from fixers.java.wrapping import close_gap_before, has_own_lines
from fixers.leak import Candidate, Leak
from fixers.tree import Tree, child, find
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
    closes = sorted([*scope.closes(), *(close for each in found for close in each.closes)], key=lambda node: node.start)
    closing.remove(draft, scope.root, closing.protected(scope.closer, closes))
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    for each in (*(other for one in found for other in (one.declaration, one.assigned)), declared[0], scope.shape.statement):
        draft.remove(each.start, each.end)
    if len(statements(container)) > len(before) + 1:
        close_gap_before(draft, before[0] if before else scope.shape.statement, statements(container)[len(before) + 1], scope.shape.statement)
    words = [f"{each.written} {each.name} = {leak.tree.text(each.value)}" for each in found]
    add_to_header(draft, owner, [*words, *header], scope.shape.statement)
    scope.types.import_into(draft)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), folded(leak, draft, owner, edits), checks_all=True)


def declared_with_others(leak: Leak, scope: Scope, header: list[str]) -> Iterator[Candidate]:
    """The candidate, where the statements between the acquisition and the `try` that closes all of it declare what is closed there, too,
    or begin with nothing. What only stands around another of them (a stream of a codec) closes that."""
    container = scope.shape.container
    if container is None:
        return
    body = statements(container)
    at = index_in(container, scope.shape.statement)
    owner = next((each for each in body[at + 1 :] if not declarators(each)), None)
    clause = final_block(owner) if owner is not None and owner.kind == "try_statement" else None
    if owner is None or clause is None or child(owner, "catch_clause") is not None:
        return
    above = body[:at]
    while above and (one := _declared(leak, scope, owner, above[-1])) is not None and one.closes:
        above = above[:-1]
    around = body[len(above) : body.index(owner)]
    found = [_declared(leak, scope, owner, each) for each in around]
    given = [(each, one) for each, one in zip(around, found, strict=True) if each is scope.shape.statement or (one is not None and one.is_opened)]
    closes = sorted({each.start: each for one in found if one is not None for each in one.closes}.values(), key=lambda node: node.start)
    names = [one.name for one in found if one is not None]
    block = child(clause, "block")
    if None in found or len(given) < 2 or block is None or not all(each in closes for each in statements(block)):
        return
    opened = [one for _, one in given if one is not None]
    if any(not one.closes and not any(scope.wraps(other.value, one.name) for other in opened if other is not one) for one in opened):
        return
    left = [one for one in found if one is not None and one not in opened]
    if any(uses(leak.tree, one.value, names) for one in left) or not has_own_lines(leak.data, tuple(each for each, _ in given)):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, closes)
    for each, _ in given:
        draft.remove(each.start, each.end)
    if not left:
        close_gap_before(draft, given[0][0], owner, given[-1][0])
    words = [header if each is scope.shape.statement else [f"{one.written} {one.name} = {leak.tree.text(one.value)}"] for each, one in given if one is not None]
    add_to_header(draft, owner, [one for each in words for one in each])
    declare_thrown(draft, leak)
    scope.types.import_into(draft)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), folded(leak, draft, owner, edits))


class _Declared(msgspec.Struct, frozen=True):
    """One variable that is declared with a value: where it is closed in the `finally`, and whether it may have to be."""

    name: str
    written: str
    value: Node
    closes: tuple[Node, ...]
    is_opened: bool


def _declared(leak: Leak, scope: Scope, owner: Node, statement: Node) -> _Declared | None:
    """What a statement declares, where nothing but the block of a `try` and what is declared above it uses that."""
    names = declarators(statement)
    value = initialiser(names[0]) if len(names) == 1 else None
    body, clause = try_body(owner), final_block(owner)
    if value is None or body is None or clause is None or child(names[0], "dimensions") is not None:
        return None
    name = leak.tree.text(names[0].kids[0])
    written = " ".join((*annotated(leak.tree, statement), declared_type(leak.tree, statement)))
    if is_idle(leak.tree, value):
        return _Declared(name, written, value, (), is_opened=False)
    closer = scope.closer_of(name)
    closes = tuple(closer.closes(clause))
    above = [each for each in statements(scope.shape.container or owner) if each.end <= owner.start and declarators(each)]
    is_else = any(True for _ in assigns(leak.tree, scope.root, name)) or closer.uses_besides(scope.root, [*above, *closes, body])
    is_made = value.kind in ("object_creation_expression", "method_invocation") and child(value, "class_body") is None
    return _Declared(name, written, value, closes, is_opened=True) if is_made and not is_else else None


def is_idle(tree: Tree, value: Node) -> bool:
    """Whether a value is a literal, or a new array of so many elements."""
    if value.kind != "array_creation_expression":
        return value.kind.endswith("_literal") or value.kind in ("true", "false")
    sizes = [kid for each in find(value, "dimensions_expr") for kid in each.kids if kid.kind not in ("[", "]")]
    return child(value, "array_initializer") is None and all(each.kind.endswith("_literal") for each in sizes)


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
