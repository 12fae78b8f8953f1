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


OTHER_LANGUAGES = frozenset(("__cplusplus", "defined(__cplusplus)", "defined __cplusplus"))
"""Conditions that hold for no compiler of C."""

HIDDEN = OTHER_LANGUAGES | {"0"}
"""Conditions of which no C file compiles the first branch."""


def is_hidden(source: str, node: Node) -> bool:
    """Whether the first branch of a directive is never C."""
    if not node.kids or source.startswith("#ifndef", node.start):
        return False
    return source[node.kids[0].start : node.kids[0].end] in HIDDEN


def hides_its_other(source: str, node: Node) -> bool:
    """Whether what stands behind the `#else` of a directive is never C: `#ifndef __cplusplus`."""
    if not node.kids:
        return False
    return is_only_for_c(source[node.start : node.kids[0].start].lstrip("# \t").rstrip(), source[node.kids[0].start : node.kids[0].end])


def is_only_for_c(word: str, condition: str) -> bool:
    """Whether a condition behind a directive, `#if` or `#ifndef`, holds for every compiler of C and for no other."""
    if word == "ifndef":
        return condition.strip() in OTHER_LANGUAGES
    return word == "if" and condition.strip()[:1] == "!" and condition.strip()[1:].strip() in OTHER_LANGUAGES


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
