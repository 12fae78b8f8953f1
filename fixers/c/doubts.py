"""Why somebody may still use what a patch of C releases, though no path shows it: by a number that tells of it, or over another descriptor."""

from __future__ import annotations

from collections.abc import Iterable, Set

from analyzers.facts import Facts
from fixers.c.connections import closed_beside
from fixers.c.numbered import told_by_number


def doubt_of_use(after: Facts, sites: Set[int], ours: Iterable[int]) -> str:
    """The first such reason; empty where there is none."""
    if name := told_by_number(after, sites):
        return f"who gets a number that has `{name}` in it may use that"
    if name := closed_beside(after, sites, ours):
        return f"what comes over the other descriptor may need `{name}` open"
    return ""
