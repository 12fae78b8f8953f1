"""Expressions that do nothing but name or make a value."""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.tree import COMMENTS, child, find

_PLAIN = frozenset((
    "identifier", "this", "null_literal", "true", "false", "string_literal", "character_literal", "field_access",
    "decimal_integer_literal", "decimal_floating_point_literal", "class_literal", "hex_integer_literal", "null",
))


def is_plain(node: Node) -> bool:
    """Whether an expression only names a value."""
    return node.kind in _PLAIN and (node.kind != "field_access" or all(
        is_plain(kid) for kid in node.kids if kid.kind not in (".", *COMMENTS)
    ))


def is_plain_creation(node: Node) -> bool:
    """`new T(plain)`, an array of plain size, or nothing."""
    if node.kind in ("null_literal", "null"):
        return True
    if node.kind == "array_creation_expression":
        return not list(find(node, "method_invocation", "object_creation_expression", "update_expression"))
    arguments = child(node, "argument_list")
    if node.kind != "object_creation_expression" or arguments is None or child(node, "class_body") is not None:
        return False
    return all(is_plain(kid) for kid in arguments.kids if kid.kind not in ("(", ")", ",", *COMMENTS))
