"""Members of an object of C that a release of the object alone would lose: `free(page)` where `free(page->out.text)` is due, too.

Only members that a callee fills by their address (`grow(&page->out.text)`), and that the function itself ends elsewhere: of those it is
known whose they are. Errs towards doubt where the callee has left nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from analyzers import ir
from analyzers.graphs.cfg import Cfg
from analyzers.summaries import Effects

EffectsAt = dict[int, tuple[Effects, ...]]


def ends(effects: EffectsAt, node: int, index: int) -> bool:
    """Whether a call may release what an argument points to."""
    return any(
        outcome.fate == "released" for each in effects.get(node, ()) for transfer in each.transfers
        if transfer.entry == (f"${index}",) for outcome in transfer.outcomes
    )


def left_beside(body: ir.Procedure, cfg: Cfg, effects: EffectsAt, name: str, before: Collection[int]) -> Iterator[str]:
    """The members of what a variable points to that are filled by their address among the nodes before a place, and ended, but not there."""
    nodes = body.nodes
    read = {each.dst: each.field for each in nodes if isinstance(each, ir.Load) and each.base == name}
    ended: dict[str, list[int]] = {}
    for node in cfg.order:
        call = nodes[node]
        for index, argument in enumerate(call.args if isinstance(call, ir.Call) else ()):
            if argument in read and ends(effects, node, index):
                ended.setdefault(read[argument], []).append(node)
    places = {each.dst: each.field for each in nodes if isinstance(each, ir.AddressOf) and each.base == name and each.field in ended}
    filled = {
        places[argument] for node in cfg.order if node in before and isinstance(call := nodes[node], ir.Call)
        for argument in call.args if argument in places
    }
    yield from (member for member in sorted(filled) if not any(node in before for node in ended[member]))
