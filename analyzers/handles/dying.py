"""Where temporaries are read for the last time: by themselves, or by the address of a member of what they lead to (`release(&item->owner->text)`).

Keeps one too long where such an address is read by somebody who does not look at the place: what it leads to is in reach for that long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.domains.access_path import WRAPPED, members
from analyzers.graphs import liveness
from analyzers.graphs.operands import assigned

if TYPE_CHECKING:
    from analyzers.handles.scene import Scene


def dying(scene: Scene) -> dict[int, tuple[str, ...]]:
    """Per node the temporaries that nobody reads afterwards."""
    pointed = {place[0] for place in scene.addresses.values() if scene.is_aggregate(place[0])}
    temporaries = tuple(sorted(name for name in scene.definitions if (ir.is_temporary(name) or (not scene.is_java and ir.is_made_up(name))) and name in scene.holders and name not in pointed))
    if not temporaries:
        return {}
    known = frozenset(temporaries)
    leading = {name: place[0] for name, place in scene.addresses.items() if len(place) > 1 and place[-1] not in ("[]", WRAPPED) and place[0] in known and name != place[0]}
    live = liveness.solve(scene.nodes, scene.cfg, (*temporaries, *sorted(leading.keys() - known)))
    masks = {name: live.bits[name] for name in temporaries}
    for name, base in leading.items():
        masks[base] |= live.bits[name]
    ends = {live.bits[name].bit_length() - 1: base for name, base in leading.items()}
    found: dict[int, tuple[str, ...]] = {}
    for node in scene.cfg.order:
        seen = list(members(live.before[node] & ~live.after[node]))
        names = [temporaries[number] for number in seen if number < len(temporaries)]
        names += [ends[number] for number in seen if number in ends]
        names += [name for name in assigned(scene.nodes[node]) if name in masks]
        names = [name for name in names if not masks[name] & live.after[node]]
        if names:
            found[node] = tuple(dict.fromkeys(names))
    return found
