"""What becomes of a handle that a function of C passes on to a function which it was passed itself.

The caller chose both: `atomicio(read, fd, …)`. Inside, the call borrows with a doubt; at the call, what goes along with a function that
releases or keeps what it gets, or of which nobody knows anything, is given away. Misses what leaks behind such a call.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.c.kept_structs import kept_along
from analyzers.handles.c.linked_structs import ended_through
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy, is_releaser, is_taking
from analyzers.queries import Target
from analyzers.summaries import Effects

_REFERENCE = "=&"


def is_of_the_caller(scene: Scene, call: ir.Call) -> bool:
    """Whether the function that a call runs is one that the procedure was passed, and not named like a release."""
    return call.kind == "pointer" and _is_passed_on(scene, call.receiver)


def _is_passed_on(scene: Scene, operand: str) -> bool:
    place = scene.loads.get(operand, (operand,))
    variable = scene.variables.get(place[0]) if len(place) == 1 else None
    is_passed = variable is not None and variable.kind == "parameter" and place[0] not in scene.definitions
    return is_passed and not (is_releaser(place[0]) or is_taking(place[0]))


def given_along(scene: Scene, call: ir.Call, target: Target, effects: Effects) -> tuple[Exposure, ...]:
    """What a function of the program's own gets along with a function that it runs and that may take it, or by its address (see `kept_structs`, `linked_structs`)."""
    if scene.is_java or not target.procedures:
        return ()
    kept = (*kept_along(scene, call, effects), *ended_through(scene, call, effects))
    run = [int(name[1:]) for name in effects.invokes if name[1:].isdigit()]
    if not any(position < len(call.args) and _takes(scene, call.args[position]) for position in run):
        return kept
    given = (
        Exposure((argument,), Policy.ESCAPE)
        for position, argument in enumerate(call.args)
        if argument and not ir.is_literal(argument) and position not in run
    )
    return (*given, *kept)


def _takes(scene: Scene, argument: str) -> bool:
    """Whether a function may end or keep what it is passed."""
    if argument == "=null" or _is_passed_on(scene, argument):
        return False
    name = argument.removeprefix(_REFERENCE) if argument.startswith(_REFERENCE) else _library_name(scene, argument)
    if not name:
        return True
    found = scene.queries.functions(scene.linked.key.path, name)
    if found:
        return any(ends(scene.queries.effects(key)) for key in found)
    model = scene.queries.model((name,), ())
    return model is None or ends(model)


def _library_name(scene: Scene, argument: str) -> str:
    place = scene.loads.get(argument, ("",))
    return place[0][2:] if len(place) == 1 and place[0][:2] == "::" else ""


def ends(effects: Effects) -> bool:
    """Whether a function releases or keeps something that it is passed."""
    return any(
        outcome.fate in ("released", "retained") for transfer in effects.transfers if transfer.entry for outcome in transfer.outcomes
    )
