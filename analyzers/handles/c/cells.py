"""Cells of a list that a procedure of C makes one by one and hands out: `while (…) { cell->next = all; all = cell; } return all;`.

Whoever gets the list has its first cell, and the others by that one. What hangs so far down that nobody can name it is still in the list: it
says nothing of the first ones. Errs to silence where cells hang by several links.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.domains.access_path import PathTable
from analyzers.domains.obligation import CUT, RETAINED, Fact
from analyzers.summaries import AccessPath, Outcome


def is_further_down(table: PathTable, facts: Sequence[Fact]) -> list[bool]:
    """Per fact at an exit whether it is that of a cell behind the second one of a list, of which other facts have the first two."""
    named = [table.list(paths) for paths, _, _ in facts]
    lists = {(path[:-2], path[-1]) for paths in named for path in paths if len(path) > 2 and path[-1] == path[-2]}
    alone = {path for paths in named if len(paths) == 1 for path in paths}
    lists = {(root, link) for root, link in lists if root in alone and (*root, link) in alone}
    if not lists:
        return [False] * len(facts)
    return [
        all(_is_behind(path, *each) for path in paths for each in lists) if paths else marks & (CUT | RETAINED) == CUT | RETAINED
        for paths, (_, _, marks) in zip(named, facts, strict=True)
    ]


def first_cells(outcomes: list[Outcome]) -> list[Outcome]:
    """Without what lies behind what another outcome of the same acquisition hands out: a list is lost with its first cell."""
    paths = {path for outcome in outcomes for path in outcome.paths}
    return [each for each in outcomes if not each.paths or not all(path[:-1] in paths for path in each.paths)]


def _is_behind(path: AccessPath, root: AccessPath, link: str) -> bool:
    rest = path[len(root) :]
    return path[: len(root)] == root and len(rest) > 1 and set(rest) == {link}
