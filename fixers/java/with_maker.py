"""`Statement s = c.createStatement(); ResultSet r = s.executeQuery(q); … r.close(); s.close();`: one header for what is closed in one go.

Who loses the second of the two on some way has not closed the first either there, whether or not that was told of. Only where the code
closes both at the end of one block, one right behind the other, and the first is declared right above. Else other forms are left.
"""

from __future__ import annotations

from collections.abc import Iterator

from fixers.java.header import has_throwing_wrapper, resources
from fixers.java.moved import is_handed_on
from fixers.java.region import is_close
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import (
    assigns,
    call_parts,
    declarators,
    declared_type,
    initialiser,
    statements,
    uses,
)
from fixers.java.try_with_resources import declared_together, has_body, prepared, wrappers_behind
from fixers.leak import Candidate, Leak, Refusal


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """One header for a resource and what made it, the maker first."""
    found = prepared(leak)
    if found is None:
        return
    shape, scope = found
    maker = _maker(scope) if shape.kind == "declared" and shape.container is not None and not scope.is_reassigned() else None
    if maker is None or has_body(shape.outer) or has_body(maker.shape.outer):
        return
    container, statement = maker.shape.container, maker.shape.statement
    assert container is not None
    wrappers = wrappers_behind(maker, container, index_in(container, statement) + 1)
    if shape.statement in wrappers:
        header = resources(leak, maker, declared_type(leak.tree, statement), maker.shape.variable, split=has_throwing_wrapper(maker))
        yield from declared_together(leak, maker, header, wrappers)


_STREAMS = frozenset((
    "InputStream", "OutputStream", "Reader", "Writer", "BufferedReader", "BufferedWriter", "BufferedInputStream", "BufferedOutputStream",
    "FileInputStream", "FileOutputStream", "FileReader", "FileWriter", "InputStreamReader", "OutputStreamWriter", "PrintWriter",
))  # fmt: skip


def _maker(scope: Scope) -> Scope | None:
    """What the resource is made by, or a stream beside it that somebody else has opened, where that is declared right above and closed right
    behind it; None for nothing."""
    shape, tree = scope.shape, scope.tree
    receiver = call_parts(tree, shape.outer)[0] if shape.outer.kind == "method_invocation" else None
    body = statements(shape.container) if shape.container is not None else []
    at = body.index(shape.statement) if shape.statement in body else 0
    if not at or len(declarators(body[at - 1])) != 1:
        return None
    [declarator] = declarators(body[at - 1])
    name, value = tree.text(declarator.kids[0]), initialiser(declarator)
    is_maker = receiver is not None and receiver.kind == "identifier" and tree.text(receiver) == name
    is_beside = declared_type(tree, body[at - 1]) in _STREAMS and shape.outer.kind == "object_creation_expression" and not uses(tree, shape.outer, [name])
    if not (is_maker or is_beside) or value is None or any(True for _ in assigns(tree, scope.root, name)):
        return None
    closes, own = scope.closes(), [n for n, each in enumerate(body) if is_close(tree, each, name)]
    is_in_one_go = len(closes) == 1 and len(own) == 1 and any(body[n] is closes[0] for n in (own[0] - 1, own[0] + (0 if is_maker else 1)) if n < len(body))
    if not is_in_one_go or scope.closer_of(name).uses_besides(scope.root, body[at - 1 : own[0] + 1]):
        return None
    if any(is_handed_on(tree, each, name) for each in body[at : own[0]]):
        return None
    opened = classify(tree, value.start, value.end)
    return Scope(scope.leak, opened) if opened is not None and opened.kind == "declared" and opened.statement is body[at - 1] else None
