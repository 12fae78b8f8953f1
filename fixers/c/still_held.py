"""Whether a patch of C releases an object whose own lock the function holds at that point: `mutex_lock(&dev->lock); … free(dev); return 2;`.

Whoever waits for that lock waits in memory that is gone, and most libraries refuse to end a lock that is held. May-analysis over all paths, by the
names that linking gives to places (`frontends.scoped`). Errs towards refusing, also where a lock that is asked for (`trylock`) was not given; misses those of other names of the object.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.facts import Facts
from analyzers.solvers.dataflow import solve_forward
from fixers.freed import released_by

Names = frozenset[str]


def held_inside(after: Facts, ours: Iterable[int]) -> str:
    """A lock in what a release of the patch is given that is held there; empty where there is none."""
    body = after.linked.body
    places = {each.name: ir.declared_name(each.name) for each in body.variables if ir.HELD in each.attributes and each.kind != "temporary"}
    if not places:
        return ""
    addresses = {each.dst: each.base for each in body.nodes if isinstance(each, ir.AddressOf) and each.base in places}
    taken, given = _calls(after, addresses)
    if not taken:
        return ""
    nothing: Names = frozenset()

    def step(node: int, held: Names) -> dict[int, Names]:
        return dict.fromkeys(after.linked.next[node], held.difference(given.get(node, nothing)) | taken.get(node, nothing))

    before = solve_forward(after.cfg, {ir.ENTRY: nothing}, step, lambda one, other: one | other)
    for node in sorted(ours):
        call = body.nodes[node]
        for name in released_by(after, node, call) if isinstance(call, ir.Call) else ():
            written = _written(body.nodes, name)
            for each in sorted(before.get(node, nothing)):
                if places[each].startswith((f"{written}->", f"{written}.")):
                    return ir.source_name(places[each])
    return ""


def _calls(after: Facts, addresses: dict[str, str]) -> tuple[dict[int, Names], dict[int, Names]]:
    """Per call the places that it may take, and those that it may give back."""
    taken: dict[int, Names] = {}
    given: dict[int, Names] = {}
    for node, call in enumerate(after.linked.body.nodes):
        if not isinstance(call, ir.Call):
            continue
        for position, name in enumerate(call.args):
            if name not in addresses:
                continue
            root = f"${position}"
            transfers = [each for effects in after.effects.get(node, ()) for each in effects.transfers]
            if any(one.paths and one.paths[0][0] == root for each in transfers if not each.entry for one in each.outcomes):
                taken[node] = frozenset((*taken.get(node, ()), addresses[name]))
            if any(each.entry[0] == root and any(one.fate == "released" for one in each.outcomes) for each in transfers if each.entry):
                given[node] = frozenset((*given.get(node, ()), addresses[name]))
    return taken, given


def _written(nodes: Iterable[ir.Instruction], name: str) -> str:
    """How the code writes what a variable holds: `owner->device` for what was read from there."""
    load = next((each for each in nodes if isinstance(each, ir.Load) and each.dst == name and ir.is_temporary(name)), None)
    return f"{ir.declared_name(load.base)}->{load.field}" if load is not None and load.base else ir.declared_name(name)
