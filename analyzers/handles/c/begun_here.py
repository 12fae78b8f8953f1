"""Structs on the stack that begin empty and are filled by callees alone: what hangs in them hangs nowhere else.

`struct list list = {0}; append(&list, 1);` The callee writes `list.tail->next`, but of a node that it has put there itself before. Says so
too often where a callee links something in that somebody else has as well; what rests on it is assumed.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene


def is_begun_here(scene: Scene, sites: CallSites, actual: str) -> bool:
    """Whether an actual is the address of a struct of the procedure's own that begins empty, into which it stores nothing but literals,
    and which it passes on only with numbers and texts."""
    place = scene.addresses.get(actual, ())
    if len(place) != 1 or not scene.is_aggregate(place[0]):
        return False
    names = frozenset(name for name, where in scene.addresses.items() if where[0] == place[0])
    return _is_emptied(scene, sites, place[0], names) and not any(_fills(scene, sites, node, place[0], names) for node in range(len(scene.nodes)))


def _is_emptied(scene: Scene, sites: CallSites, name: str, names: frozenset[str]) -> bool:
    """Whether a struct is zeroed, or set up by a callee that does nothing else."""
    for node, each in enumerate(scene.nodes):
        match each:
            case ir.Op(dst=dst, operator="zero") if dst == name:
                return True
            case ir.Call(args=(only,)) if only in names:
                effects = sites.sites[node].effects if node in sites.sites else None
                if effects is not None and effects.is_known and effects.writes and not effects.transfers and all(len(path) == 2 for path in effects.writes):
                    return True
            case _:
                pass
    return False


def _fills(scene: Scene, sites: CallSites, node: int, name: str, names: frozenset[str]) -> bool:
    """Whether an instruction may put something into a struct that was there before, or its address elsewhere."""
    each = scene.nodes[node]
    match each:
        case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
            return src in names or ((base == name or base in names) and not ir.is_literal(src))
        case ir.Copy(dst=dst, src=src):
            return dst == name or src in names
        case ir.Return(src=src):
            return src in names
        case ir.Call(args=args) if not names.isdisjoint(args):
            is_seen = node in sites.sites and not sites.sites[node].is_library
            others = [arg for arg in args if arg not in names and not ir.is_literal(arg)]
            return not is_seen or any("*" in scene.type_of(arg) and not is_plain_c(scene.type_of(arg).replace("*", " ")) for arg in others)
        case _:
            return False
