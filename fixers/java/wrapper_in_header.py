"""`T v = outer; W w = new W(v); try { … } catch …`: the wrapper alone comes into the header, where the handlers may not meet what opening throws.

Only where nothing can go wrong between the opening and the `try`, and closing the wrapper closes the resource; verify has the last word.
"""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.exceptions import caught
from fixers.java.header import put_first_in_header
from fixers.java.region import derived
from fixers.java.scope import Scope, index_in
from fixers.java.statements import (
    annotated,
    assigns,
    catches,
    declarators,
    declared_type,
    final_block,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.java.wrapping import close_gap_before, has_own_lines, is_marked
from fixers.leak import Leak
from fixers.tree import COMMENTS, child

_MEETING_NULL = frozenset(("Throwable", "Exception", "RuntimeException", "NullPointerException"))


def meets_null(scope: Scope, owner: Node) -> bool:
    """Whether handlers of a `try` would meet what a wrapper throws that is given null, where the resource may be that: who moves the
    wrapper into the header hides it."""
    met = {name.rpartition(".")[2] for clause in catches(owner) for name in caught(scope.tree, clause)}
    return not met.isdisjoint(_MEETING_NULL) and scope.may_give_nothing(scope.shape.expression)


def wrapped_in_header(leak: Leak, scope: Scope) -> tuple[Draft, Node] | None:
    """The draft, and the `try`; None where that cannot be."""
    shape, tree = scope.shape, leak.tree
    behind = statements(shape.container)[index_in(shape.container, shape.statement) + 1 :] if shape.container is not None else []
    asked = next((n for n, each in enumerate(behind) if not scope.is_left_for_null(each)), len(behind))
    at = next((n for n, each in enumerate(behind) if n >= asked and not declarators(each)), -1)
    between, owner = behind[asked:at], behind[at] if at > asked else None
    names = derived(tree, between, scope.variable)
    wrappers = [each for each in between if uses(tree, each, names)]
    block = try_body(owner) if owner is not None and owner.kind in ("try_statement", "try_with_resources_statement") else None
    if owner is None or block is None or not wrappers or not catches(owner) or not all(has_own_lines(leak.data, (each,)) for each in wrappers):
        return None
    if any(scope.may_fail(each) for each in between if each not in wrappers):
        return None
    if (not asked and scope.may_give_nothing(shape.outer)) or any(kid.kind in COMMENTS for kid in owner.kids):
        return None
    inner, closes, words = scope.variable, list(scope.closes()), list[str]()
    for each in wrappers:
        parts = declarators(each)
        value = initialiser(parts[0]) if len(parts) == 1 else None
        is_fit = value is not None and value.kind == "object_creation_expression" and child(value, "class_body") is None and scope.wraps(value, inner)
        if value is None or not is_fit or scope.may_fail(value) or is_marked(leak.data, each):
            return None
        inner = tree.text(parts[0].kids[0])
        own = scope.closer_of(inner).closes(scope.root)
        if any(True for _ in assigns(tree, scope.root, inner)) or scope.closer_of(inner).uses_besides(scope.root, [*wrappers, block, *own]):
            return None
        closes += own
        words.append(f"{' '.join((*annotated(tree, each), declared_type(tree, each)))} {inner} = {tree.text(value)}")
    if scope.closer.uses_besides(scope.root, [shape.statement, *behind[:asked], *wrappers, block, *scope.closes()]):
        return None
    clause = final_block(owner)
    final = child(clause, "block") if clause is not None else None
    if final is not None and not all(each in closes for each in statements(final)):
        return None
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    closing.remove(draft, scope.root, sorted({each.start: each for each in closes}.values(), key=lambda node: node.start))
    for each in (*scope.nullings(), *wrappers):
        draft.remove(each.start, each.end)
    if len(wrappers) == len(between):
        close_gap_before(draft, wrappers[0], owner, wrappers[-1])
    put_first_in_header(draft, owner, words)
    return draft, owner
