"""Whether a fix only moves a close that is there: the code says itself then that it has to be closed, and by whom.

Reports too much where the close that is there belongs to another value of the variable.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.facts import Facts
from analyzers.syntax import Node
from fixers.java.region import is_close
from fixers.java.scope import Scope, procedure_node
from fixers.java.shape import classify
from fixers.java.statements import assignment, assigns, declarators, declared, initialiser, statements, uses
from fixers.leak import Leak
from fixers.tree import Tree, child, find


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


def moved_closes(leak: Leak, after: Facts, ours: Iterable[int], syntax: Tree) -> frozenset[int]:
    """Those of the calls of a fix that a header makes on a variable which the code closed itself, of its own accord, where the block ends that
    declared it: it has to be closed by the code, wherever it comes from."""
    body, root = after.linked.body, procedure_node(leak)
    found = set()
    for node in ours:
        start, end = body.start + body.nodes[node].start, body.start + body.nodes[node].end
        resource = next((each for each in syntax.path(start, end) if each.kind == "resource" and (each.start, each.end) == (start, end)), None)
        name = child(resource, "identifier") if resource is not None and len(resource.kids) > 1 else None
        if resource is not None and name is not None and _is_closed_at_end(leak, root, syntax.text(name), syntax.text(resource.kids[-1])):
            found.add(node)
    return frozenset(found)


def _is_closed_at_end(leak: Leak, root: Node, name: str, value: str) -> bool:
    """Whether each block that gives a variable a value closes it in a statement of its own, before it gets another, and only exceptions leave
    before that, with nobody given it to keep."""
    tree, found = leak.tree, []
    for container in find(root, "block", "constructor_body"):
        body = statements(container)
        for at, each in enumerate(body):
            given = _given(tree, each, name)
            if given is None or tree.text(given).split() != value.split():
                continue
            end = next((n for n in range(at + 1, len(body)) if is_close(tree, body[n], name)), -1)
            between = body[at + 1 : end] if end > 0 else []
            is_kept = any(_leaves(one) or is_handed_on(tree, one, name) or any(True for _ in assigns(tree, one, name)) for one in between)
            found.append(end > 0 and not is_kept)
    return bool(found) and all(found)


def _given(tree: Tree, statement: Node, name: str) -> Node | None:
    """The value that a statement gives a variable, where it does nothing else."""
    if declared(tree, statement) == [name]:
        return initialiser(declarators(statement)[0])
    target = assignment(statement)
    return target[1] if target is not None and tree.text(target[0]) == name else None


def _leaves(statement: Node) -> bool:
    """Whether a statement may leave the procedure, or a loop, of its own accord."""
    return any(True for _ in find(statement, "return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement"))


def is_handed_on(tree: Tree, statement: Node, name: str) -> bool:
    """Whether a statement stores a variable, returns it or throws it with something."""
    values = [each.kids[-1] for each in find(statement, "assignment_expression") if each.kids[-1].kind == "identifier"]
    return any(uses(tree, each, [name]) for each in (*values, *find(statement, "throw_statement"))) or any(
        tree.text(kid) == name for each in find(statement, "return_statement") for kid in each.kids
    )
