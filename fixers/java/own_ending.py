"""Whether the code before a patch closes the resource itself, behind all that uses it: then nobody needs it beyond that, whatever
the calls that it was given to are.

Believes the code: who kept the resource all the same would find it closed without the patch, too.
"""

from __future__ import annotations

from fixers.java.region import derived, is_close, last_use
from fixers.java.scope import Scope, index_in
from fixers.java.shape import classify
from fixers.java.statements import declarators, initialiser, statements
from fixers.leak import Leak
from fixers.tree import find


def ends_it_itself(leak: Leak) -> bool:
    """Whether a statement beside the acquisition closes the variable, or what wraps it, and nothing uses either behind that."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or shape.container is None or shape.kind not in ("declared", "assigned"):
        return False
    scope = Scope(leak, shape)
    body = statements(shape.container)
    first = index_in(shape.container, shape.statement) + 1
    if scope.is_reassigned() or first < 1:
        return False
    wrapping = [
        leak.tree.text(each.kids[0]) for one in find(shape.container, "local_variable_declaration") for each in declarators(one)
        if (value := initialiser(each)) is not None and value.kind == "object_creation_expression" and scope.wraps(value, shape.variable)
    ]
    ends = [n for n in range(first, len(body)) if any(is_close(leak.tree, body[n], name) for name in (shape.variable, *wrapping))]
    names = derived(leak.tree, body[first:], shape.variable)
    return bool(ends) and last_use(leak.tree, shape.container, first, {*names, *wrapping}) <= ends[-1] and not scope.closer.uses_besides(
        scope.root, [shape.container, *([found[0]] if (found := scope.declaration()) is not None else [])]
    )
