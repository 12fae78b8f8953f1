"""A member, or what an out-parameter points to, that is given something else while it still holds what was made for it.

LeakFix takes what lies where the caller sees it for somebody else's; until it is overwritten it is nobody's but the place's. The release
stands right before the assignment that loses it, and the proof says whether anybody may have it by then.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers.c.patch import Patch, Release
from fixers.c.points import Points
from fixers.c.release import accepts_none, release_call
from fixers.c.style import style_of
from fixers.leak import Candidate, Leak, Refusal
from fixers.tree import find
from templates import render


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The release before the assignment, where that is where it is lost."""
    made = _assignment(leak, leak.finding.acquired.start, leak.finding.acquired.end)
    lost = _assignment(leak, leak.finding.lost.start, leak.finding.lost.end)
    if made is None or lost is None or made.start == lost.start or leak.side[1]:
        return
    place = leak.tree.text(made.kids[0])
    if place.isidentifier() or _words(place) != _words(leak.tree.text(lost.kids[0])) or _words(place) in _words(leak.tree.text(lost.kids[-1])):
        return
    names = {leak.tree.text(each) for each in find(made.kids[0], "identifier")}
    if any(leak.tree.text(each.kids[0]) in names for each in find(leak.tree.root, "assignment_expression") if made.end <= each.start < lost.start):
        return  # It is another place by then.
    call = release_call(leak, place)
    if not call:
        return
    statement = next((each for each in reversed(leak.tree.path(lost.start, lost.end)) if each.kind == "expression_statement"), None)
    points = Points(leak.path, leak.tree, leak.procedure.result).found
    at = next((each for kind in ("before", "branch") for each in points if statement is not None and each.kind == kind and each.statement.start == statement.start), None)
    style = style_of(leak)
    for condition in ("",) if accepts_none(leak, call) else ("", style.test(place, leak.nothing or "NULL")):
        patch = Patch(leak, style)
        if at is not None and patch.put(at, Release(call, condition)) and (edits := patch.edits()):
            yield Candidate(render("fixes/titles/leakfix", expression=place, count=1), edits)


def _assignment(leak: Leak, start: int, end: int) -> Node | None:
    """The plain assignment that is, or is around, some bytes, as a statement of its own."""
    path = leak.tree.path(start, end)
    for node, holder in zip(reversed(path), reversed(path[:-1]), strict=False):
        if node.kind == "assignment_expression":
            return node if holder.kind == "expression_statement" and node.kids[1].kind == "=" else None
        if node.kind.endswith("_statement"):
            inner = node.kids[0] if node.kind == "expression_statement" and node.kids else None
            return inner if inner is not None and inner.kind == "assignment_expression" and inner.kids[1].kind == "=" else None
    return None


def _words(text: str) -> str:
    return "".join(text.split())
