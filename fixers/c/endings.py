"""What the destructors of a maker's family do to what it made: release it, whoever else may hold it.

A destructor that first looks at a count, or whether what it is given is sane, releases on one of its ways out only. What it leaves it
leaves wherever the program calls it, so a patch that calls it mends as much as the program's own calls do; and for what is used behind
it a release is the worst. Where the procedure itself sets what the destructor looks at, it is not offered (`destructor.enders`).
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.summaries import Effects, Transfer


def settled(known: Facts, names: Collection[str]) -> Facts:
    """The facts of a procedure in which calls of some functions release what they may release."""
    nodes = known.linked.body.nodes
    found = {
        node: tuple(map(_ended, each)) if isinstance(call := nodes[node], ir.Call) and call.name in names else each
        for node, each in known.effects.items()
    } if names else known.effects
    return known if found == known.effects else Facts(known.linked, found)


def _ended(effects: Effects) -> Effects:
    return msgspec.structs.replace(effects, transfers=tuple(map(_released, effects.transfers)))


def _released(transfer: Transfer) -> Transfer:
    """A transfer without the ways out on which what is released on another one stays as it was."""
    ends = tuple(each for each in transfer.outcomes if each.fate == "released")
    kept = tuple(each for each in transfer.outcomes if each.fate != "held" or not any(one.when == each.when for one in ends))
    return msgspec.structs.replace(transfer, outcomes=kept) if ends else transfer
