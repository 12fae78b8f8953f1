"""What is too much of one thing: statements of a block, or a procedure, that each open the same, where one would do for all, and a `finally` in a `finally` in
another for what is only feared.

Misses what is opened by other words.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.finding import Confidence
from fixers.fix import Fix
from fixers.java.shape import Shape
from fixers.java.statements import TRIES, final_block, statements, try_body
from fixers.tree import Tree, find, parse_file

MAX_ALIKE = 3
"""So many statements of one block may open the same."""

MAX_IN_ALL = 6
"""So many times a procedure may."""

MAX_DEEP = 2
"""So many new `finally` may stand one in another for what is only feared."""


def one_would_do(tree: Tree, shape: Shape) -> bool:
    """Whether too many statements of a block, or of a procedure, open what has no name by the same words."""
    if shape.container is None or shape.kind != "nested":
        return False
    words = tree.text(shape.expression)
    alike = [each for each in statements(shape.container) if any(tree.text(one) == words for one in find(each, shape.expression.kind))]
    return len(alike) > MAX_ALIKE or sum(tree.text(each) == words for each in find(tree.root, shape.expression.kind)) > MAX_IN_ALL


def crowded(fixes: Sequence[Fix], before: bytes, after: bytes) -> str:
    """What a reviewer would ask to do in another way of one patch for several findings; empty for nothing."""
    is_feared = any(each.finding.confidence is Confidence.ASSUMED for each in fixes)
    if is_feared and _deepest(parse_file("java", after)) > max(_deepest(parse_file("java", before)), MAX_DEEP):
        return "a `finally` in a `finally` in another, for what is only feared"
    return ""


def _deepest(tree: Tree) -> int:
    """How many `finally` stand one in another, at most: in the block or the `finally` of the one around."""
    owners = [each for each in find(tree.root, *TRIES) if final_block(each) is not None]
    parts = [(owner, part) for owner in owners for part in (try_body(owner), final_block(owner)) if part is not None]
    around = [{id(owner) for owner, part in parts if part.start < each.start and each.end < part.end} for each in owners]
    return max((1 + len(each) for each in around), default=0)
