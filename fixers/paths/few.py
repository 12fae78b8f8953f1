"""A bound on the ways in which one call may end: each thing that it perhaps makes or releases doubles them."""

from __future__ import annotations

from fixers.paths.report import Report
from fixers.paths.state import State

WAYS = 128
"""States behind one call that are walked on from."""


def few(states: list[State], report: Report, name: str) -> list[State]:
    """The states; none, and nothing is proved any more, where they are too many."""
    if len(states) <= WAYS:
        return states
    report.unfinished(f"more than {WAYS} ways in which `{name}` may end")
    return []
