"""Losses of C in a child that was forked (`if (fork() == 0) { …; return -1; }`): what its parent had opened before, it has twice.

A child whose procedure fails mostly ends soon, and all it had with it; the parent goes another way. Of losses on ways that only the child
takes, of what was acquired before, a maintainer would seldom hear: told as assumed. Where both go on together nothing is judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene

_FORKS = frozenset(("fork", "vfork", "_Fork"))
"""Functions of POSIX that answer twice: to the child 0."""


def is_in_child(scene: Scene, node: int, lost: int) -> bool:
    """Whether only a child that is forked behind a node comes to where its procedure loses what is acquired there."""
    return any(lost in only and node not in only for only in _children(scene))


def _children(scene: Scene) -> Iterator[frozenset[int]]:
    """Per test of what a fork answers the nodes that only the child comes to."""
    cfg = scene.cfg
    answers = {call.dst for call in scene.nodes if isinstance(call, ir.Call) and call.kind == "function" and call.name in _FORKS and call.dst}
    answers |= {copy.dst for name in answers for copy in scene.copies.get(name, ())}
    for at in cfg.order if answers else ():
        match scene.nodes[at]:
            case ir.Branch(operator="true", left=left) if left in answers:
                child = 1
            case ir.Branch(operator="==" | "!=" as operator, left=left, right="=0") if left in answers:
                child = operator == "!="
            case _:
                continue
        ways = cfg.normal[at]
        if len(ways) == 2:
            yield frozenset((cfg.reachable_from(ways[child]) | {ways[child]}) - cfg.reachable_from(ways[1 - child]) - {ways[1 - child]})
