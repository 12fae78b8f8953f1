"""A close that the code holds in a comment (`// in.close();`) is code again.

Only where nothing but that stands in the comment, and no other comment beside it: what was taken out for a reason, with more around it, only its
author knows. Whether that mends the leak, on all ways, the proof says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.declaring import declare_thrown
from fixers.java.scope import Scope
from fixers.java.shape import classify
from fixers.leak import Candidate, Leak
from fixers.tree import COMMENTS, walk
from templates import render

MOST = 3
"""So many comments with the same close may all become code."""


def propose(leak: Leak) -> Iterator[Candidate]:
    """Candidates: each such comment alone, then all of them; with a test for null where none fits without."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None or not shape.variable or shape.kind not in ("declared", "assigned"):
        return
    scope = Scope(leak, shape)
    found = [each for each in walk(scope.root) if each.kind in COMMENTS and each.start > shape.statement.end and _is_close(scope, each)]
    if not found or len(found) > MOST:
        return
    groups = [[each] for each in found] + ([found] if len(found) > 1 else [])
    for is_guarded in (False, True):
        for group in groups:
            draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
            for each in group:
                indent = text.indentation(leak.data, each.start)
                lines = render(
                    "fixes/java/release", variable=scope.variable, statement=scope.release_statement(), guarded=is_guarded, caught="", exception="", unit=draft.unit,
                )
                draft.replace(each.start, each.end, text.reindented(lines, indent).strip())
            declare_thrown(draft, leak, group[0].start)
            edits = draft.edits()
            if edits:
                yield Candidate(render("fixes/titles/insert_close", variable=scope.variable), edits)


def _is_close(scope: Scope, comment: Node) -> bool:
    """Whether a comment holds the close of the variable alone, on a line of its own, and stands in a block without another beside it."""
    data = scope.tree.data
    words = re.sub(r"^(//+|/\*+)|\*+/$", "", scope.tree.text(comment)).strip()
    is_alone = text.starts_line(data, comment.start) and not data[comment.end : text.line_end(data, comment.end)].strip()
    if not is_alone or re.sub(r"\s+", "", words) != scope.release_statement():
        return False
    above, below = text.line_start(data, comment.start), text.next_line(data, comment.end)
    beside = (data[text.line_start(data, max(above - 1, 0)) : above].strip(), data[below : text.next_line(data, below)].strip())
    around = scope.tree.path(comment.start, comment.end)
    parent = next((each for each in reversed(around) if each is not comment), None)
    return parent is not None and parent.kind == "block" and not any(each.startswith((b"//", b"/*")) or each.endswith(b"*/") for each in beside)
