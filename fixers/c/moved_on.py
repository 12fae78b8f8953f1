"""Whether what a patch of C releases has been moved on by then: `free` needs the beginning of a block (`line++; … free(line);`).

Steps of variables and of members by numbers, and back; what is not known to be back is not. May-analysis over all paths, by names: errs towards
refusing. Misses what calls do to members.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.solvers.dataflow import solve_forward
from fixers.freed import released_by
from fixers.paths.state import number

Place = tuple[str, str]
"""A variable (with ""), or a variable and a member of what it points to."""

Moved = frozenset[tuple[Place, int | None]]
"""Places that may be some elements away from the beginning, by how many (None: nobody knows). What is missing is there."""

FAR = 16
"""Elements from which on nobody counts."""


def moved_on(after: Facts, ours: Iterable[int]) -> str:
    """A variable that a release of the patch is given, and that may point to another place of its block than its beginning; empty where there is
    none."""
    nodes = after.linked.body.nodes
    wanted = sorted(ours)
    if not any(isinstance(each, ir.Op) and each.operator == "[]+" for each in nodes):
        return ""
    nothing: Moved = frozenset()
    before = solve_forward(
        after.cfg, {ir.ENTRY: nothing}, lambda node, held: dict.fromkeys(after.linked.next[node], _behind(nodes[node], held)), lambda one, other: one | other
    )
    for node in wanted:
        call = nodes[node]
        away = {place for place, _ in before.get(node, nothing)}
        for name in released_by(after, node, call) if isinstance(call, ir.Call) else ():
            if (name, "") in away:
                return ir.source_name(name)
    return ""


def _behind(each: ir.Instruction, held: Moved) -> Moved:
    """What may be away from its beginning behind an instruction."""
    match each:
        case ir.Op(dst=dst, operator="[]+", operands=(base, step)):
            return _set(held, (dst, ""), [_sum(by, step) for by in _steps(held, (base, ""))])
        case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)):
            return _set(held, (dst, ""), _steps(held, (src, "")))
        case ir.Load(dst=dst, base=base, field=field):
            return _set(held, (dst, ""), _steps(held, (base, f".{field}")))
        case ir.Store(base=base, field=field, src=src):
            return _set(held, (base, f".{field}"), _steps(held, (src, "")))
        case _:
            changed = assigned(each)
            return frozenset(one for one in held if one[0][0] not in changed) if changed else held


def _steps(held: Moved, place: Place) -> list[int | None]:
    found = [by for where, by in held if where == place]
    return found or [0]


def _sum(by: int | None, step: str) -> int | None:
    """How far a place is away behind a step more."""
    known = number(step) if ir.is_literal(step) else None
    total = by + known.number if by is not None and known is not None else None
    return total if total is not None and abs(total) <= FAR else None


def _set(held: Moved, place: Place, steps: Iterable[int | None]) -> Moved:
    name, field = place
    left = (one for one in held if one[0] != place and (field or one[0][0] != name))
    return frozenset((*left, *((place, by) for by in steps if by != 0)))
