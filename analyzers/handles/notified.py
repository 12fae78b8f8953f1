"""What a library of C is given together with the function that frees it: `subscribe(bus, on_change, data, g_free)`.

The pair of a pointer and a function that is named like a release, in that order, is how libraries take things over for as
long as they need them (GLib's GDestroyNotify, SQLite's destructors). Only where nothing better is told of the argument. Errs
towards taking: what such a call does not free is not reported.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_releaser
from analyzers.summaries import Certainty, Effects, Outcome, Transfer

_FIRST = 1
"""The first argument that may be taken so: before it stands the object whose elements the function is for (`list_init(list, free)`)."""


def with_notified(effects: Effects | None, call: ir.Call, scene: Scene) -> Effects | None:
    """Effects of a call of a library that also takes what stands before a function that frees it."""
    if effects is None or scene.is_java:
        return effects
    told = {each.entry for each in effects.transfers if each.entry and any(one.certainty is Certainty.MUST for one in each.outcomes)}
    taken = [
        (f"${position}",) for position, argument in enumerate(call.args[:-1])
        if position >= _FIRST and (f"${position}",) not in told and argument and not ir.is_literal(argument)
        and is_releaser(_function(call.args[position + 1], scene))
    ]
    if not taken:
        return effects
    kept = tuple(each for each in effects.transfers if each.entry not in taken)
    made = tuple(Transfer(entry, "", "", (Outcome("return", (), "retained"),)) for entry in taken)
    return msgspec.structs.replace(effects, transfers=(*kept, *made), retains=tuple(dict.fromkeys((*effects.retains, *taken))))


def _function(argument: str, scene: Scene) -> str:
    """The name of the function that an argument is; empty for anything else."""
    if argument.startswith("=&"):
        return argument[2:].removeprefix("::")
    place = scene.loads.get(argument, ("",))
    return place[0][2:] if len(place) == 1 and place[0][:2] == "::" else ""
