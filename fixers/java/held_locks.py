"""Gives a lock back before the returns and throws of a method of Java that forget it, with the call that the method uses elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.given_back import SHARED, computes, exits, is_lock, written_releases
from fixers.java.insert_close import braced
from fixers.java.statements import CONTAINERS, statements
from fixers.leak import Candidate, Leak, Refusal
from templates import render


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """One candidate per way of writing the release, the first of the method first."""
    if not is_lock(leak):
        return
    ways = list(exits(leak))
    if any(way is not None and computes(leak, way[1]) for way in ways):
        yield Refusal(SHARED)
        return
    for call in written_releases(leak):
        draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
        if all(way is not None and _put(draft, leak, *way, f"{call};") for way in ways) and (edits := draft.edits()):
            yield Candidate(render("fixes/titles/leakfix", expression=leak.finding.variable, count=len(ways)), edits)


def _put(draft: Draft, leak: Leak, holder: Node, statement: Node, release: str) -> bool:
    if holder is statement:
        last = next(reversed(statements(holder)), None)
        if last is None:
            return False
        draft.insert_lines_after(last.end, release + "\n", text.indentation(leak.data, last.start))
    elif holder.kind not in CONTAINERS:
        braced(draft, leak, statement, release)
    elif text.starts_line(leak.data, statement.start):
        draft.insert_lines(statement.start, release + "\n", text.indentation(leak.data, statement.start))
    else:
        draft.insert(statement.start, release + " ")
    return True
