"""Releases that a fix writes and that the procedure itself does, too: the same function, with the same variable.

What a maker of the program may have put into its object, and what its destructor finds there, is then their affair on each way out
alike. A release that something else decides (`if (own) item_free(p);`) shows nothing.
"""

from __future__ import annotations

from collections.abc import Set

from analyzers import ir
from analyzers.facts import Facts


def familiar(after: Facts, ours: Set[int]) -> frozenset[int]:
    """The calls that a fix wrote which repeat one of the procedure's own, and those."""
    groups: dict[tuple[str, tuple[str, ...]], set[int]] = {}
    for node, each in enumerate(after.linked.body.nodes):
        if isinstance(each, ir.Call) and each.kind == "function" and each.args and (node in ours or not _is_decided(after, node, each.args[0])):
            groups.setdefault((each.name, each.args), set()).add(node)
    return frozenset(node for group in groups.values() if not group.isdisjoint(ours) and not group <= ours for node in group)


def _is_decided(after: Facts, node: int, name: str) -> bool:
    """Whether a test of something else steps over a call and nothing more."""
    nodes, following = after.linked.body.nodes, after.linked.next[node]
    return any(
        isinstance(each, ir.Branch) and node in after.linked.next[n] and each.left != name and any(one in following for one in after.linked.next[n])
        for n, each in enumerate(nodes)
    )
