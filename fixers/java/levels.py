"""The language level that a piece of Java shows by its own syntax, where no build file says one, and by the folder that it lies in."""

from __future__ import annotations

import re

from fixers.tree import Tree, walk

ASSUMED_LEVEL = 8
"""What any compiler of today takes."""

_SYNTAX = {
    "resource_specification": 7, "lambda_expression": 8, "method_reference": 8, "record_declaration": 16, "record_pattern": 21, "type_pattern": 21, "switch_rule": 14, "yield_statement": 14,
    "instanceof_pattern": 16,
}  # fmt: skip
"""The level that brought each kind of syntax."""


def shown_level(tree: Tree) -> int:
    """The highest level that something in the text needs, or what any compiler takes."""
    return max(ASSUMED_LEVEL, needed_level(tree))


def needed_level(tree: Tree) -> int:
    """The highest level that something in the text needs, 0 for nothing."""
    level = 0
    for node in walk(tree.root):
        level = max(level, _SYNTAX.get(node.kind, 0))
        if node.kind == "type_identifier" and tree.text(node) == "var":
            level = max(level, 10)
        elif (node.kind == "type_arguments" and tree.text(node) == "<>") or (node.kind == "catch_type" and len(node.kids) > 1):
            level = max(level, 7)
        elif node.kind == "string_literal" and tree.data[node.start : node.start + 3] == b'"""':
            level = max(level, 15)
    return level


_OF_FOLDER = re.compile(r"(?:jdk|java|jre)-?(?:1\.(\d)|(5|6|7|8|9|11|17|21))(?:\.\d+)*", re.IGNORECASE)
"""How folders are named whose sources are for one level (`src/main/jdk1.1`, `src/main/java9`)."""


def bounded_level(path: str, level: int) -> int:
    """A level, but no higher than the folder says that a file lies in."""
    named = [found for each in path.split("/")[:-1] if (found := _OF_FOLDER.fullmatch(each)) is not None]
    return min([level, *(int(each[1] or each[2]) for each in named)])
