"""Functions of a program in C that fill what they are given by another call, and return nothing but its status: `int n = vasprintf(place, format, list);
if (n < 0) die(); return n;`.

Their answer tells whether something was made, as that of the other call does. Says no where the function stores to the place itself, or
hands what lies there to anybody.
"""

from __future__ import annotations

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.graphs.operands import assigned
from analyzers.queries import ProcedureKey

_DEEPEST = 4
"""Functions that pass a status on to each other."""


def passes_status(program: Program, after: Facts, node: int, root: str) -> bool:
    """Whether what a call may run returns the status of another call that fills the argument `root` of it."""
    target = after.linked.targets.get(node)
    keys = target.procedures if target is not None else ()
    return bool(keys) and all(_gives_status(program, key, int(root[1:]), _DEEPEST) for key in keys)


def _gives_status(program: Program, key: ProcedureKey, position: int, depth: int) -> bool:
    known = facts(program, key)
    if known is None or not depth or position >= len(known.linked.body.parameters):
        return False
    body = known.linked.body
    place = body.parameters[position]
    inside = {each.dst for each in body.nodes if isinstance(each, ir.Load) and each.base == place}
    told: set[str] = set()
    for node, each in enumerate(body.nodes):
        match each:
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if place in (base, src):
                return False
            case ir.Copy(src=src) | ir.Op(operands=(src, *_)) if src == place:
                return False
            case ir.Call(dst=dst, args=args) if place in args and _fills(program, known, node, args.index(place), depth):
                if not dst:
                    return False
                told.add(dst)
            case ir.Call(args=args) if place in args or not inside.isdisjoint(args):
                return False
            case _:
                pass
    filling = [each for each in body.nodes if isinstance(each, ir.Call) and each.dst in told and place in each.args]
    if sum(not told.isdisjoint(assigned(each)) for each in body.nodes) != len(filling):
        return False
    return bool(told) and all(_is_told(body, each.src, told) for each in body.nodes if isinstance(each, ir.Return))


def _fills(program: Program, known: Facts, node: int, position: int, depth: int) -> bool:
    """Whether a call makes something where its argument leads, as its answer says."""
    made = [end for each in known.effects.get(node, ()) for transfer in each.transfers if not transfer.entry for end in transfer.outcomes]
    if not made or any((f"${position}", "*") not in end.paths or not any(each.path == ("$ret",) for each in end.when) for end in made):
        return False
    target = known.linked.targets.get(node)
    keys = target.procedures if target is not None else ()
    return all(_gives_status(program, key, position, depth - 1) for key in keys)


def _is_told(body: ir.Procedure, name: str, told: set[str]) -> bool:
    """Whether a value is the status of one of some calls."""
    if name in told:
        return True
    sources = [each.src for each in body.nodes if isinstance(each, ir.Copy) and each.dst == name]
    return bool(sources) and not ir.is_literal(name) and all(each in told for each in sources) and not any(
        isinstance(each, ir.Op | ir.Load | ir.Call) and each.dst == name for each in body.nodes
    )
