"""Begins a `try` earlier, whose `finally` closes the resource: right behind the acquisition, so that what comes between is in it.

Nothing is written anew: the close and the block stay what they were. Declines where the `try` has handlers, which would
meet what they did not.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.closing import lead_of
from fixers.java.region import Region
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import catches, declared, final_block, statements, try_body, uses
from fixers.java.wrapping import can_hoist, has_own_lines, hoist, indent_region
from fixers.leak import Candidate, Leak
from fixers.tree import COMMENTS
from templates import render


def propose(leak: Leak) -> Iterator[Candidate]:
    """One candidate, where every way that loses the resource leaves between its acquisition and the `try`."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or shape.container is None or shape.kind not in ("declared", "assigned"):
        return
    scope = Scope(leak, shape)
    body = statements(shape.container)
    first = index_in(shape.container, shape.statement) + 1
    at = next((n for n in range(first, len(body)) if _closes(scope, body[n])), -1)
    if at <= first or scope.is_reassigned():
        return
    between, owner = body[first:at], body[at]
    exits = dict.fromkeys((*leak.finding.exits, leak.finding.lost))
    if not all(between[0].start <= each.start and each.end <= between[-1].end for each in exits):
        return
    names = [name for each in between for name in declared(leak.tree, each)]
    clause = final_block(owner)
    if names and clause is not None and uses(leak.tree, clause, names):
        return
    hoisted = [each for each in between if any(uses(leak.tree, one, declared(leak.tree, each)) for one in body[at + 1 :])]
    yield from _widened(leak, scope, Region(first, at - 1, tuple(between), tuple(hoisted)), owner)


def _closes(scope: Scope, statement: Node) -> bool:
    """Whether a statement is a `try` without handlers whose `finally` closes the variable."""
    clause = final_block(statement) if statement.kind == "try_statement" else None
    return clause is not None and not catches(statement) and any(
        clause.start < each.start and each.end <= clause.end for each in scope.closes()
    )


def _widened(leak: Leak, scope: Scope, region: Region, owner: Node) -> Iterator[Candidate]:
    between = region.body
    block = try_body(owner)
    if block is None or not statements(block) or any(each.kind in COMMENTS for each in owner.kids):
        return
    opening = leak.data[owner.start : block.start + 1].split()
    is_plain = opening == [b"try", b"{"] and text.starts_line(leak.data, owner.start) and text.ends_line(leak.data, block.start + 1)
    above = leak.data[between[-1].end : owner.start]
    if not is_plain or not has_own_lines(leak.data, between) or b"/" in above or not can_hoist(leak.tree, region):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    lead = lead_of(leak.data, between[0].start)
    hoist(draft, leak.tree, region, between[0])
    draft.insert_lines(lead, "try {\n", text.indentation(leak.data, owner.start))
    indent_region(draft, between, above=lead)
    line = text.line_start(leak.data, owner.start)
    while line <= block.start:
        draft.remove_line(line)
        line = text.next_line(leak.data, line)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/close_in_finally", variable=scope.variable), edits)
