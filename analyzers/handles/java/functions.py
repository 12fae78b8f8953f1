"""Functions of Java as values: who runs one, and what goes with one that somebody else has made.

`converter.apply(this)` runs what the method was passed. `flow.to(Writing.into(out))` passes a function that the program made elsewhere and
that keeps `out`: nobody sees its body where it is run, and whatever it captures may be closed or kept by that (a belief: misses what
such a function only uses). Of lambdas that the procedure writes itself the bodies tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.summaries import Effects

_PACKAGE = "java.util.function."
_TASKS = frozenset(("java.lang.Runnable", "java.util.concurrent.Callable"))
_RUNNING = frozenset(("accept", "apply", "call", "get", "run", "test"))
_PRIMITIVE = ("applyAs", "getAs")


def is_run(scene: Scene, call: ir.Call) -> bool:
    """Whether a call of Java runs the function that it is made on."""
    if call.kind not in ("virtual", "interface") or not (call.name in _RUNNING or call.name.startswith(_PRIMITIVE)):
        return False
    written = scene.type_of(call.receiver).partition("<")[0]
    return written in _TASKS or written.startswith(_PACKAGE)


def made_elsewhere(scene: Scene, call: ir.Call, effects: Effects) -> Iterator[Exposure]:
    """The functions that a call runs and that another call has given, with what they capture."""
    if not scene.is_java:
        return
    run = [argument for position, argument in enumerate(call.args) if f"${position}" in effects.invokes]
    for operand in (*run, *((call.receiver,) if is_run(scene, call) else ())):
        if _is_given(scene, operand):
            yield Exposure((operand,), Policy.ESCAPE)


def _is_given(scene: Scene, operand: str) -> bool:
    nodes = scene.definitions.get(operand, ())
    made = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    if isinstance(made, ir.Copy):
        return _is_given(scene, made.src)
    return isinstance(made, ir.Call) and made.dst == operand
