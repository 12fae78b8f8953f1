"""What a reviewer would ask to change in a patch that does what it should: then somebody has to look at it before it is committed.

The code's own close of what wraps the resource stays inside of a block that closes the resource itself; a comment that marks a text for
translators stays where that was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers.fix import Edit
from fixers.java.readers import wrapping
from fixers.java.scope import Scope
from fixers.java.shape import classify
from fixers.java.wrapping import is_marked
from fixers.leak import Leak
from fixers.tree import find


def asked_to_change(leak: Leak, edits: Sequence[Edit]) -> str:
    """What it is; empty for nothing."""
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None:
        return ""
    texts = [leak.tree.text(each) for each in find(shape.outer, "string_literal")]
    if shape.kind in ("nested", "dropped") and is_marked(leak.data, shape.statement) and any(text in each.text for text in texts for each in edits):
        return "a comment that speaks of a text stays where that was"
    if not shape.variable:
        return ""
    scope = Scope(leak, shape)
    own = [each for each in edits if each.span.path == leak.path]
    for name in _wrappers(scope):
        for close in scope.closer_of(name).closes(scope.root):
            is_gone = any(each.span.start <= close.start and close.end <= each.span.end for each in own)
            is_before = any(close.end <= each.span.start and ("}" in each.text or scope.release in each.text) for each in own)
            if not is_gone and is_before and shape.statement.end <= close.start and not _is_at_end(scope, close):
                return f"`{name}`, which wraps it, need not be closed twice"
    return ""


def _wrappers(scope: Scope) -> Iterator[str]:
    """The variables that hold what wraps the resource, or what wraps that."""
    known = [scope.variable]
    for inner in known:
        for name in dict.fromkeys(wrapping(scope, [scope.root], inner)):
            if name not in known:
                known.append(name)
                yield name


def _is_at_end(scope: Scope, close: Node) -> bool:
    """Whether a close stands in a `finally`, or where something is handled: there both are closed, one by one."""
    return any(clause.start <= close.start < clause.end for clause in find(scope.root, "finally_clause", "catch_clause"))
