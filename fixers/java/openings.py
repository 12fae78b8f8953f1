"""A variable that is opened anew each time that it has been closed (`in = open(a); …; in.close(); in = open(b); …`): a header for each.

Only where every part of the procedure that names the variable begins with one of its openings and needs nothing of the one before,
and the code closes each itself, or is known to have opened it: a header must close nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.declaring import declare_thrown
from fixers.java.header import add_to_header, has_throwing_wrapper, resources, try_line
from fixers.java.held import needed_later
from fixers.java.region import MAX_BEHIND, Region, derived, is_close, last_use, needed
from fixers.java.scope import Scope, index_in
from fixers.java.shape import Shape, classify
from fixers.java.statements import (
    TRIES,
    annotated,
    assignment,
    assigns,
    catches,
    declarators,
    declared,
    declared_type,
    initialiser,
    statements,
    uses,
)
from fixers.java.try_with_resources import (
    has_body,
    is_long,
    prepared,
    remove_declaration,
    try_around,
)
from fixers.java.wrapping import (
    can_hoist,
    close_block,
    close_gap_before,
    has_own_lines,
    hoist,
    indent_region,
    is_plain_between,
    open_block,
)
from fixers.leak import Candidate, Leak, Refusal
from fixers.tree import Tree, child, find
from templates import render

MAX_OPENINGS = 12
"""So many openings of one variable are told apart; more are a table, and no case for one patch."""


class _Opening(msgspec.Struct, frozen=True):
    """One value of the variable: the statement that gives it, and what needs it. `owner`: the `try` that is all about it; `is_idle`: nothing
    needs it but the close right behind."""

    scope: Scope
    region: Region
    owner: Node | None
    is_idle: bool = False


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The candidate, if there is one."""
    found = prepared(leak)
    if found is None:
        return
    shape, scope = found
    declaration = scope.declaration()
    if not shape.variable or declaration is None or needed_later(scope, shape.container):
        return
    statement, declarator = declaration
    if child(declarator, "dimensions") is not None or declared_type(leak.tree, statement) == "var":
        return
    value = initialiser(declarator)
    is_empty = value is None or value.kind == "null_literal"
    if not is_empty and len(declarators(statement)) != 1:
        return
    openings = _openings(leak, scope, [] if is_empty or value is None else [(statement, value)])
    if openings is None or not _are_apart(scope, statement, openings):
        return
    yield from _each_in_header(leak, scope, statement, declarator if is_empty else None, openings)


def _openings(leak: Leak, scope: Scope, first: list[tuple[Node, Node]]) -> list[_Opening] | None:
    """All values that the variable gets but null; None where one of them is none that a header could hold."""
    given = list(first)
    emptied = [each for statement in scope.emptied() for each in find(statement, "assignment_expression")]
    for each in assigns(leak.tree, scope.root, scope.variable):
        if any(each is other for other in emptied):
            continue
        statement = next((node for node in reversed(leak.tree.path(each.start, each.end)) if node.kind == "expression_statement"), None)
        target = assignment(statement) if statement is not None else None
        if statement is None or target is None or target[0] is not each.kids[0]:
            return None
        given.append((statement, target[1]))
    if not 1 < len(given) <= MAX_OPENINGS:
        return None
    found = []
    for statement, value in given:
        one = _opening(leak, scope, statement, value, [each for each, _ in given])
        if one is None:
            return None
        found.append(one)
    return found if sum(not each.is_idle for each in found) > 1 else None


def _opening(leak: Leak, scope: Scope, statement: Node, value: Node, givers: list[Node]) -> _Opening | None:
    if value.kind not in ("object_creation_expression", "method_invocation") or has_body(value) or uses(leak.tree, value, [scope.variable]):
        return None
    acquired = leak.finding.acquired
    is_ours = value.start <= acquired.start and acquired.end <= value.end
    chain = list(_inside_out(value))
    inner = scope.shape.expression if is_ours else next((each for each in chain if _is_opened(scope, each)), value)
    shape = classify(leak.tree, inner.start, inner.end)
    if shape is None or shape.container is None or shape.outer is not value or shape.variable != scope.variable or shape.statement is not statement:
        return None
    own = Scope(leak, shape)
    if own.root is not scope.root:
        return None
    body, at = statements(shape.container), index_in(shape.container, statement)
    if not is_ours and value.kind == "object_creation_expression" and at + 1 < len(body) and own.closer.is_close(body[at + 1]) and is_close(leak.tree, body[at + 1], shape.variable):
        return _Opening(own, Region(at + 1, at + 1, (body[at + 1],)), None, is_idle=True)
    behind = next((n for n in range(at + 1, len(body)) if any(body[n].start <= each.start and each.end <= body[n].end for each in givers)), len(body))
    region = _region(leak, own, shape.container, at + 1, behind)
    owner = _owner(own, shape, behind == len(body))
    if region is None or not (is_ours or _is_opened(own, inner) or _is_closed_in(own, region, owner)):
        return None
    return _Opening(own, region, owner)


def _inside_out(value: Node) -> Iterator[Node]:
    """What constructors around each other make, the innermost first."""
    arguments = child(value, "argument_list") if value.kind == "object_creation_expression" else None
    inner = child(arguments, "object_creation_expression", "method_invocation") if arguments is not None else None
    if inner is not None:
        yield from _inside_out(inner)
    yield value


def _region(leak: Leak, scope: Scope, container: Node, first: int, behind: int) -> Region | None:
    """What needs one value, before the statement that gives the next; None where it is needed further, or not at all."""
    names = derived(leak.tree, statements(container)[first:behind], scope.variable)
    body = statements(container)
    used = [n for n in range(first, behind) if uses(leak.tree, body[n], names)]
    further = names - {scope.variable} - _declared_below(leak.tree, body[first:behind])
    if all(scope.closer.is_close(body[n]) for n in used) or last_use(leak.tree, container, behind, further) >= behind:
        return None
    own = max((n for n in used if uses(leak.tree, body[n], [scope.variable])), default=used[-1])
    region = needed(leak.tree, container, first, scope.variable, own if is_close(leak.tree, body[own], scope.variable) else used[-1])
    return region if region.body and region.last < behind and can_hoist(leak.tree, region) and not is_long(leak, region) else None


def _declared_below(tree: Tree, body: list[Node]) -> set[str]:
    """The variables that statements declare in blocks of their own: whoever bears such a name behind them is another one."""
    nested = (each for statement in body for each in find(statement, "local_variable_declaration") if each is not statement)
    return {name for each in nested for name in declared(tree, each)}


def _is_closed_in(scope: Scope, region: Region, owner: Node | None) -> bool:
    """Whether the code closes the variable among some statements, or in a `try` that is about nothing else."""
    first, last = (region.body[0], region.body[-1]) if owner is None else (owner, owner)
    return any(first.start <= each.start and each.end <= last.end for each in scope.closes())


def _is_opened(scope: Scope, inner: Node) -> bool:
    """Whether a call or a constructor is known to open something that nobody else has."""
    known = [each for number in scope.calls_at(inner) for each in scope.leak.effects.get(number, ())]
    return bool(known) and all(each.is_known and any(not transfer.entry for transfer in each.transfers) for each in known)


def _owner(scope: Scope, shape: Shape, is_last: bool) -> Node | None:
    """The `try` whose block begins with an opening, is about nothing else, and whose clauses know nothing of it."""
    owner = try_around(shape)
    if owner is None or shape.container is None or not is_last or index_in(shape.container, shape.statement) != 0:
        return None
    closes = scope.closes()
    body = statements(shape.container)
    last = max((n for n, each in enumerate(body) if any(each is other for other in closes)), default=len(body) - 1)
    clauses = [each for each in owner.kids if each.kind.endswith("_clause")]
    is_used = any(scope.closer.uses_besides(each, closes) for each in clauses)
    return owner if not is_used and len(body) - 1 - last <= MAX_BEHIND else None


def _are_apart(scope: Scope, declaration: Node, openings: list[_Opening]) -> bool:
    """Whether no part holds, or meets, another, and nothing else names the variable."""
    spans = sorted((each.scope.shape.statement.start, each.region.body[-1].end) for each in openings)
    if any(end > following for (_, end), (following, _) in itertools.pairwise(spans)):
        return False
    bodies = [each.region.body for each in openings]
    emptied = list(scope.emptied())
    if any(body[0].start <= each.start and each.end <= body[-1].end and each is not body[-1] for body in bodies for each in emptied):
        return False  # What comes behind it there may ask for null.
    parts = [each.scope.shape.statement for each in openings] + [part for body in bodies for part in body]
    return not scope.closer.uses_besides(scope.root, [declaration, *parts, *scope.closes(), *emptied])


def _each_in_header(leak: Leak, scope: Scope, declaration: Node, empty: Node | None, openings: list[_Opening]) -> Iterator[Candidate]:
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    bare = closing.remove(draft, scope.root, scope.closes())
    if any(not catches(each) and each.kind in TRIES for each in bare):
        return
    for each in scope.emptied():
        draft.remove(each.start, each.end)
    if empty is not None:
        remove_declaration(draft, declaration, empty)
    written = " ".join((*annotated(leak.tree, declaration), declared_type(leak.tree, declaration)))
    for opening in openings:
        statement, region = opening.scope.shape.statement, opening.region
        if not has_own_lines(leak.data, (statement, *region.body)) or not is_plain_between(leak.data, statement, region.body):
            return
        header = resources(leak, opening.scope, written, scope.variable, split=has_throwing_wrapper(opening.scope))
        draft.step_as(statement.start)
        if opening.is_idle:
            draft.replace(statement.start, statement.end, f"{leak.tree.text(opening.scope.shape.outer)}.close();")
        elif opening.owner is not None:
            draft.remove(statement.start, statement.end)
            close_gap_before(draft, statement, region.body[-1])
            add_to_header(draft, opening.owner, header, statement)
        else:
            _wrap(leak, draft, opening, header)
        opening.scope.types.import_into(draft)
    declare_thrown(draft, leak)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), edits, checks_all=True)


def _wrap(leak: Leak, draft: Draft, opening: _Opening, header: list[str]) -> None:
    """A new block around what needs one value."""
    statement, region = opening.scope.shape.statement, opening.region
    indent = leak.data[leak.data.rfind(b"\n", 0, statement.start) + 1 : statement.start].decode("ascii")
    hoist(draft, leak.tree, region, statement, indent)
    open_block(draft, statement, region.body, try_line(header, indent, draft), indent)
    indent_region(draft, region.body, statement.end)
    close_block(draft, region.body, indent, "}\n")
