"""What lies in the members of an object by some point: what the procedure itself has ended, and what its callees have hung in.

Whoever frees the object loses nothing with a member that has been released, or is null there. Says «not ended» too often: where a copy of
the member is released, or a callee of the procedure's releases it; «hung in» where a callee takes out again what another has put there.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.summaries import AccessPath, Outcome
from fixers.c.links import Objects, implies
from fixers.c.pointers import NONE, Pointers
from fixers.paths.state import ANY

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


def hung_in(known: Facts, pointers: Pointers, name: str, spot: int) -> frozenset[str]:
    """The members of an object that are lists, into which a callee has put something new on some way to a node, where it still lies there."""
    return frozenset(
        path[1]
        for number, node in enumerate(known.linked.body.nodes) if isinstance(node, ir.Call) and name in node.args
        for outcome in _made(known, number)
        for path in outcome.paths
        if len(path) == 2 and path[0] == f"${node.args.index(name)}" and _is_list(known, number, path)
        and _is_reached(known, pointers, (number, outcome), (name, path[1]), spot)
    )


def _is_list(known: Facts, number: int, path: AccessPath) -> bool:
    """Whether a call hangs what lay somewhere below what it puts there."""
    found = [t for effects in known.effects.get(number, ()) for t in effects.transfers if t.entry == path]
    return any(len(each) > 2 and each[:2] == path for t in found for one in t.outcomes if one.fate == "held" for each in one.paths)


def _made(known: Facts, number: int) -> Iterator[Outcome]:
    for effects in known.effects.get(number, ()):
        for transfer in effects.transfers:
            if not transfer.entry:
                yield from (each for each in transfer.outcomes if each.fate == "held" and each.exit == "return")


def _is_reached(known: Facts, pointers: Pointers, made: tuple[int, Outcome], member: tuple[str, str], spot: int) -> bool:
    """Whether a node is reached behind a call that has ended in such a way, with the member as the call has left it."""
    body, (number, outcome) = known.linked.body, made
    call = body.nodes[number]
    told = next((each for each in outcome.when if each.path == ("$ret",)), None)
    result = call.dst if isinstance(call, ir.Call) else ""
    names = {result, *(each.dst for each in body.nodes if isinstance(each, ir.Copy) and result and each.src == result)}
    ends = _releases(known, member)
    waiting = [(each, True) for each in known.linked.next[number]]
    seen = set(waiting)
    while waiting:
        node, is_first = waiting.pop()
        if node == spot:
            return True
        if node in ends or pointers.before.get(node, {}).get(member) == _NOTHING or _is_overwritten(known, node, member):
            continue
        following = known.linked.next[node]
        each = body.nodes[node]
        if is_first and isinstance(each, ir.Branch) and each.left in names and told is not None and len(following) == 2:
            sides = zip(following, (True, False), strict=True)
            following = tuple(at for at, holds in sides if implies(ANY, each.operator, each.right, told, holds=holds) is not False)
        is_later = not is_first or node == number or result in assigned(each)
        for at in following:
            if (at, not is_later) not in seen:
                seen.add((at, not is_later))
                waiting.append((at, not is_later))
    return False


def _is_overwritten(known: Facts, node: int, member: tuple[str, str]) -> bool:
    """Whether an instruction gives the member, or the variable, something else, or a call ends the object with all that it has."""
    each = known.linked.body.nodes[node]
    if isinstance(each, ir.Store):
        return (each.base, each.field) == member
    if isinstance(each, ir.Call) and member[0] in each.args:
        root = f"${each.args.index(member[0])}"
        return any(t.entry == (root, member[1]) and any(o.fate == "released" for o in t.outcomes) for e in known.effects.get(node, ()) for t in e.transfers)
    return member[0] in assigned(each)
