"""`A a = …; B b = …; try (a; b) {`: what a header names that was declared right before it is declared in the header instead.

Only where nothing stands between the declarations and the `try`, and the header closes them in the same order as before.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.closing import lead_of
from fixers.java.header import try_line
from fixers.java.region import Region
from fixers.java.scope import Scope, index_in
from fixers.java.statements import assigns, catches, declarators, statements, try_body
from fixers.java.wrapping import (
    can_hoist,
    close_block,
    close_gap_before,
    has_own_lines,
    hoist,
    indent_region,
)
from fixers.leak import Candidate, Leak
from fixers.tree import child
from templates import render


def declared_where_named(leak: Leak, scope: Scope, header: list[str]) -> Iterator[Candidate]:
    """The candidate, with the resource declared as `header` says."""
    container = scope.shape.container
    body = statements(container) if container is not None else []
    first = index_in(container, scope.shape.statement) if container is not None else 0
    at = next((n for n in range(first, len(body)) if body[n].kind == "try_with_resources_statement"), -1)
    specification = child(body[at], "resource_specification") if at >= 0 else None
    if specification is None or not has_own_lines(leak.data, tuple(body[first:at])):
        return
    named = [leak.tree.text(each) for each in specification.kids if each.kind == "resource"]
    places = [_place(leak, scope, body[at], each, named) for each in body[first:at]]
    if not places or min(places) < 0 or places != sorted(places):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    words = [[each] for each in named]
    for place, each in zip(places, body[first:at], strict=True):
        words[place] = header if each is scope.shape.statement else [leak.tree.text(each).removeprefix("final ").rstrip(";")]
        draft.remove(each.start, each.end)
    close_gap_before(draft, body[first], body[at], body[at - 1])
    line = try_line([one for each in words for one in each], text.indentation(leak.data, body[at].start), draft)
    draft.replace(specification.start, specification.end, line.removeprefix("try ").removesuffix(" {"))
    scope.types.import_into(draft)
    if edits := draft.edits():
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), edits)


def around_named(leak: Leak, scope: Scope, region: Region) -> Iterator[Candidate]:
    """`try (v) {` around some statements, behind a declaration that is too long for a header (a `switch`)."""
    if leak.level < _SINCE or not region.body or not has_own_lines(leak.data, region.body) or not can_hoist(leak.tree, region):
        return
    closes = [each for each in scope.closes() if region.body[0].start <= each.start and each.end <= region.body[-1].end]
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    bare = closing.remove(draft, scope.root, closes)
    if any(not catches(each) and each.kind == "try_statement" for each in bare):
        return
    for nulling in scope.nullings():
        draft.remove(nulling.start, nulling.end)
    hoist(draft, leak.tree, region, region.body[0])
    indent = text.indentation(leak.data, scope.shape.statement.start)
    above = lead_of(leak.data, region.body[0].start)
    draft.insert_lines(above, try_line([scope.variable], indent, draft) + "\n", indent)
    indent_region(draft, region.body, above=above)
    close_block(draft, region.body, indent)
    if edits := draft.edits():
        yield Candidate(render("fixes/titles/try_with_resources", variable=scope.variable).strip(), edits)


_SINCE = 9
"""The language level that lets a header name a variable."""


def _place(leak: Leak, scope: Scope, statement: Node, declaration: Node, named: list[str]) -> int:
    """Where a header names the variable of a declaration, which nothing but the block of the `try` uses; else -1."""
    names = declarators(declaration) if declaration.kind == "local_variable_declaration" else []
    name = leak.tree.text(names[0].kids[0]) if len(names) == 1 else ""
    block = try_body(statement)
    specification = child(statement, "resource_specification")
    if name not in named or block is None or specification is None or any(True for _ in assigns(leak.tree, scope.root, name)):
        return -1
    is_used = scope.closer_of(name).uses_besides(scope.root, [declaration, block, specification])
    return -1 if is_used else named.index(name)
