"""What a call leaves in places of its caller's. Variables of C that a callee fills again: `if (read_line(&line) < 0)` in a loop loses the line of the turn before.

Only what a callee surely has not looked at counts, in ways of the call that its Effects tell apart: misses what is lost where
the callee reads the old value without giving it back.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import Environment
from analyzers.domains.guard import TOP, Value
from analyzers.handles.flows import Flows
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import BELOW, AccessPath, Certainty, Condition, Effects, Outcome

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


_EMPTY = ("==", "=null")

_KEPT = "glib-error"
"""The spec resource of which a second one takes no place: GLib drops an error where there is one already, and says so."""


def overwritten(scene: Scene, site: CallSite) -> tuple[tuple[AccessPath, Outcome], ...]:
    """Per place of the caller's whose address a call gets the ways in which something new lies there afterwards."""
    effects = site.effects
    if scene.is_java or effects is None or not effects.is_known or site.is_doubtful:
        return ()
    found: dict[tuple[AccessPath, Outcome], None] = {}
    for position, argument in enumerate(site.call.args):
        place = scene.addresses.get(argument, ())
        target = (f"${position}", "*")
        if len(place) != 1 or scene.is_aggregate(place[0]) or "*" not in scene.type_of(place[0]):
            continue
        touched = (*effects.reads, *effects.retains, *(each.entry for each in effects.transfers if each.entry))
        if any(path[0] == target[0] and path[:2] in (target, (target[0],), (target[0], "?")) for path in touched):
            continue
        for transfer in site.acquired:
            for outcome in transfer.outcomes if transfer.resource != _KEPT else ():
                is_new = outcome.fate == "held" and outcome.exit == "return" and outcome.certainty is Certainty.MUST
                if is_new and outcome.paths == (target,) and _EMPTY not in [(each.operator, each.value) for each in outcome.when if each.path == target]:
                    found[place, outcome] = None  # What fills only a place that is empty (`BN_hex2bn`) overwrites no handle.
    found.update(dict.fromkeys(_members(scene, site, effects)))
    return tuple(found)


def _members(scene: Scene, site: CallSite, effects: Effects) -> Iterator[tuple[AccessPath, Outcome]]:
    """The same for members of the procedure's own objects (`item_set_up(&item)` a second time)."""
    touched = (*effects.reads, *effects.retains, *(each.entry for each in effects.transfers if each.entry))
    for transfer in site.acquired:
        for outcome in transfer.outcomes:
            path = outcome.paths[0] if len(outcome.paths) == 1 else ()
            is_new = outcome.fate == "held" and outcome.exit == "return" and outcome.certainty is Certainty.MUST
            if not is_new or len(path) != 2 or path[1] in ("*", "[]", BELOW) or any(each[0] == path[0] and each[1:2] in ((), path[1:], (BELOW,)) for each in touched):
                continue
            actual = site.actuals.get(path[0], "")
            place = scene.normalise((actual, path[1])) if actual and not ir.is_literal(actual) else ()
            if len(place) == 2 and scene.is_fresh(place[0]):
                yield place, outcome


def remaining(result: Value, outcome: Outcome) -> Value | None:
    """What else the result may be than where an outcome comes about; None where it always does."""
    if len(outcome.when) != 1 or outcome.when[0].path != RESULT:
        return result
    condition = outcome.when[0]
    return guard.refine(result, _OPPOSITE[condition.operator], guard.literal(condition.value))


def learned(flows: Flows, site: CallSite, environment: Environment, left: tuple[Condition, ...]) -> Environment:
    """What is known behind a call that leaves something in places of the caller's."""
    environments = flows.environments
    for condition in left:
        root = site.call.dst if condition.path[:1] == RESULT else site.actuals.get(condition.path[0], "")
        place = flows.scene.normalise((root, *condition.path[1:]))
        number = environments.numbers.get(place)
        if number is not None:
            known = guard.refine(environments.value(environment, number), condition.operator, guard.literal(condition.value))
            environment = environments.assign(environment, number, TOP if known is None else known)
    return environment


def left_in_result(left: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """What is said of the members of a struct that a call returns: known where that has been assigned."""
    return tuple(each for each in left if each.path[:1] == RESULT)


def unreturned(outcome: Outcome) -> Outcome:
    """An outcome without its result: what a call hands back to whoever passed it (`buffer = grow(buffer, n)`) has gone to nobody else."""
    return msgspec.structs.replace(outcome, paths=tuple(path for path in outcome.paths if path != RESULT))
