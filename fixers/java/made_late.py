"""`open(); file.close();`: whether a method of the class that runs before a close of a field gives the field its value, or asks whether it has one.
Where that throws, the field may hold nothing, and a close in a `finally` that does not ask would throw another exception instead.

Looks at methods of the same class body only, by their names.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.syntax import Node
from fixers.java.statements import call_parts, statements
from fixers.tree import COMMENTS, Tree, find, parse_file

_DEEP = 3
"""So many calls behind one another are followed."""


def may_hold_nothing(tree: Tree, procedure: Node, before: Iterable[Node], name: str) -> bool:
    """Whether one of some statements of a procedure, or a method of its class that they call, assigns a field or compares it with null."""
    waiting, members, seen = list(before), list[Node](), set[str]()
    for _ in range(_DEEP):
        if any(_touches(tree, each, name) for each in waiting):
            return True
        called = {word for each in waiting for word in _called(tree, each)} - seen
        if not called:
            return False
        members = members or _members(tree.data, procedure)
        seen |= called
        waiting = [each for each in members if _name_of(tree, each) in called]
    return False


def _members(data: bytes, procedure: Node) -> list[Node]:
    """What the class of a procedure declares."""
    around = parse_file("java", data).path(procedure.start, procedure.end)
    owner = next((each for each in reversed(around) if each.kind in ("class_body", "enum_body_declarations")), None)
    return statements(owner) if owner is not None else []


def _touches(tree: Tree, node: Node, name: str) -> bool:
    """Whether the field is assigned below a node, or compared with null."""
    for each in find(node, "assignment_expression", "binary_expression"):
        kids = [kid for kid in each.kids if kid.kind not in COMMENTS]
        is_field = [tree.text(kid) in (name, f"this.{name}") for kid in kids]
        if each.kind == "assignment_expression" and is_field[0] and kids[-1].kind != "null_literal":
            return True
        if each.kind == "binary_expression" and tree.text(kids[1]) in ("==", "!=") and any(is_field) and any(kid.kind == "null_literal" for kid in kids):
            return True
    return False


def _called(tree: Tree, node: Node) -> Iterable[str]:
    """The names of what is called on the object itself below a node."""
    for each in find(node, "method_invocation"):
        receiver, name, _ = call_parts(tree, each)
        if receiver is None or receiver.kind == "this":
            yield name


def _name_of(tree: Tree, member: Node) -> str:
    return next((tree.text(kid) for kid in member.kids if kid.kind == "identifier"), "") if member.kind == "method_declaration" else ""
