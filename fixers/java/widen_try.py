"""Begins a `try` earlier: one whose `finally` closes the resource, right behind the acquisition, so that what comes between is in it;
one with handlers, behind a question for null, at the declaration, which comes into its header.

Nothing else is written anew. Declines the first where the `try` has handlers, which would meet what they did not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.closing import lead_of
from fixers.java.exceptions import caught
from fixers.java.header import try_line
from fixers.java.region import Region, derived
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import (
    LATER,
    assignment,
    assigns,
    catches,
    declared,
    final_block,
    statements,
    try_body,
    uses,
)
from fixers.java.wrapping import can_hoist, has_own_lines, hoist, indent_region, moved_whole, open_block
from fixers.leak import Candidate, Leak
from fixers.tree import COMMENTS, child, find
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
    while first < at and scope.is_left_for_null(body[first]):
        first += 1  # There is nothing to close yet.
    if at <= first:
        return
    between, owner = body[first:at], body[at]
    anew = _anew(scope, between) if scope.is_reassigned() and not scope.is_only_wrapped() else ()
    if anew is None:
        return
    exits = dict.fromkeys((*leak.finding.exits, leak.finding.lost))
    if not all(between[0].start <= each.start and each.end <= between[-1].end for each in exits):
        return
    names = [name for each in between for name in declared(leak.tree, each)]
    clause = final_block(owner)
    if names and clause is not None and uses(leak.tree, clause, names):
        return
    hoisted = [each for each in between if any(uses(leak.tree, one, declared(leak.tree, each)) for one in body[at + 1 :])]
    yield from _widened(leak, scope, Region(first, at - 1, tuple(between), tuple(hoisted)), owner, anew)


def _anew(scope: Scope, between: Sequence[Node]) -> tuple[Node, ...] | None:
    """The statements that give the variable something else for good, each on lines of its own in a block: there it is closed before that.
    None where another way to assign it is left."""
    found = []
    for each in assigns(scope.tree, scope.root, scope.variable):
        if each.start <= scope.shape.expression.start < each.end:
            continue
        path = scope.tree.path(each.start, each.end)
        at = next((n for n, node in enumerate(path) if node.kind == "expression_statement" and assignment(node) is not None and each in node.kids), 0)
        if not at or path[at - 1].kind != "block" or not between[0].start <= each.start < between[-1].end:
            return None
        is_fit = each.kind == "assignment_expression" and not uses(scope.tree, each.kids[-1], [scope.variable])
        if not is_fit or not text.starts_line(scope.tree.data, path[at].start) or any(node.kind in LATER for node in path if node.start >= between[0].start):
            return None
        found.append(path[at])
    return tuple(found)


def _closes(scope: Scope, statement: Node) -> bool:
    """Whether a statement is a `try` without handlers whose `finally` closes the variable."""
    clause = final_block(statement) if statement.kind == "try_statement" else None
    return clause is not None and not catches(statement) and any(
        clause.start < each.start and each.end <= clause.end for each in scope.closes()
    )


def begun_at_declaration(leak: Leak, scope: Scope, header: list[str], region: Region) -> Draft | None:
    """`T v = outer; if (v == null) { return; } try { … } catch …`, where the block begins with the declaration; None where it cannot."""
    declaration = scope.shape.statement
    if len(region.body) != 2 or not scope.is_left_for_null(region.body[0]) or region.body[1].kind != "try_statement":
        return None
    test, owner = region.body
    block = try_body(owner)
    if block is None or not catches(owner) or not statements(block) or any(each.kind in COMMENTS for each in owner.kids):
        return None
    clauses = [each for each in owner.kids if each.kind.endswith("_clause")]
    if final_block(owner) is not None or not _passes_by(leak, test, owner):
        return None
    if any(scope.closer.uses_besides(each, scope.closes()) for each in clauses) or not _is_plain(leak, owner, block):
        return None
    lead = lead_of(leak.data, owner.start)
    gaps = leak.data[declaration.end : test.start] + leak.data[test.end : lead]
    if gaps.strip() or not has_own_lines(leak.data, (declaration,)) or not has_own_lines(leak.data, (test,)):
        return None
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, scope.closes())
    indent = text.indentation(leak.data, declaration.start)
    open_block(draft, declaration, (test,), try_line(header, indent, draft), indent)
    indent_region(draft, (test,))
    if lead < owner.start:
        draft.indent(lead, owner.start, [])
    _remove_opening(draft, owner, block)
    return draft


def begun_before_others(leak: Leak, scope: Scope, header: list[str], region: Region) -> Draft | None:
    """The same, where more than a question for null stands between: declarations, of which those that are used behind the `try` come before
    all of it. Handlers of checked exceptions alone: what is declared throws none that they would meet."""
    declaration, data, container = scope.shape.statement, leak.data, scope.shape.container
    at = next((n for n in range(len(region.body) - 1, -1, -1) if region.body[n].kind == "try_statement"), 0)
    between, owner, behind = region.body[:at], region.body[at] if region.body else declaration, region.body[at + 1 :]
    block = try_body(owner) if at else None
    if container is None or block is None or not statements(block) or not catches(owner) or final_block(owner) is not None:
        return None
    clauses = catches(owner)
    body = statements(container)
    names = [name for each in between for name in declared(leak.tree, each)]
    hoisted = tuple(each for each in between if any(uses(leak.tree, one, declared(leak.tree, each)) for one in (*clauses, *body[body.index(owner) + 1 :])))
    whole = Region(region.first, region.first + at, (*between, owner), hoisted)
    is_plain = all(scope.is_left_for_null(each) or each.kind == "local_variable_declaration" for each in between) and not any(kid.kind in COMMENTS for kid in owner.kids)
    if not is_plain or not names or any(uses(leak.tree, each, derived(leak.tree, list(between), scope.variable)) for each in behind):
        return None
    met = {name.rpartition(".")[2] for clause in clauses for name in caught(leak.tree, clause)}
    if not met <= _CHECKED or not all(_passes_by(leak, each, owner) for each in between) or any(each not in moved_whole(leak.tree, whole) for each in hoisted):
        return None
    is_used = any(scope.closer.uses_besides(each, scope.closes()) for each in clauses)
    if is_used or not _is_plain(leak, owner, block) or not has_own_lines(data, (declaration,)) or not has_own_lines(data, between):
        return None
    draft = Draft(leak.path, data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, scope.closes())
    indent = text.indentation(data, declaration.start)
    hoist(draft, leak.tree, whole, declaration, indent)
    open_block(draft, declaration, between, try_line(header, indent, draft), indent)
    indent_region(draft, between, declaration.end)
    if (lead := lead_of(data, owner.start)) < owner.start:
        draft.indent(lead, owner.start, [])
    _remove_opening(draft, owner, block)
    return draft


def begun_around_question(leak: Leak, scope: Scope, header: list[str], region: Region) -> Draft | None:
    """`T v = outer; if (v != null) { try { … } catch … }`, where the block begins with the declaration, and the handlers stand behind the
    question; None where they cannot."""
    declaration, data = scope.shape.statement, leak.data
    parts = [kid for kid in region.body[0].kids if kid.kind not in COMMENTS] if len(region.body) == 1 else []
    if len(parts) not in (3, 5) or parts[0].kind != "if" or parts[2].kind != "block" or parts[-1].kind != "block":
        return None
    asked, inner = region.body[0], statements(parts[2])
    owner = inner[0] if len(inner) == 1 and inner[0].kind == "try_statement" else None
    block = try_body(owner) if owner is not None else None
    if owner is None or block is None or not statements(block) or not scope.asks_for(parts[1]) or any(kid.kind in COMMENTS for kid in (*parts[2].kids, *owner.kids)):
        return None
    clauses = catches(owner)
    if not clauses or final_block(owner) is not None or not _is_plain(leak, owner, block) or any(scope.closer.uses_besides(each, scope.closes()) for each in clauses):
        return None
    met = {name.rpartition(".")[2] for clause in clauses for name in caught(leak.tree, clause)}
    if not met <= _CHECKED and len(parts) == 5 and any(True for _ in find(parts[4], "method_invocation", "object_creation_expression")):
        return None  # They would meet what goes wrong there.
    words, opening = data[block.end : owner.end].decode("utf-8", "surrogateescape"), data[asked.start : parts[2].start + 1]
    is_own = has_own_lines(data, (declaration,)) and has_own_lines(data, (asked,)) and text.starts_line(data, block.end - 1) and text.ends_line(data, owner.end)
    if not is_own or not text.starts_line(data, asked.end - 1) or data[text.behind(data, declaration.end) : asked.start].strip() or b"\n" in opening or data[parts[2].start + 1 : owner.start].strip():
        return None
    draft = Draft(leak.path, data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, scope.closes())
    indent, deep = text.indentation(data, declaration.start), text.indentation(data, owner.start)
    if not deep.startswith(indent) or deep == indent or any(line.strip() and not line.startswith(deep) for line in words.splitlines()[1:]):
        return None
    open_block(draft, declaration, (asked,), try_line(header, indent, draft), indent)
    _remove_opening(draft, owner, block)
    draft.indent(asked.start, text.line_start(data, owner.start), [])
    if len(parts) == 3:  # The handlers stay where they are, and the brace behind them goes before them.
        draft.insert(block.end, f"\n{indent}}}")
        at = text.next_line(data, block.end)
        while at < owner.end:
            if data[at : text.next_line(data, at)].strip():
                draft.replace(at, at + len(deep), indent)
            at = text.next_line(data, at)
        draft.replace(text.next_line(data, owner.end), text.next_line(data, asked.end), "")
        return draft
    draft.replace(text.line_start(data, block.end - 1), text.next_line(data, owner.end), "")
    draft.indent(text.next_line(data, owner.end), asked.end, [])
    lines = "".join(f"{line.removeprefix(deep)}\n" for line in words.splitlines())
    draft.insert_lines_after(asked.end, "}" + lines, indent)
    return draft


def _passes_by(leak: Leak, test: Node, owner: Node) -> bool:
    """Whether the handlers of a `try` would not meet what is thrown for null: that is known to be unchecked, and what they name checked."""
    thrown = list(find(test, "throw_statement"))
    made = [child(each, "object_creation_expression") for each in thrown]
    written = [child(each, "type_identifier", "scoped_type_identifier") if each is not None else None for each in made]
    names = {leak.tree.text(each).rpartition(".")[2] if each is not None else "" for each in written}
    met = {name.rpartition(".")[2] for clause in catches(owner) for name in caught(leak.tree, clause)}
    return not names or (names <= _UNCHECKED and met <= _CHECKED)


_UNCHECKED = frozenset((
    "RuntimeException", "IllegalStateException", "IllegalArgumentException", "NullPointerException", "UncheckedIOException", "Error",
    "AssertionError", "UnsupportedOperationException", "MissingResourceException", "NoSuchElementException",
))  # fmt: skip
_CHECKED = frozenset((
    "IOException", "FileNotFoundException", "UnsupportedEncodingException", "EOFException", "SQLException", "InterruptedException",
    "ClassNotFoundException", "ParseException", "SAXException", "ParserConfigurationException", "GeneralSecurityException",
    "NoSuchAlgorithmException", "CertificateException", "KeyStoreException", "JAXBException", "XMLStreamException", "TransformerException",
    "URISyntaxException", "MalformedURLException",
))  # fmt: skip


def _is_plain(leak: Leak, owner: Node, block: Node) -> bool:
    """Whether nothing but `try {` opens a block, on a line or two of its own."""
    opening = leak.data[owner.start : block.start + 1].split()
    return opening == [b"try", b"{"] and text.starts_line(leak.data, owner.start) and text.ends_line(leak.data, block.start + 1)


def _remove_opening(draft: Draft, owner: Node, block: Node) -> None:
    """Take the lines of `try {` out."""
    line = text.line_start(draft.data, owner.start)
    while line <= block.start:
        draft.remove_line(line)
        line = text.next_line(draft.data, line)


def _widened(leak: Leak, scope: Scope, region: Region, owner: Node, anew: Sequence[Node]) -> Iterator[Candidate]:
    between = region.body
    block = try_body(owner)
    if block is None or not statements(block) or any(each.kind in COMMENTS for each in owner.kids):
        return
    above = leak.data[between[-1].end : owner.start]
    if not _is_plain(leak, owner, block) or not has_own_lines(leak.data, between) or b"/" in above or not can_hoist(leak.tree, region):
        return
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    lead = lead_of(leak.data, between[0].start)
    hoist(draft, leak.tree, region, between[0])
    draft.insert_lines(lead, "try {\n", text.indentation(leak.data, owner.start))
    for each in anew:
        draft.insert_lines(each.start, scope.release_statement() + "\n", text.indentation(leak.data, each.start) + draft.unit)
    indent_region(draft, between, above=lead)
    _remove_opening(draft, owner, block)
    edits = draft.edits()
    if edits:
        yield Candidate(render("fixes/titles/close_in_finally", variable=scope.variable), edits)
