"""The returns of a patched procedure that stood behind a release of the code's own: what they give was given without the resource before."""

from __future__ import annotations

from analyzers import ir
from fixers.java.own_ending import behind_own_close
from fixers.leak import Leak


def settled(leak: Leak, after: ir.Procedure) -> frozenset[int]:
    """The nodes of such returns in the patched body. None where a patch adds one or takes one away: which is which would be a guess."""
    low, high = behind_own_close(leak)
    before = _returns(leak.linked.body) if low < high else {}
    now = _returns(after) if before else {}
    same = zip(sorted(before), sorted(now), strict=True) if len(before) == len(now) else ()
    return frozenset(node for old, new in same if low <= old < high for node in now[new])


def _returns(body: ir.Procedure) -> dict[int, list[int]]:
    """The nodes of each `return`, by where that stands."""
    found: dict[int, list[int]] = {}
    for node, each in enumerate(body.nodes):
        if isinstance(each, ir.Return):
            found.setdefault(body.start + each.start, []).append(node)
    return found
