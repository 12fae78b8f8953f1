"""Names that nothing in a procedure bears yet."""

from __future__ import annotations

from fixers.tree import Tree, walk


def unused(tree: Tree, *names: str) -> str:
    """The first of some names that nothing in the procedure bears, else the last with a number."""
    used = {tree.text(node) for node in walk(tree.root) if node.kind == "identifier"}
    free = next((name for name in names if name not in used), None)
    if free is not None:
        return free
    number = 2
    while f"{names[-1]}{number}" in used:
        number += 1
    return f"{names[-1]}{number}"
