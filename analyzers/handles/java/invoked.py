"""What a call of Java does to handles through the lambdas, method references and objects of classes without a name that it is passed.

`all.forEach(Closer::quiet)` closes the elements of `all`; `run(() -> in.close())` closes what the lambda captures;
`onExit.add(in::close)` keeps what will close it; what a lambda captures and answers is for who calls it; `all.map(Wrapper::new)` gives the elements to others. Misses what a lambda acquires, and lambdas that are kept in variables
assigned more than once. A function that closes what it is given, or leaves it somewhere, is taken to be given what a method of the code
gets beside it (`with(in, each -> each.close())`). An object whose class is declared in the body keeps, wherever it goes, what one of its methods will release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.handles.java.captures import CAPTURE
from analyzers.handles.java.started import USED, is_started
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Move
from analyzers.queries import ProcedureKey, Target
from analyzers.summaries import AccessPath, Effects, Outcome, Transfer

IN_A_BODY = re.compile(r"\$\d")
"""In the binary name of a class that is declared in the body of a procedure, with a name or without."""

LAMBDA = "lambda:"
"""What the types of lambdas begin with, before the names of their procedures."""
ELEMENT = "[]"
_KEPT = (Outcome("return", (), "retained"), Outcome("throw", (), "retained"))


def invoked_moves(scene: Scene, call: ir.Call, effects: Effects, target: Target) -> Iterator[Move]:
    """The moves of a call that its functions make, now or later; a release of one of several elements counts for all."""
    for position, argument in enumerate(call.args):
        body = lambda_body(scene, argument)
        if body is None:
            continue
        is_run = f"${position}" in effects.invokes
        yield from _only_used(scene, call, argument, body)
        if target.procedures and any(map(_takes, scene.queries.effects(body).transfers)):
            others = (each for each in call.args if each != argument and not ir.is_literal(each))
            yield from (Move((each,), "", _KEPT) for each in others if scene.queries.is_closeable(scene.type_of(each)))
        for transfer in scene.queries.effects(body).transfers:
            released = tuple(outcome for outcome in transfer.outcomes if outcome.fate == "released")
            is_of_element = is_run and bool(call.receiver) and len(transfer.entry) == 1 and transfer.entry[0] != "this"
            if is_of_element and any(_is_elsewhere(transfer.entry, outcome) for outcome in transfer.outcomes):
                yield Move((call.receiver, ELEMENT), transfer.resource, _KEPT)
            if transfer.entry[:1] == ("this",) and any(path[0] == "$ret" for outcome in transfer.outcomes for path in outcome.paths):
                yield Move((argument, *transfer.entry[1:]), transfer.resource, _KEPT)  # It answers what it captures: `map.compute(key, (k, v) -> in)`.
                continue
            if not released or not transfer.entry:
                continue
            if transfer.entry[0] == "this" and _is_wrapped(effects, position) and call.kind != "new":
                continue
            if transfer.entry[0] == "this":
                yield Move((argument, *transfer.entry[1:]), transfer.resource, released if is_run else _KEPT)
            elif is_of_element:
                yield Move((call.receiver, ELEMENT), transfer.resource, released)


def _takes(transfer: Transfer) -> bool:
    """Whether a function ends what it is given, or leaves it somewhere."""
    is_given = len(transfer.entry) == 1 and transfer.entry[0] != "this"
    return is_given and any(each.fate == "released" or _is_elsewhere(transfer.entry, each) for each in transfer.outcomes)


def _is_wrapped(effects: Effects, position: int) -> bool:
    """Whether the result of a call runs a function that it was passed when it is closed (`rows.onClose(in::close)`): then that has it."""
    passed = (transfer for transfer in effects.transfers if transfer.entry == (f"${position}",))
    return any(path == ("$ret", WRAPPED) for transfer in passed for outcome in transfer.outcomes for path in outcome.paths)


def _only_used(scene: Scene, call: ir.Call, argument: str, body: ProcedureKey) -> Iterator[Move]:
    """What a task captures that a thread runs once, and that it neither ends nor leaves anywhere: with the task nobody has it any more."""
    lowered, known = scene.queries.procedure(body), scene.queries.effects(body)
    if not is_started(call, scene.type_of(call.receiver)) or lowered is None or lowered.loops or not known.is_known or known.returns != "normal":
        return
    touched = {path[:2] for path in (*known.retains, *known.writes, *(each.entry for each in known.transfers if not _is_left(each)))}
    for (name, field), variable in scene.captures.items():
        is_untouched = name == argument and field.startswith(CAPTURE) and ("this", field) not in touched and ("this",) not in touched
        if is_untouched and scene.queries.is_closeable(scene.type_of(variable)):
            yield Move((argument, field), "", USED)


def _is_left(transfer: Transfer) -> bool:
    """Whether a task leaves something where it was: in the variable that it captures."""
    here = (transfer.entry, (transfer.entry[1].removeprefix(CAPTURE), *transfer.entry[2:])) if len(transfer.entry) > 1 else (transfer.entry,)
    return all(each.fate == "held" and all(path in here for path in each.paths) for each in transfer.outcomes)


def kept_moves(scene: Scene, call: ir.Call, moves: Sequence[Move]) -> Iterator[Move]:
    """What a call is given to keep inside of objects that will release it: variables that a method of their class, declared in this
    body, releases. Nothing of those of which the callee itself says what becomes of them."""
    known = {move.entry[:2] for move in moves}
    for operand in dict.fromkeys((call.receiver if call.kind != "new" else "", *call.args)):
        fields = {field for name, field in scene.captures if name == operand and (operand, field) not in known}
        for body in methods_of(scene, operand) if fields else ():
            for transfer in scene.queries.effects(body).transfers:
                is_captured = transfer.entry[:1] == ("this",) and len(transfer.entry) > 1 and transfer.entry[1] in fields
                if is_captured and any(outcome.fate == "released" for outcome in transfer.outcomes):
                    yield Move((operand, *transfer.entry[1:]), transfer.resource, _KEPT)


def methods_of(scene: Scene, operand: str) -> Iterator[ProcedureKey]:
    """The methods of the class of an object, if a body of this file declares that."""
    name, path = _origin(scene, operand), scene.linked.key.path
    unit = scene.queries.unit(path) if IN_A_BODY.search(name) else None
    declared = next((each for each in unit.types if each.name == name), None) if unit is not None else None
    for method in declared.methods if declared is not None else ():
        if method.procedure:
            yield ProcedureKey(path, method.procedure)


def _origin(scene: Scene, operand: str) -> str:
    """The type of the object that a variable names, as it was made; empty where that is not known."""
    nodes = scene.definitions.get(operand, ())
    made = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    if isinstance(made, ir.Copy):
        return _origin(scene, made.src)
    return scene.type_of(operand) if isinstance(made, ir.Alloc) else ""


def _is_elsewhere(entry: AccessPath, outcome: Outcome) -> bool:
    """Whether a function leaves what it is passed with somebody else, or in what it answers."""
    return outcome.fate == "retained" or (outcome.fate == "held" and any(path[0] != entry[0] for path in outcome.paths))


def lambda_body(scene: Scene, operand: str) -> ProcedureKey | None:
    """The procedure of the lambda that an operand is; None where it is none, or one of several."""
    nodes = scene.definitions.get(operand, ())
    made = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    if isinstance(made, ir.Copy):
        return lambda_body(scene, made.src)
    if not isinstance(made, ir.Alloc) or not made.type.startswith(LAMBDA):
        return None
    return ProcedureKey(scene.linked.key.path, made.type[len(LAMBDA) :])
