"""What reads from a resource and holds nothing but memory: who closes the resource need not close that, too.

`BufferedReader reader = new BufferedReader(new InputStreamReader(in))` with a `reader.close()` beside a header that holds `in`: the close
of the reader goes with the others. Leaves what decompresses, which holds more than memory, and what is written to, which is flushed so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzers.syntax import Node
from fixers.java.scope import Scope
from fixers.java.statements import assigns, declarators, initialiser
from fixers.tree import child, find

_PLAIN = frozenset((
    "BufferedReader", "InputStreamReader", "LineNumberReader", "BufferedInputStream", "DataInputStream", "PushbackInputStream", "PushbackReader", "ObjectInputStream", "Scanner",
))  # fmt: skip


def closes_of_readers(scope: Scope, body: Iterable[Node], names: Sequence[str]) -> list[Node]:
    """The statements among others that close what reads from one of some variables, where the reader is closed once, at the end of what
    uses it, and declared among them, too: with its value, or filled in branches."""
    body = list(body)
    found: dict[int, Node] = {}
    known = list(names)
    for statement in (each for one in body for each in find(one, "local_variable_declaration")):
        [declarator] = declarators(statement) if len(declarators(statement)) == 1 else [None]
        if declarator is None:
            continue
        name, value = scope.tree.text(declarator.kids[0]), initialiser(declarator)
        given = list(assigns(scope.tree, scope.root, name))
        values = [value] if value is not None else [each.kids[-1] for each in given if each.kind == "assignment_expression"]
        if not values or not all(_is_plain(scope, each) and any(scope.wraps(each, one) for one in known) for each in values):
            continue
        closer = scope.closer_of(name)
        closes = [each for one in body for each in [*([one] if closer.is_close(one) else closer.closes(one))]]
        if len(closes) != 1 or len(given) != (0 if value is not None else len(values)):
            continue
        if not any(each.start >= closes[0].end for each in closer.mentions(scope.root, [])):
            known.append(name)
            found[closes[0].start] = closes[0]
    return [found[each] for each in sorted(found)]


def is_ended_inside(scope: Scope, body: Iterable[Node], closes: Sequence[Node]) -> bool:
    """Whether a `try` among some statements closes in its `finally` what wraps the variable, by no close that goes: a block around it would
    close the same thing a second time, and who reads that asks why."""
    body = list(body)
    for name in dict.fromkeys(wrapping(scope, body, scope.variable)):
        closer = scope.closer_of(name)
        for clause in (each for one in body for each in find(one, "finally_clause")):
            if any(not any(each is other for other in closes) for each in closer.closes(clause)):
                return True
    return False


def wrapping(scope: Scope, body: list[Node], inner: str) -> Iterator[str]:
    """The variables that are given an object around what another holds among some statements."""
    for one in body:
        for each in find(one, "variable_declarator", "assignment_expression"):
            value = initialiser(each) if each.kind == "variable_declarator" else each.kids[-1]
            target = each.kids[0]
            if value is not None and value.kind == "object_creation_expression" and target.kind == "identifier" and scope.wraps(value, inner):
                yield scope.tree.text(target)


def _is_plain(scope: Scope, value: Node) -> bool:
    """Whether a value is a new reader, perhaps around others, that holds memory only."""
    if value.kind != "object_creation_expression" or child(value, "class_body") is not None:
        return False
    kinds = [child(each, "type_identifier", "scoped_type_identifier", "generic_type") for each in find(value, "object_creation_expression")]
    return all(each is not None and scope.tree.text(each).rpartition(".")[2] in _PLAIN for each in kinds)
