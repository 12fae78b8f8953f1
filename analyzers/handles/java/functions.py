"""Functions of Java as values: who runs one, and what goes with one that somebody else has made.

`converter.apply(this)` runs what the method was passed. `flow.to(Writing.into(out))` passes a function that the program made elsewhere and
that keeps `out`: nobody sees its body where it is run, and whatever it captures may be closed or kept by that (a belief: misses what
such a function only uses). So may what is given to a function that lies in a field, comes from a call, or is one of several. Of lambdas that the procedure writes itself the bodies tell: `retry(() -> new FileInputStream(path))` gives what
the lambda opens, where all that `retry` may be does no more with it than to return it; `writers.computeIfAbsent(name, each -> open(each))`
keeps it in the map, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.java.invoked import lambda_body
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.queries import Target
from analyzers.summaries import Effects, Outcome, Transfer

_PACKAGE = "java.util.function."
_TASKS = frozenset(("java.lang.Runnable", "java.util.concurrent.Callable"))
_RUNNING = frozenset(("accept", "apply", "call", "get", "run", "test"))
COMPUTING = "computeIfAbsent"
"""The method of a map that keeps what a function answers."""
_PRIMITIVE = ("applyAs", "getAs")


def is_run(scene: Scene, call: ir.Call) -> bool:
    """Whether a call of Java runs the function that it is made on."""
    if call.kind not in ("virtual", "interface") or not (call.name in _RUNNING or call.name.startswith(_PRIMITIVE)):
        return False
    return _is_function(scene.type_of(call.receiver))


def _is_function(written: str) -> bool:
    name = written.partition("<")[0]
    return name in _TASKS or name.startswith(_PACKAGE)


def answered(scene: Scene, call: ir.Call, target: Target, effects: Effects) -> Transfer | None:
    """What a call gives because a lambda that it is passed, and runs, opens and answers it; None where it does not."""
    if not target.procedures and call.name == COMPUTING and target.models:
        return _computed(scene, call, effects)
    for position, argument in enumerate(call.args if call.dst and target.procedures else ()):
        body = lambda_body(scene, argument) if f"${position}" in effects.invokes else None
        made = _opened(scene.queries.effects(body)) if body is not None else None
        if made is not None and all(_passes_on(scene.queries.procedure(key), position) for key in target.procedures):
            return made
    return None


def _computed(scene: Scene, call: ir.Call, effects: Effects) -> Transfer | None:
    """What a map keeps from now on, and gives, because the lambda that it runs opens it."""
    body = lambda_body(scene, call.args[-1]) if len(call.args) == 2 and "$1" in effects.invokes else None
    made = _opened(scene.queries.effects(body)) if body is not None else None
    paths = (("this", "[]"), RESULT) if call.dst else (("this", "[]"),)
    return Transfer((), made.resource, made.type, (Outcome("return", (), "held", paths),)) if made is not None else None


def _opened(effects: Effects) -> Transfer | None:
    """What a function opens, and has in its answer alone."""
    for each in effects.transfers:
        held = tuple(outcome for outcome in each.outcomes if outcome.exit == "return" and outcome.fate == "held" and outcome.paths == (RESULT,))
        if not each.entry and held and len(held) == len(each.outcomes):
            return Transfer((), each.resource, each.type, (Outcome("return", (), "held", (RESULT,)),))
    return None


def _passes_on(body: ir.Procedure | None, position: int) -> bool:
    """Whether a method returns what the function answers that is its formal at a position, and does nothing else with that."""
    if body is None or position >= len(body.parameters):
        return False
    formal = body.parameters[position]
    answers = {node.dst for node in body.nodes if isinstance(node, ir.Call) and node.receiver == formal and (node.name in _RUNNING or node.name.startswith(_PRIMITIVE))}
    grown = True
    while grown:
        found = {node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src in answers} - answers
        answers |= found
        grown = bool(found)
    is_returned = any(isinstance(node, ir.Return) and node.src in answers for node in body.nodes)
    return is_returned and not any(not answers.isdisjoint(_uses(node)) for node in body.nodes)


def _uses(node: ir.Instruction) -> tuple[str, ...]:
    """The operands of an instruction by which somebody else may get them, or end them."""
    match node:
        case ir.Call():
            return (node.receiver, *node.args)
        case ir.Store(src=src) | ir.StoreElement(src=src):
            return (src,)
        case ir.Op(operands=operands):
            return operands if node.operator == "cast" else ()
        case _:
            return ()


def made_elsewhere(scene: Scene, call: ir.Call, target: Target, effects: Effects) -> Iterator[Exposure]:
    """The functions that a call runs and that another call has given, with what they capture. Of an object that the procedure itself makes
    the body tells that runs."""
    if not scene.is_java:
        return
    run = [argument for position, argument in enumerate(call.args) if f"${position}" in effects.invokes]
    for operand in (*run, *((call.receiver,) if is_run(scene, call) else ())):
        if _is_given(scene, operand):
            yield Exposure((operand,), Policy.ESCAPE)
    is_told = lambda_body(scene, call.receiver) is not None or (target.is_exact and len(target.procedures) == 1)
    if is_run(scene, call) and scene.definitions.get(call.receiver) and not is_told:
        yield from (Exposure((each,), Policy.ESCAPE) for each in (call.receiver, *call.args) if not ir.is_literal(each))


def _is_given(scene: Scene, operand: str) -> bool:
    nodes = scene.definitions.get(operand, ())
    made = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    if isinstance(made, ir.Copy):
        return _is_given(scene, made.src)
    return isinstance(made, ir.Call) and made.dst == operand
