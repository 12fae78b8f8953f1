"""The object around a member that a patch of C releases, where that is lost there, too, and one call of the function's own ends both.

`free(o->name)` in front of a `return` that loses `o`: who sees that would write `order_free(o)`. Flow-sensitive; errs towards doubt
where the object around it is one that others have, too, and towards silence where nothing in the function ends it.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from fixers.c.ground import Choice, Ground
from fixers.c.placement import Placement, Spot
from fixers.c.pointers import NONE

_PARTS = frozenset(("*", "[]"))


def lost_owner(ground: Ground, choice: Choice, calls: Sequence[str]) -> str:
    """Why a release of members is not what is wanted there; empty where the object around them lives on, or goes with the same call."""
    if len(choice.place) != 2 or choice.place[1] in _PARTS:
        return ""
    base, member = choice.place
    enders = _enders(ground, base, member)
    if not enders or any(call.partition("(")[0] in enders for call in calls):
        return ""
    if any(_is_lost(ground, spot, base) for spot in choice.spots):
        return f"`{ir.source_name(base)}` is lost with it, and `{enders[0]}` releases both"
    return ""


def _enders(ground: Ground, base: str, member: str) -> list[str]:
    """The functions that the procedure calls to release an object together with a member."""
    found: dict[str, None] = {}
    for node, call in enumerate(ground.facts.linked.body.nodes):
        if isinstance(call, ir.Call) and call.kind == "function" and call.args[:1] == (base,):
            ended = {t.entry for e in ground.facts.effects.get(node, ()) for t in e.transfers if any(one.fate == "released" for one in t.outcomes)}
            if {("$0",), ("$0", member)} <= ended:
                found[call.name] = None
    return list(found)


def _is_lost(ground: Ground, spot: Spot, base: str) -> bool:
    """Whether what a variable surely holds at a point could be released there as well: nothing does so later."""
    sites = tuple(sorted(each for each in spot.base if each in ground.pointers.sites))
    if not sites or not spot.base <= {*sites, NONE}:
        return False
    leak = ground.leak
    question = ("owners", leak.enders, leak.nothing, leak.left, sites, leak.passing)
    placement = leak.remember(question, lambda: Placement(ground.facts, ground.pointers, sites, leak.passing))
    return (base,) in placement.spots((spot.node,), frozenset((NONE,)))
