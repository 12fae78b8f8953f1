"""Structs of a procedure's own that hang in another one of C (`all.file = &file;`): what ends something below that member of the other one
(`file_done(&all)`) may end what their members hold.

Misses what is lost of such a struct behind such a call.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.summaries import Effects, Transfer

_DEEPEST = 4
"""Structs that hang in one another on the way to the one whose members are ended."""


def ended_through(scene: Scene, call: ir.Call, effects: Effects) -> Iterator[Exposure]:
    """The structs that hang in what a function of the program is passed, and below which it ends something."""
    ended = [each.entry for each in effects.transfers if _ends_below(each)]
    for position, argument in enumerate(call.args) if ended else ():
        members = sorted({entry[1] for entry in ended if entry[0] == f"${position}"})
        place = scene.addresses.get(argument, (argument,))
        hanging = _hanging(scene, place[0]) if members and len(place) == 1 else {}
        for member in members:
            for struct in _reached(scene, hanging.get(member, frozenset())):
                yield Exposure((struct,), Policy.ESCAPE)


def _ends_below(transfer: Transfer) -> bool:
    return len(transfer.entry) > 2 and any(each.fate != "held" for each in transfer.outcomes)


def _reached(scene: Scene, structs: frozenset[str]) -> list[str]:
    found = structs
    for _ in range(_DEEPEST):
        found = found.union(*(below for each in found for below in _hanging(scene, each).values()))
    return sorted(found)


def _hanging(scene: Scene, name: str) -> dict[str, frozenset[str]]:
    """Per member of a local struct the structs of the procedure's own whose address it gets."""
    found: dict[str, frozenset[str]] = {}
    for node in scene.nodes if name in scene.variables else ():
        if isinstance(node, ir.Store) and node.base == name and node.src in scene.addresses:
            place = scene.addresses[node.src]
            if len(place) == 1 and place[0] != name and scene.is_aggregate(place[0]):
                found[node.field] = found.get(node.field, frozenset()) | {place[0]}
    return found
