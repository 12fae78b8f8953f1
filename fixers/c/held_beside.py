"""Whether what a patch of C releases lies in an object by then that the function ends elsewhere together with it: `free(name)` behind
`order_set_name(order, name)` in front of a `return` that loses both, where `order_free(order)` is what is missing.

Whoever mends the other loss releases it twice. The path checker says what lies in which members (`paths.report`). Errs towards doubt where the object may
have been ended in a way that leaves its members; misses objects that nothing in the function ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from analyzers import ir
from analyzers.facts import Facts
from fixers.freed import released_by


def held_beside(after: Facts, members: Mapping[int, Set[str]], ours: Set[int]) -> str:
    """Why a release of the patch may not be what is wanted; empty for nothing. `members` are those of objects in which something lay that it
    released, by the release."""
    for node in sorted(ours):
        call, inside = after.linked.body.nodes[node], members.get(node, set())
        given = released_by(after, node, call) if inside and isinstance(call, ir.Call) else ()
        if all(map(ir.is_temporary, given)):
            continue  # Whoever releases a member by its own name has seen whose it is.
        for name, member in sorted(_filled(after, inside)):
            ender = next((each for each in _enders(after, name, member, ours)), "")
            if ender and not _is_ended_before(after, name, node):
                return f"`{ir.source_name(name)}` holds it by then, and `{ender}` releases both"
    return ""


def _filled(after: Facts, members: Set[str]) -> set[tuple[str, str]]:
    """The variables of the source in whose objects something is put into one of some members, and that."""
    found = set()
    for node, each in enumerate(after.linked.body.nodes):
        match each:
            case ir.Store(base=base, field=field) if field in members:
                found.add((base, field))
            case ir.Call(args=args):
                paths = {path for effects in after.effects.get(node, ()) for t in effects.transfers for one in t.outcomes for path in one.paths if t.entry}
                found |= {(args[int(root[1:])], field) for root, field, *rest in (path for path in paths if len(path) > 1)
                          if field in members and not rest and root[1:].isdigit() and int(root[1:]) < len(args)}  # fmt: skip
            case _:
                pass
    return {(name, field) for name, field in found if name and not ir.is_literal(name) and not ir.is_temporary(name)}


def _enders(after: Facts, name: str, member: str, ours: Set[int]) -> Iterable[str]:
    """The functions that the code calls, not the patch, to release an object together with a member."""
    for node, call in enumerate(after.linked.body.nodes):
        if isinstance(call, ir.Call) and call.kind == "function" and call.args[:1] == (name,) and node not in ours:
            ended = {t.entry for e in after.effects.get(node, ()) for t in e.transfers if any(one.fate == "released" for one in t.outcomes)}
            if {("$0",), ("$0", member)} <= ended:
                yield call.name


def _is_ended_before(after: Facts, name: str, node: int) -> bool:
    """Whether something may have released the object on the way to a release of the patch."""
    nodes = after.linked.body.nodes
    ends = (at for at, call in enumerate(nodes) if isinstance(call, ir.Call) and name in released_by(after, at, call))
    return not after.cfg.reaching(node).isdisjoint(ends)
