"""Calls of Java that pass the elements of an array one by one: `close(rows, statement)` to `close(AutoCloseable... all)`."""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.queries import Target
from analyzers.summaries import AccessPath, Effects, Transfer

ARRAY = "[]"


def spread(effects: Effects, call: ir.Call, target: Target, scene: Scene) -> Effects:
    """The Effects of a call with what they say of the elements of the last formal said of the arguments from there on."""
    last = len(target.parameters) - 1
    if last < 0 or not target.procedures or not target.parameters[last].endswith((ARRAY, "...")) or not _is_packed(call, last, scene):
        return effects
    formal = f"${last}"
    passed = [f"${position}" for position in range(last, len(call.args))]

    def paths(path: AccessPath) -> list[AccessPath]:
        return [(root, *path[2:]) for root in passed] if path[:2] == (formal, ARRAY) else [path]

    def all_of(each: tuple[AccessPath, ...]) -> tuple[AccessPath, ...]:
        return tuple(dict.fromkeys(path for old in each for path in paths(old)))

    transfers = []
    told = {(transfer.entry, transfer.resource) for transfer in effects.transfers}
    for transfer in effects.transfers:
        if transfer.entry == (formal,):
            if ((formal, ARRAY), transfer.resource) not in told:
                transfers += [_of_element(transfer, (root,)) for root in passed]
            continue
        for entry in paths(transfer.entry):
            outcomes = tuple(
                msgspec.structs.replace(each, paths=tuple(entry if path == transfer.entry else path for path in each.paths))
                for each in transfer.outcomes
            )
            transfers.append(msgspec.structs.replace(transfer, entry=entry, outcomes=outcomes))
    return msgspec.structs.replace(
        effects, transfers=tuple(transfers), reads=all_of(effects.reads), writes=all_of(effects.writes), retains=all_of(effects.retains)
    )


def _of_element(transfer: Transfer, entry: AccessPath) -> Transfer:
    """What becomes of an argument that lies in an array, given what becomes of the array: where that is kept, the argument lies inside."""
    outcomes = tuple(
        msgspec.structs.replace(each, paths=tuple(entry if path == transfer.entry else (*path, ARRAY) for path in each.paths))
        for each in transfer.outcomes
    )
    return msgspec.structs.replace(transfer, entry=entry, outcomes=outcomes)


def _is_packed(call: ir.Call, last: int, scene: Scene) -> bool:
    """Whether the arguments from the last formal on become an array of their own."""
    if len(call.args) != last + 1:
        return len(call.args) >= last
    argument = call.args[last]
    written = "" if not argument or ir.is_literal(argument) else scene.type_of(argument)
    return bool(written) and not written.endswith(ARRAY)
