"""`f(i++, open(names[i]))`: who opens first what stands later in a statement opens something else.

The order of calls is compared by `unchanged`; what a statement does to its variables without a call, only here.
Errs towards «overtaken»: a statement that is written anew as a whole keeps its order, and is declined all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from fixers.fix import Edit
from fixers.java.statements import identifiers
from fixers.leak import Leak
from fixers.tree import find

_CHANGING = ("update_expression", "assignment_expression")


def overtaken(leak: Leak, edits: Sequence[Edit]) -> str:
    """What changes a variable of the acquisition before it in its statement, where the acquisition is written somewhere else; else empty."""
    acquired = leak.finding.acquired
    if not any(each.span.start <= acquired.start < each.span.end for each in edits):
        return ""
    path = leak.tree.path(acquired.start, acquired.end)
    statement = next((each for each in reversed(path) if each.kind.endswith(("_statement", "_declaration", "resource"))), None)
    if statement is None:
        return ""
    used = {leak.tree.text(each) for each in identifiers(path[-1])}
    for each in find(statement, *_CHANGING):
        target = next((kid for kid in each.kids if kid.kind not in ("++", "--")), None)
        is_first = each.end <= acquired.start and target is not None
        if is_first and target is not None and (target.kind != "identifier" or leak.tree.text(target) in used):
            return leak.tree.text(each)
    return ""
