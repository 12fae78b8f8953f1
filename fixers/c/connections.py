"""Connections and locks of C that stay open for the sake of another descriptor: what was asked for over the one comes over the other.

`control = dial(host); send(control, "RETR …"); …; return accept(data);`: where the connection is closed before, the other side may end what
comes; where a file was locked before another is opened, that one is not ours alone any more. Who forgets such a descriptor on an error may
mean to have it open otherwise. Errs towards doubt: whether what is given back really needs the other open is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.cfg import reverse_post_order
from fixers.c.release import put_into

_SPOKEN = frozenset(("send", "sendmsg", "sendto", "flock", "lockf"))
"""Calls that ask somebody for something by a descriptor, or hold something by it."""

_WRITTEN = frozenset(("dprintf", "write", "writev"))
"""The same where the descriptor is a connection."""

_HANDLES = frozenset(("descriptor", "file"))
"""Kinds of resource that something comes over."""


def closed_beside(facts: Facts, sites: Set[int], ours: Iterable[int]) -> str:
    """The name of a descriptor that some calls make, that is spoken through or locked, and that releases of a fix end though the function
    then gives another one that it has opened itself; else empty."""
    nodes = facts.linked.body.nodes
    mine = _copies(nodes, put_into(nodes, sites))
    if not any(_gives(facts, site, ("descriptor",)) for site in sites) or not _is_spoken_through(facts, sites, mine):
        return ""
    others = {each.dst for node, each in enumerate(nodes) if isinstance(each, ir.Call) and node not in sites and _gives(facts, node, _HANDLES)}
    others = _copies(nodes, others) - mine
    ended = sorted(node for node in ours if isinstance(each := nodes[node], ir.Call) and not mine.isdisjoint(each.args))
    for node in ended:
        behind = (nodes[each] for each in reverse_post_order(facts.linked.next, node))
        if any(isinstance(each, ir.Return) and each.src in others for each in behind):
            return min(filter(None, map(ir.source_name, mine)), default="")
    return ""


def _is_spoken_through(facts: Facts, sites: Set[int], mine: Set[str]) -> bool:
    nodes = facts.linked.body.nodes
    by = {each.name for each in nodes if isinstance(each, ir.Call) and each.args and each.args[0] in mine}
    targets = (facts.linked.targets.get(site) for site in sites)
    is_connection = "connect" in by or any(target is not None and target.procedures for target in targets)
    return bool(by & _SPOKEN) or (is_connection and bool(by & _WRITTEN))


def _copies(nodes: Iterable[ir.Instruction], names: Iterable[str]) -> set[str]:
    """Some variables and what they are copied to, as they are or as numbers."""
    found, moves = set(names), dict[str, set[str]]()
    for each in nodes:
        match each:
            case ir.Copy(dst=dst, src=src) | ir.Op(operator="cast", dst=dst, operands=(src,)):
                moves.setdefault(src, set()).add(dst)
            case _:
                pass
    while grown := {dst for name in found for dst in moves.get(name, ())} - found:
        found |= grown
    return found


def _gives(facts: Facts, node: int, kinds: Iterable[str]) -> bool:
    """Whether a call returns something of a kind that it has made."""
    transfers = (each for effects in facts.effects.get(node, ()) for each in effects.transfers if not each.entry and each.resource in kinds)
    return any(("$ret",) in outcome.paths for transfer in transfers for outcome in transfer.outcomes)
