"""Why somebody may still use what a patch of C releases, though no path shows it: by a number that tells of it, or over another descriptor."""

from __future__ import annotations

from collections.abc import Iterable, Set

from analyzers import ir
from analyzers.facts import Facts
from analyzers.handles.c.left_open import is_only_listening
from fixers.c.connections import closed_beside
from fixers.c.numbered import told_by_number


def doubt_of_use(after: Facts, sites: Set[int], ours: Iterable[int]) -> str:
    """The first such reason; empty where there is none."""
    if name := told_by_number(after, sites):
        return f"who gets a number that has `{name}` in it may use that"
    if name := closed_beside(after, sites, ours):
        return f"what comes over the other descriptor may need `{name}` open"
    if name := _listening(after, ours):
        return f"who knows the number of `{name}` may take connections from it"
    return ""


def _listening(after: Facts, ours: Iterable[int]) -> str:
    """The socket that releases of a patch close though nobody in the function takes connections from it."""
    nodes = after.linked.body.nodes
    for node in sorted(ours):
        call = nodes[node]
        for name in call.args if isinstance(call, ir.Call) else ():
            if not ir.is_literal(name) and is_only_listening(nodes, name):
                return ir.source_name(name)
    return ""
