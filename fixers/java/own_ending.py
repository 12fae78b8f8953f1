"""Whether the code before a patch closes the resource itself, behind all that uses it: then nobody needs it beyond that, whatever
the calls that it was given to are.

Believes the code: who kept the resource all the same would find it closed without the patch, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.syntax import Node
from fixers.java.region import derived, is_close, last_use
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import declarators, initialiser, statements, try_body, uses
from fixers.leak import Leak
from fixers.tree import child, find


def ends_it_itself(leak: Leak) -> bool:
    """Whether a statement beside the acquisition, or the `finally` around it, closes the variable, or what wraps it, and nothing
    uses either behind that."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or shape.container is None or shape.kind not in ("declared", "assigned"):
        return False
    scope = Scope(leak, shape)
    if _ends_in_finally(scope, shape.path):
        return True
    body = statements(shape.container)
    first = index_in(shape.container, shape.statement) + 1
    if scope.is_reassigned() or first < 1:
        return False
    wrapping = [
        leak.tree.text(each.kids[0]) for one in find(shape.container, "local_variable_declaration") for each in declarators(one)
        if (value := initialiser(each)) is not None and value.kind == "object_creation_expression" and scope.wraps(value, shape.variable)
    ]
    ends = [
        n for n in range(first, len(body))
        if scope.closer.is_close(body[n]) or any(is_close(leak.tree, body[n], name) for name in (shape.variable, *wrapping))
    ]
    names = derived(leak.tree, body[first:], shape.variable)
    return bool(ends) and last_use(leak.tree, shape.container, first, {*names, *wrapping}) <= ends[-1] and not scope.closer.uses_besides(
        scope.root, [shape.container, *([found[0]] if (found := scope.declaration()) is not None else [])]
    )


def behind_own_close(leak: Leak) -> tuple[int, int]:
    """The text behind the statement that closes the variable, in the block where that gets its value: who comes there has closed it.
    Nothing where none does."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or shape.container is None or shape.kind not in ("declared", "assigned"):
        return 0, 0
    body = statements(shape.container)
    first = index_in(shape.container, shape.statement) + 1
    ends = [each.end for each in body[first:] if is_close(leak.tree, each, shape.variable)] if first > 0 else []
    return (ends[0], shape.container.end) if ends and not Scope(leak, shape).is_reassigned() else (0, 0)


def _ends_in_finally(scope: Scope, path: Sequence[Node]) -> bool:
    """Whether the `try` around an acquisition closes the variable in the end, and nothing outside of it uses that or what is made of it."""
    tree, start = scope.tree, scope.shape.statement.start
    around = [each for each in path if each.kind == "try_statement" and (body := try_body(each)) is not None and body.start < start < body.end]
    last = child(around[-1], "finally_clause") if around else None
    body = try_body(around[-1]) if around else None
    if last is None or body is None or scope.is_reassigned() or not scope.closer.closes(last):
        return False
    found = scope.declaration()
    if scope.closer.uses_besides(scope.root, [body, *scope.closer.closes(last), *([found[0]] if found is not None else [])]):
        return False
    made = derived(tree, statements(body), scope.variable) - {scope.variable}
    return not any(uses(tree, each, made) for each in _outside(scope.root, around[-1]))


def _outside(root: Node, statement: Node) -> list[Node]:
    """The statements of a procedure that neither hold a statement nor lie in it."""
    found = [each for each in find(root, *_ENDED) if each.end <= statement.start or each.start >= statement.end]
    return [each for each in found if each.kind != "block"]


_ENDED = ("expression_statement", "return_statement", "local_variable_declaration", "parenthesized_expression", "throw_statement", "yield_statement")
"""What expressions stand in."""
