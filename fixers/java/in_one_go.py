"""Whether two resources are closed in one go, so that one header may hold both: one close right behind the other, at one place of a block."""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.java.closing import Closer
from fixers.java.region import is_close
from fixers.java.scope import Scope
from fixers.java.statements import call_parts, declarators, declared, initialiser, statements, uses
from fixers.tree import Tree


def is_closed_here(scope: Scope, container: Node, statement: Node, inner: str) -> bool | None:
    """Whether a declaration makes of a variable what the code itself closes at the end of a block, before anything that comes first: a
    stream of a codec, one or the other of two, or makes another that is closed with it. None where nothing closes it there."""
    [declarator] = declarators(statement)
    value, name = initialiser(declarator), scope.tree.text(declarator.kids[0])
    closes = scope.closer_of(name).closes(scope.root)
    if value is None or not closes:
        return None
    if value.kind not in _OPENING or len(closes) > 1 or closes[0] not in statements(container):
        return False
    if not uses(scope.tree, value, [inner]):  # Another stream: both close at the end, in any order.
        return value.kind != "ternary_expression" and _are_closed_in_one_go(scope.closer_of(name), scope.closer, scope.root, container)
    before, closer = statements(container)[: statements(container).index(closes[0])], scope.closer_of(name)
    is_in_one_go = _are_closed_in_one_go(closer, scope.closer, scope.root, container)
    is_at_end = is_in_one_go or _is_closed_at_end(closer, scope.root, container)
    return is_at_end and ((is_in_one_go and _is_channel(scope, value, inner)) or not any(each in scope.closes() for each in before))


def _is_channel(scope: Scope, value: Node, inner: str) -> bool:
    """Whether a value is the channel of a stream, which ends with it: they close in any order."""
    receiver, name, _ = call_parts(scope.tree, value) if value.kind == "method_invocation" else (None, "", [])
    return name == "getChannel" and receiver is not None and scope.tree.text(receiver) == inner


_OPENING = ("object_creation_expression", "ternary_expression", "method_invocation")


def _is_closed_at_end(closer: Closer, root: Node, container: Node) -> bool:
    """Whether one statement of a block closes a variable, and nothing but other closes and a return follows it."""
    closes, body = closer.closes(root), statements(container)
    if len(closes) != 1 or closes[0].kind != "expression_statement" or closes[0] not in body:
        return False
    names = [name for each in body for name in declared(closer.tree, each)]
    behind = body[body.index(closes[0]) + 1 :]
    return all(each.kind == "return_statement" or any(is_close(closer.tree, each, name) for name in names) for each in behind)


def _are_closed_in_one_go(one: Closer, other: Closer, root: Node, container: Node) -> bool:
    """Whether two statements of a block close a variable each, and nothing but closes and flushes stand between them: wherever that is, the
    code is done with both of them there."""
    closes, body = [*one.closes(root), *other.closes(root)], statements(container)
    if len(one.closes(root)) != 1 or len(closes) != 2 or any(each.kind != "expression_statement" or each not in body for each in closes):
        return False
    first, last = sorted(body.index(each) for each in closes)
    names = [name for each in body for name in declared(one.tree, each)]
    return all(any(is_close(one.tree, each, name) or _is_flush(one.tree, each, name) for name in names) for each in body[first + 1 : last])


def _is_flush(tree: Tree, statement: Node, variable: str) -> bool:
    calls = [call_parts(tree, each) for each in statement.kids if each.kind == "method_invocation"]
    return any(receiver is not None and tree.text(receiver) == variable and name == "flush" and not given for receiver, name, given in calls)
