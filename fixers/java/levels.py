"""The language level that a piece of Java shows by its own syntax, where no build file says one."""

from __future__ import annotations

from fixers.tree import Tree, walk

ASSUMED_LEVEL = 8
"""What any compiler of today takes."""

_SYNTAX = {
    "record_declaration": 16, "record_pattern": 21, "type_pattern": 21, "switch_rule": 14, "yield_statement": 14,
    "instanceof_pattern": 16,
}  # fmt: skip
"""The level that brought each kind of syntax."""


def shown_level(tree: Tree) -> int:
    """The highest level that something in the text needs."""
    level = ASSUMED_LEVEL
    for node in walk(tree.root):
        level = max(level, _SYNTAX.get(node.kind, 0))
        if node.kind == "type_identifier" and tree.text(node) == "var":
            level = max(level, 10)
        elif node.kind == "string_literal" and tree.data[node.start : node.start + 3] == b'"""':
            level = max(level, 15)
    return level
