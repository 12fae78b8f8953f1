"""Calls of C that fill a variable again: the second check follows them where nothing else loses what lay there."""

from __future__ import annotations

from analyzers import ir
from fixers.leak import Leak
from fixers.paths import holding


def refills(leak: Leak, sites: frozenset[int]) -> frozenset[int]:
    """The calls of C that leave a resource of the same kind in a variable that may hold one of some sites: what lay there is
    overwritten."""
    if leak.finding.language != "c":
        return frozenset()
    names, nodes = holding(leak.linked, sites, (), leak.effects), leak.linked.body.nodes
    places = {each.dst for each in nodes if isinstance(each, ir.AddressOf) and not each.field and each.base in names}
    return frozenset(
        node for node, known in leak.effects.items()
        if isinstance(call := nodes[node], ir.Call) and node not in sites and not places.isdisjoint(call.args) and any(
            not transfer.entry and transfer.resource in ("", leak.resource)
            and any(path[1:] == ("*",) and path[0][:1] == "$" for outcome in transfer.outcomes for path in outcome.paths)
            for effects in known for transfer in effects.transfers
        )
    )
