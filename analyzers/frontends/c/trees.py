"""Trees of text that was parsed apart, moved to where the text stands in the file; and how deep a tree is."""

from __future__ import annotations

from analyzers.syntax import Node


def move(node: Node, shift: int, least: int, most: int) -> None:
    """Shift the offsets of a tree; what was put around the text lies at its first or last byte."""
    stack = [node]
    while stack:
        at = stack.pop()
        at.start = min(most, max(least, at.start + shift))
        at.end = min(most, max(least, at.end + shift))
        stack += at.kids


HIDDEN = frozenset(("0", "__cplusplus", "defined(__cplusplus)", "defined __cplusplus"))
"""Conditions of which no C file compiles the first branch."""


def is_hidden(source: str, node: Node) -> bool:
    """Whether the first branch of a directive is never C."""
    if not node.kids or source.startswith("#ifndef", node.start):
        return False
    return source[node.kids[0].start : node.kids[0].end] in HIDDEN


DEEPEST = 100
"""Nesting past which a body is not lowered: lowering recurses, and its answer may not hang on the caller's stack."""

_CHAINS = frozenset(("binary_expression", "comma_expression", "else_clause"))


def is_deep(root: Node) -> bool:
    """Whether a tree nests too deeply to be lowered; chains of operators and of `else if` do not count."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > DEEPEST:
            return True
        for kid in node.kids:
            is_chain = kid.kind in _CHAINS and (kid.kind == node.kind or kid.kind == "else_clause")
            is_chain = is_chain or (node.kind == "else_clause" and kid.kind == "if_statement")
            stack.append((kid, depth if is_chain else depth + 1))
    return False
