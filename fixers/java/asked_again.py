"""`if (path != null) { out = new FileWriter(path); } … if (path != null) { out.close(); }`: the second test asks whether the resource is there.

Only where the answer cannot change: the test is made of locals that nobody assigns, and calls nothing. Errs towards not seeing it.
"""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.java.shape import Shape
from fixers.java.statements import assigns, declared, initialiser
from fixers.leak import Leak
from fixers.tree import COMMENTS, Tree, child, find


def opened_when(leak: Leak, shape: Shape) -> str:
    """The test, with its parentheses, behind which alone a variable that is null at first is opened; empty where there is none."""
    if shape.kind != "assigned" or not shape.variable:
        return ""
    tree = leak.tree
    path = tree.path(shape.statement.start, shape.statement.end)
    at = next((n for n in reversed(range(len(path))) if path[n].kind in _AROUND), -1)
    choice = next((node for node in reversed(path[at + 1 :]) if node.kind == "if_statement"), None)
    kids = [kid for kid in choice.kids if kid.kind not in COMMENTS] if choice is not None else []
    if at < 0 or len(kids) != 3 or not kids[2].start <= shape.statement.start < kids[2].end:
        return ""
    around = path[at]
    is_alone = len(list(assigns(tree, around, shape.variable))) == 1 and _is_null_at_first(tree, around, shape.variable)
    return tree.text(kids[1]) if is_alone and _stays(tree, around, kids[1]) else ""


_AROUND = ("method_declaration", "constructor_declaration", "compact_constructor_declaration", "static_initializer", "lambda_expression", "class_body")


def _is_null_at_first(tree: Tree, around: Node, variable: str) -> bool:
    found = [each for each in find(around, "variable_declarator") if (name := child(each, "identifier")) is not None and tree.text(name) == variable]
    values = [initialiser(each) for each in found]
    return len(values) == 1 and values[0] is not None and values[0].kind == "null_literal"


def _stays(tree: Tree, around: Node, test: Node) -> bool:
    """Whether a test is made of operators, literals, and locals and parameters that nobody assigns."""
    if any(True for _ in find(test, *_CHANGING)):
        return False
    own = {name for each in find(around, "local_variable_declaration") for name in declared(tree, each)}
    own |= {tree.text(name) for each in find(around, "formal_parameter") if (name := child(each, "identifier")) is not None}
    names = {tree.text(each) for each in find(test, "identifier")}
    return bool(names) and names <= own and not any(True for name in names for _ in assigns(tree, around, name))


_CHANGING = ("method_invocation", "object_creation_expression", "assignment_expression", "update_expression", "lambda_expression", "field_access", "array_access")
