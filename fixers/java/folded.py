"""`try { try (A a = …) { … } } catch …`: a header that is all that a `try` with handlers holds, once its `finally` has gone, is the header of that.

The handlers meet the same either way: what opening throws, the block, and closing. Not for blocks so long that nobody wants to see them moved.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.source import Span
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.edits import apply, compose, minimal, moved
from fixers.fix import Edit
from fixers.java.statements import catches, final_block, statements, try_body
from fixers.leak import Leak
from fixers.tree import child, find, parse_file

LONG = 100
"""So many lines nobody wants to see moved."""


def folded(leak: Leak, draft: Draft, owner: Node | None, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits of a draft that gives `owner` a header, with the `try` around it as that `try`, where it has become all of its block."""
    outer = _around(leak, owner) if owner is not None else None
    clause = final_block(owner) if owner is not None else None
    if owner is None or outer is None or clause is None or not draft.is_removed(clause.start) or leak.data.count(b"\n", owner.start, clause.start) > LONG:
        return edits
    after = apply(leak.data, edits)
    start = moved(edits, outer.start)
    tree = parse_file("java", after)
    there = next((each for each in find(tree.root, "try_statement") if each.start == start), None)
    block = try_body(there) if there is not None else None
    inner = statements(block)[0] if block is not None and len(statements(block)) == 1 else None
    if there is None or block is None or inner is None or inner.kind != "try_with_resources_statement" or catches(inner) or final_block(inner) is not None:
        return edits
    if not _is_blank(after, block.start + 1, inner.start) or not _is_blank(after, inner.end, block.end - 1) or b'"""' in after[inner.start : inner.end]:
        return edits
    return minimal(leak.data, compose(leak.data, leak.path, edits, _one_for_both(leak.path, after, (there, block, inner))))


def _around(leak: Leak, owner: Node) -> Node | None:
    """The `try` with handlers, and no header, whose block holds nothing but `owner`, which has none."""
    path = leak.tree.path(owner.start, owner.end)
    at = next((n for n, node in enumerate(path) if node is owner), 0)
    outer = path[at - 2] if at > 1 else None
    is_all = outer is not None and outer.kind == "try_statement" and try_body(outer) is path[at - 1] and statements(path[at - 1]) == [owner]
    return outer if outer is not None and is_all and catches(outer) and not catches(owner) and child(owner, "resource_specification") is None else None


def _is_blank(data: bytes, start: int, end: int) -> bool:
    return not data[start:end].strip()


def _one_for_both(path: str, data: bytes, nodes: Sequence[Node]) -> list[Edit]:
    """The edits that make one `try` of two: the outer one's words and braces go, the lines of the inner one move out."""
    outer, block, inner = nodes
    indent, behind = text.indentation(data, outer.start), text.indentation(data, inner.start)
    edits = [Edit(Span(path, outer.start, inner.start), ""), Edit(Span(path, inner.end, block.end), "")]
    at = text.next_line(data, inner.start)
    while at < inner.end:
        if data.startswith(behind.encode(), at) and behind.startswith(indent):
            edits.append(Edit(Span(path, at, at + len(behind)), indent))
        at = text.next_line(data, at)
    return edits
