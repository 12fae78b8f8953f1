"""What a function of C can return at most, of all that its text assigns to what it returns: what was acquired, nothing, or something else.

Without regard to order, so before any path is walked: where that is but one thing no path says more, and a walk may end as soon as its
paths have shown all of it. Says that it may be anything of whatever is not a copy, a literal, or what a call is known to give.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.summaries import Condition, Effects

HELD, NULL, OTHER = "held", "null", "other"

ANYTHING = frozenset((HELD, NULL, OTHER))

_NOTHING = frozenset(("=null", "=0"))

_IS_NULL = frozenset(Condition(("$ret",), "==", each) for each in _NOTHING)
_IS_THERE = frozenset(Condition(("$ret",), "!=", each) for each in _NOTHING)


def returnable(known: Facts, sites: frozenset[int], partial: Mapping[int, frozenset[str]], resource: str) -> frozenset[str]:
    """All that it may return, and perhaps more; empty where it returns nothing. `partial`: what the sites may give instead."""
    nodes, variables = known.linked.body.nodes, {each.name: each for each in known.linked.body.variables}
    waiting = [each.src for each in map(nodes.__getitem__, known.cfg.order) if isinstance(each, ir.Return)]
    if not all(waiting):
        return ANYTHING if waiting else frozenset()
    made: dict[str, list[int]] = {}
    for n in known.cfg.order:
        for name in assigned(nodes[n]):
            made.setdefault(name, []).append(n)
    found: set[str] = set()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if ir.is_literal(name):
            found.add(NULL if name in _NOTHING else OTHER)
            continue
        variable = variables.get(name)
        is_plain = ir.is_made_up(name) or (variable is not None and variable.kind == "local" and not variable.is_address_taken)
        if not is_plain or name not in made or known.liveness.is_live_before(name, ir.ENTRY):
            return ANYTHING
        for n in made[name]:
            match nodes[n]:
                case ir.Copy(src=src):
                    waiting.append(src)
                case ir.Op(operator="cast", operands=(src,)):
                    waiting.append(src)
                case ir.Call():
                    found |= _given(known.effects.get(n, ()), resource, partial.get(n, frozenset())) if n in sites else _asked(known.effects.get(n, ()))
                case _:
                    return ANYTHING
        if found == ANYTHING:
            break
    return frozenset(found)


def _given(effects: tuple[Effects, ...], resource: str, instead: frozenset[str]) -> frozenset[str]:
    """What a call that acquires may give: that, null where it fails, and what is known that it gives instead."""
    made = [
        [one for t in each.transfers if not t.entry and t.resource in ("", resource) for one in t.outcomes if one.fate == "held" and one.exit == "return"]
        for each in effects
    ]
    is_whole = bool(made) and all(each and all(one.paths == (("$ret",),) and _IS_THERE.issuperset(one.when) for one in each) for each in made)
    return instead | {HELD, NULL} if is_whole else ANYTHING


def _asked(effects: tuple[Effects, ...]) -> frozenset[str]:
    """What any other call may give."""
    is_nothing = bool(effects) and all(not _IS_NULL.isdisjoint(each.result) for each in effects)
    return frozenset((NULL,)) if is_nothing else ANYTHING
