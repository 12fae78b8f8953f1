"""`Statement s = connect().createStatement();`: what has no name and what it makes come into one header, with what that makes in turn.

Declines where what is made is not closed with what made it, or gets another value.
"""

from __future__ import annotations

from collections.abc import Iterator

from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.header import around, break_before, has_throwing_wrapper, resources, try_line
from fixers.java.naming import variable_for
from fixers.java.region import ends_with
from fixers.java.scope import Scope, index_in
from fixers.java.shape import Shape, classify
from fixers.java.statements import declarators, declared_type, initialiser, statements
from fixers.java.try_with_resources import (
    around_wrappers,
    candidate,
    closes_of,
    into_owner,
    try_around,
    wrappers_behind,
)
from fixers.java.wrapping import (
    can_hoist,
    close_block,
    has_own_lines,
    hoist,
    indent_region,
    is_plain_between,
    open_block,
)
from fixers.leak import Candidate, Leak
from fixers.tree import child


def with_what_it_makes(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """The candidate, where a declaration holds what one call on the resource gives."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    call, found = shape.path[at - 1], declarators(shape.statement)
    if len(found) != 1 or shape.container is None or initialiser(found[0]) is not call or child(found[0], "dimensions") is not None:
        return
    chain = classify(leak.tree, call.start, call.end)
    written = scope.type_of(shape.outer)
    if chain is None or chain.kind != "declared" or not written or not scope.makes_inside(call):
        return
    made = Scope(leak, chain)
    if made.is_reassigned():
        return
    name = variable_for(leak.tree, written if written != "var" else leak.finding.resource, place=shape.container)
    first = resources(leak, scope, written, name, split=has_throwing_wrapper(scope))
    front, back = around(leak, call, shape.outer)
    header = [*first, f"{declared_type(leak.tree, shape.statement)} {made.variable} ={break_before(leak.data, call)}{front}{name}{back}"]
    wrappers = wrappers_behind(made, shape.container, index_in(shape.container, shape.statement) + 1)
    region, lines = around_wrappers(leak, made, header, wrappers)
    if not region.body or not can_hoist(leak.tree, region) or not has_own_lines(leak.data, (shape.statement, *wrappers, *region.body)):
        return
    owner = try_around(shape)
    if owner is not None and statements(shape.container)[0] is shape.statement and ends_with(made.closes(), shape.container):
        yield from into_owner(leak, made, owner, lines, wrappers)
    if not is_plain_between(leak.data, shape.statement, region.body):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closes = [each for each in made.closes() if region.body[0].start <= each.start and each.end <= region.body[-1].end]
    closing.remove(draft, made.root, sorted([*closes, *closes_of(leak, made, region, wrappers)], key=lambda node: node.start))
    for each in wrappers:
        draft.remove(each.start, each.end)
    hoist(draft, leak.tree, region, shape.statement)
    indent = text.indentation(leak.data, shape.statement.start)
    open_block(draft, shape.statement, region.body, try_line(lines, indent, draft), indent)
    indent_region(draft, region.body, shape.statement.end)
    close_block(draft, region.body, indent)
    yield from candidate(scope, draft)
