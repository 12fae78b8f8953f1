"""Natural loops: the nodes that can come back to a header without leaving it."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.ir import ENTRY


def natural_loop(next: Sequence[Sequence[int]], raises: Sequence[Sequence[int]], header: int) -> frozenset[int]:
    """The nodes on a cycle through `header`, the header among them; empty where there is none.

    A back edge is one whose source cannot be reached without passing the header (the header dominates it).

    Takes the successor lists of a procedure (normal and exceptional). O(nodes + edges).
    """
    before: dict[int, list[int]] = {}
    for node, (normal, exceptional) in enumerate(zip(next, raises, strict=True)):
        for successor in (*normal, *exceptional):
            before.setdefault(successor, []).append(node)
    elsewhere, todo = {ENTRY}, [ENTRY]
    while todo:
        node = todo.pop()
        for successor in (*next[node], *raises[node]):
            if successor != header and successor not in elsewhere:
                elsewhere.add(successor)
                todo.append(successor)
    loop: set[int] = set()
    todo = [node for node in before.get(header, ()) if node not in elsewhere]
    while todo:
        node = todo.pop()
        if node not in loop:
            loop.add(node)
            if node != header:
                todo.extend(before.get(node, ()))
    return frozenset(loop | {header}) if loop else frozenset()
