"""Members that the procedure itself has ended by some point: it calls their release, or they are null there.

Whoever frees the object then loses nothing with it. Says «not ended» too often: where a copy of the member is released, or a callee of
the procedure's releases it.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.facts import Facts
from fixers.c.links import Objects
from fixers.c.pointers import NONE, Pointers

_NOTHING: Objects = frozenset((NONE,))


def is_ended(known: Facts, pointers: Pointers, member: tuple[str, str], spot: int) -> bool:
    """Whether on each way from a store into a member to a node the member is released or null."""
    body = known.linked.body
    ends = _releases(known, member)
    waiting = [
        n
        for n, node in enumerate(body.nodes)
        if isinstance(node, ir.Store) and (node.base, node.field) == member
    ]
    seen: set[int] = set()
    while waiting and ends:
        node = waiting.pop()
        for each in known.linked.next[node]:
            if each in seen or each in ends or pointers.before.get(each, {}).get(member) == _NOTHING:
                continue
            if each == spot:
                return False
            seen.add(each)
            waiting.append(each)
    return bool(ends)


def _releases(known: Facts, member: tuple[str, str]) -> frozenset[int]:
    """The calls that release what they have just read out of a member."""
    body = known.linked.body
    loads = {
        node.dst
        for node in body.nodes
        if isinstance(node, ir.Load) and (node.base, node.field) == member and ir.is_temporary(node.dst)
    }
    return frozenset(
        number
        for number, node in enumerate(body.nodes)
        if isinstance(node, ir.Call)
        and any(
            arg in loads and _is_ended_by(known, number, f"${position}")
            for position, arg in enumerate(node.args)
        )
    )


def _is_ended_by(known: Facts, number: int, formal: str) -> bool:
    """Whether a call releases what it is passed at a place, whatever happens."""
    return any(
        transfer.entry == (formal,)
        and bool(transfer.outcomes)
        and all(one.fate == "released" for one in transfer.outcomes)
        for each in known.effects.get(number, ())
        for transfer in each.transfers
    )
