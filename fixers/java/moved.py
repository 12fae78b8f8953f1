"""Whether a fix only moves a close that is there: the code says itself then that it has to be closed, and by whom.

Reports too much where the close that is there belongs to another value of the variable.
"""

from __future__ import annotations

from fixers.java.scope import Scope
from fixers.java.shape import classify
from fixers.leak import Leak


def closes_already(leak: Leak) -> bool:
    """Whether the block that acquires a resource closes it, too, further down, if only on some ways."""
    if leak.finding.language != "java":
        return False
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or shape.container is None or shape.kind != "declared":
        return False
    scope = Scope(leak, shape)
    behind, end = shape.statement.end, shape.container.end
    return not scope.is_reassigned() and any(behind <= each.start and each.end <= end for each in scope.closes())
