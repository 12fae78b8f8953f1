"""Moves trees of text that was parsed apart to where the text stands in the file."""

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
