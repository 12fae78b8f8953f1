"""What a library call copies by its content (`memcpy(to, from, sizeof *to)`): the members of a struct of C and the elements of an array go with it.

Where to is not followed: who copies an object so is taken to keep what its members hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.summaries import Effects

_CONTENT = ("*", "[]")


def copied_along(scene: Scene, call: ir.Call, effects: Effects) -> Iterator[Exposure]:
    """The members of what a library call copies the content of (`memcpy`), by all names that the procedure has for any."""
    if scene.is_java:
        return
    for transfer in effects.transfers:
        is_copy = len(transfer.entry) == 2 and transfer.entry[1] == "*" and all(each.fate == "held" for each in transfer.outcomes)
        argument = _argument(call, transfer.entry[0]) if is_copy else ""
        written = scene.type_of(argument) if argument else ""
        if written.endswith("]") or written.count("*") > 1:
            yield Exposure((argument, "[]"), Policy.ESCAPE)
        if argument and argument not in scene.addresses and scene.c_types.is_aggregate(scene.type_of(argument).replace("*", "", 1)):
            yield from (Exposure((argument, field), Policy.ESCAPE) for field in _members(scene, argument))


def _members(scene: Scene, name: str) -> list[str]:
    """What members there may be: those of the type, and all that the procedure names."""
    declared = scene.c_types.declared(scene.type_of(name))
    found = dict.fromkeys(each.name for each in declared.fields) if declared is not None else {}
    for node in scene.nodes:
        if isinstance(node, ir.Load | ir.Store | ir.AddressOf) and node.base and node.field not in ("", *_CONTENT):
            found[node.field] = None
    return list(found)


def _argument(call: ir.Call, root: str) -> str:
    index = int(root[1:]) if root[1:].isdigit() else len(call.args)
    return call.args[index] if index < len(call.args) and not ir.is_literal(call.args[index]) else ""
