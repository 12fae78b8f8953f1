"""Gives a lock back before the returns of a function of C that forget it, with the call that the function uses elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers.c.patch import Patch, Release
from fixers.c.points import Kind, Point, statements
from fixers.c.style import style_of
from fixers.given_back import SHARED, computes, exits, is_lock, written_releases
from fixers.leak import Candidate, Leak, Refusal
from templates import render


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """One candidate per way of writing the release, the first of the function first."""
    if not is_lock(leak):
        return
    ways = list(exits(leak))
    if any(way is not None and computes(leak, way[1]) for way in ways):
        yield Refusal(SHARED)
        return
    for call in written_releases(leak):
        patch = Patch(leak, style_of(leak))
        if all(way is not None and _put(patch, *way, call) for way in ways) and (edits := patch.edits()):
            yield Candidate(render("fixes/titles/leakfix", expression=leak.finding.variable, count=len(ways)), edits)


def _put(patch: Patch, holder: Node, statement: Node, call: str) -> bool:
    if holder is statement:
        inside = statements(holder)
        return bool(inside) and patch.put(Point(0, "end", inside[-1], False, 0), Release(call))
    kind: Kind = "before" if holder.kind in ("compound_statement", "case_statement", "labeled_statement") else "branch"
    return patch.put(Point(0, kind, statement, False, 0), Release(call))
