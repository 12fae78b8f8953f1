"""What goes with statements that go: an `if` that would be left with an empty block."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.syntax import Node
from fixers.java.plain import is_plain
from fixers.java.statements import statements
from fixers.tree import COMMENTS, Tree, innermost, walk

_TESTS = frozenset(("parenthesized_expression", "binary_expression", "unary_expression", "instanceof_expression", "(", ")"))
_HOLDERS = ("block", "constructor_body")


def with_emptied(tree: Tree, gone: Sequence[Node]) -> list[Node] | None:
    """Statements with the `if` around those that would leave nothing behind; None where a branch or a loop would be left that does
    nothing, or a test that may do something."""
    found = list(gone)
    while True:
        places = (_around(tree, each) for each in found)
        block, around = next(((b, a) for b, a in places if a is not None and a.kind not in _BODIES and _is_empty(b, found)), (None, None))
        if block is None or around is None:
            return found
        kids = [kid for kid in around.kids if kid.kind not in COMMENTS]
        if around.kind != "if_statement" or len(kids) != 3 or not _is_test(kids[1]) or _around(tree, around)[0] is None:
            return None
        found = [each for each in found if not block.start <= each.start < block.end] + [around]


_BODIES = ("method_declaration", "constructor_declaration", "lambda_expression", "static_initializer", "class_body", "compact_constructor_declaration")
"""What may have an empty block."""


def _around(tree: Tree, statement: Node) -> tuple[Node | None, Node | None]:
    """The block that a statement stands in, and what that belongs to."""
    path = tree.path(statement.start, statement.end)
    at = innermost(path, lambda node: node is statement)
    if at < 2 or path[at - 1].kind not in _HOLDERS:
        return None, None
    return path[at - 1], path[at - 2]


def _is_empty(block: Node | None, gone: Sequence[Node]) -> bool:
    """Whether nothing is left of a block, but comments perhaps."""
    return block is not None and all(any(one is each for each in gone) for one in statements(block))


def _is_test(node: Node) -> bool:
    """Whether a condition only looks at what it names."""
    return all(each.kind in _TESTS or is_plain(each) or not each.kids for each in walk(node))
