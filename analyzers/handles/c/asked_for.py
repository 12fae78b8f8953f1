"""What the call of a function of C asks for, and whether anybody looks at its answer, changes what is believed of it.

A library's function keeps an argument if it succeeds, and the caller never asks whether it did (`pthread_setspecific(key, block);`):
the caller takes its success for granted, and so do we. Misses what is lost where such a call fails.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.c.types import INTS
from analyzers.handles.scene import RESULT, Scene
from analyzers.summaries import AccessPath, Effects, Outcome, Transfer, emptied


def asked(call: ir.Call, model: Effects | None) -> Effects | None:
    """The model of a call; None where the call cannot be to what is modelled: it gives a text for a number."""
    if model is None or any(_is_text(call, condition.path) for condition in model.result):
        return None
    return sized(call, model)


def sized(call: ir.Call, effects: Effects) -> Effects:
    """Effects, or what is left of them where a size is the literal 0."""
    sizes = (call.args[int(root[1:])] for root in effects.sizes if int(root[1:]) < len(call.args))
    return emptied(effects) if any(size == "=0" for size in sizes) else effects


def taken_for_granted(effects: Effects, call: ir.Call, scene: Scene) -> Effects:
    """What a library's function does, without the failures to keep an argument that nobody asks about."""
    kept = [each for each in effects.transfers if _is_kept_or_left(each) and not _is_number(each.entry, call, scene)]
    if not kept or _is_asked_about(call, scene):
        return effects
    return msgspec.structs.replace(effects, transfers=tuple(_granted(each) if each in kept else each for each in effects.transfers))


def _is_number(entry: AccessPath, call: ir.Call, scene: Scene) -> bool:
    """Whether an argument is a number: a descriptor is kept for as long as something holds by it (`flock(file, LOCK_EX)`), and may be let go."""
    position = int(entry[0][1:]) if entry[0][1:].isdigit() else len(call.args)
    return position < len(call.args) and scene.type_of(call.args[position]) in INTS


def _is_left(outcome: Outcome, entry: AccessPath) -> bool:
    return outcome.fate == "held" and outcome.paths == (entry,)


def _is_kept_or_left(transfer: Transfer) -> bool:
    """Whether a function keeps what the caller passes, or fails and leaves it where it was."""
    kept = [each for each in transfer.outcomes if not _is_left(each, transfer.entry)]
    left = [each for each in transfer.outcomes if each not in kept]
    is_failure = bool(left) and all(any(one.path == RESULT for one in each.when) for each in left)
    return bool(transfer.entry) and is_failure and bool(kept) and all(each.fate == "retained" for each in kept)


def _granted(transfer: Transfer) -> Transfer:
    """A transfer without what happens only where the call fails."""
    kept = (each for each in transfer.outcomes if not _is_left(each, transfer.entry))
    told = (msgspec.structs.replace(each, when=tuple(one for one in each.when if one.path != RESULT)) for each in kept)
    return msgspec.structs.replace(transfer, outcomes=tuple(told))


def _is_asked_about(call: ir.Call, scene: Scene) -> bool:
    """Whether the procedure looks at the result of a call, or returns it to somebody who may."""
    if not call.dst:
        return False
    return scene.is_tested(call.dst) or any(isinstance(each, ir.Return) and each.src == call.dst for each in scene.nodes)


def _is_text(call: ir.Call, path: AccessPath) -> bool:
    position = int(path[0][1:]) if len(path) == 1 and path[0][1:].isdigit() else len(call.args)
    return position < len(call.args) and call.args[position].startswith('="')


def is_compared_with(scene: Scene, call: ir.Call) -> bool:
    """Whether a variable is asked whether it is what such a call without arguments gives: that stays, then
    (`if (style != default_style()) free(style);`)."""
    given = {each.dst for each in scene.nodes if isinstance(each, ir.Call) and each.name == call.name and not each.args} if not call.args else ()
    tests = [each for each in scene.nodes if given and isinstance(each, ir.Branch) and each.operator in ("==", "!=")]
    return any(one in given and not ir.is_literal(other) for each in tests for one, other in ((each.left, each.right), (each.right, each.left)))
