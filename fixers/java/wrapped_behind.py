"""`InputStream in = find(); if (in == null) { in = open(); } Reader r = new Reader(in); … r.close();`: what a variable holds that has several values
is closed by the one that is made around it, whichever it is, and that comes into a header.

Proposes nothing where the code does not close what is around it; whether nothing is lost above that is for the proof.
"""

from __future__ import annotations

from collections.abc import Iterator

from fixers.java.scope import Scope
from fixers.java.shape import classify
from fixers.java.statements import CONTAINERS, assigns, declarators, initialiser, statements
from fixers.java.try_with_resources import declared_in_header, prepared
from fixers.leak import Candidate, Leak


def propose(leak: Leak) -> Iterator[Candidate]:
    """The candidates, with the first variable in a header that is declared for something around the resource."""
    found = prepared(leak)
    if found is None or found[0].kind not in ("declared", "assigned") or not found[0].variable:
        return
    shape, scope = found
    if not scope.is_reassigned() and (shape.kind == "declared" or scope.is_declared_empty()):
        return  # It may stand in a header itself.
    for container in (node for node in reversed(shape.path) if node.kind in CONTAINERS):
        for statement in statements(container):
            names = declarators(statement) if statement.start >= shape.statement.end else []
            value = initialiser(names[0]) if len(names) == 1 else None
            if value is None or value.kind != "object_creation_expression" or not scope.wraps(value, shape.variable):
                continue
            outer = classify(leak.tree, value.start, value.end)
            around = Scope(leak, outer) if outer is not None and outer.kind == "declared" else None
            is_last = not any(each.start >= statement.end for each in assigns(leak.tree, around.root, shape.variable)) if around is not None else False
            if outer is not None and around is not None and is_last and around.closes():
                yield from declared_in_header(leak, outer, around)
            return
