"""Classes of the repository that say themselves, by `implements AutoCloseable` and a `close`, that they want to be closed.

What their fields hold is known from their constructors; where these acquire nothing, a `close` that calls something
(gives back, unlocks, stops, reports) is taken for the other half of making the object. That is a guess: `close` may be
there for the interface's sake. A class that does not say so is taken at the word of a procedure that closes what it makes
of it. A `close` that does nothing, or only writes out what waits, closes nothing that its object was given. Misses those that
only assign fields; reports too much where nobody needs the call.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.closings import is_used_when_closed
from analyzers.handles.java.compressors import COMPRESSING, compressing
from analyzers.handles.java.implied import RESOURCE, Closed
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Move
from analyzers.handles.unknown import Policy, receiver_policy
from analyzers.queries import ProcedureKey, Queries, Target
from analyzers.summaries import Certainty, Outcome, Transfer

_INTERFACES = ("AutoCloseable", "Closeable")
_DEEPEST = 2
"""Methods of its own object below one that may do what `close` does."""
_QUIET = ("debug", "trace", "info", "warn", "error", "log", "isDebugEnabled", "isTraceEnabled", "close", "flush", "clear")
"""Calls that make no `close` worth calling: of loggers, and those handed on to what is held or inherited."""
_CLOSING_NOTHING = (*(each for each in _QUIET if each not in ("close", "clear")), "print", "println", "printf")
"""Calls beside which a `close` closes nothing: it writes out what waits, and says so."""
_IDLE = ("java.io.InputStream", "java.io.OutputStream")
"""Classes whose own `close` does nothing."""


def made_by(call: ir.Call, target: Target, scene: Scene, closed: Closed | None) -> Transfer | None:
    """The obligation of a new object whose class closes something that no spec knows; None where there is none."""
    if call.kind == "new" and not target.procedures:
        return compressing(call, target, scene)
    if call.kind != "new" or not (_is_declared(target.type, scene.queries) or (closed and _is_closed_here(call, scene, closed))):
        return None
    if any(_has_to_be_closed(argument, scene) for argument in call.args if argument and not ir.is_literal(argument)):
        return None
    methods = [each for each in scene.queries.methods(target.type, "close") if each.procedure is not None]
    body = scene.queries.procedure(methods[0].procedure) if methods and methods[0].procedure is not None else None
    if body is None or not any(_is_deed(node) for node in body.nodes):
        return None
    return Transfer((), RESOURCE, target.type, (Outcome("return", (), "held", (("this",),), Certainty.MAY),))


def _has_to_be_closed(name: str, scene: Scene) -> bool:
    """Whether a value may need a close, which would then do for what is made around it; not what is made here of a class whose `close` does nothing."""
    if not scene.queries.is_closeable(scene.type_of(name)):
        return False
    nodes = scene.definitions.get(name, ())
    while len(nodes) == 1 and (source := identity(scene.nodes[nodes[0]])):
        name, nodes = source, scene.definitions.get(source, ())
    made = scene.type_of(name) if len(nodes) == 1 and isinstance(scene.nodes[nodes[0]], ir.Alloc) else ""
    ends = [each.procedure for each in scene.queries.methods(made, "close") if each.procedure is not None] if made else []
    return not (ends and _is_idle(ends[0], scene))


def _is_closed_here(call: ir.Call, scene: Scene, closed: Closed) -> bool:
    """Whether the procedure closes the new object itself on some way, though its class does not say that one should."""
    names = {call.receiver, *(node.dst for node in scene.copies.get(call.receiver, ()))}
    known = [name for name in sorted(names) if closed.is_closed_itself(name)]
    return bool(known) and not any(is_used_when_closed(scene.body, name) for name in known)


def may_be_made(target: Target, queries: Queries) -> bool:
    """Whether `made_by` may say anything of a constructor, before what the procedure does with the object is looked at."""
    return _is_declared(target.type, queries) if target.procedures else target.type in COMPRESSING


def _is_declared(type_name: str, queries: Queries) -> bool:
    unit = queries.unit(queries.declaring_file(type_name))
    declared = next((each for each in unit.types if each.name == type_name), None) if unit is not None else None
    return declared is not None and any(each.rpartition(".")[2] in _INTERFACES for each in declared.supertypes)


def _is_deed(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Call) and node.kind != "new" and node.name not in _QUIET


def as_asked(call: ir.Call, target: Target, moves: tuple[Move, ...], scene: Scene) -> tuple[Move, ...]:
    """What a call of `close` does, or of something that closes its argument: whoever makes it has done what they had to, also
    where it fails before it is through, or forgets a member. That is for `close` itself to answer for, and told there."""
    is_asked = call.name == "close" and not call.args and call.kind == "virtual" and call.receiver != "this"
    asked = tuple(_through(move) if move.entry[0] == call.receiver else move for move in moves) if is_asked else moves
    is_without = is_asked and not target.procedures and _has_none(target.type, scene)
    if is_without or (is_asked and target.procedures and all(_is_idle(key, scene) for key in target.procedures)):
        asked = tuple(msgspec.structs.replace(move, is_alone=True) if move.entry == (call.receiver,) else move for move in asked)
    ended = {call.receiver: None} if _ends_like_close(call, target, scene) else {}
    ended |= {move.entry[0]: None for move in asked if len(move.entry) == 1 and move.resource == RESOURCE and _is_released(move)}
    if is_asked and any(_is_at_work(key, scene) for key in target.procedures):
        ended[call.receiver] = None
    elif is_without or (is_asked and target.procedures):
        ended.pop(call.receiver, None)
    ended.pop("this", None)
    return (*asked, *(Move((name,), "", (Outcome("return", (), "retained"), Outcome("throw", (), "retained"))) for name in ended))


def _ends_like_close(call: ir.Call, target: Target, scene: Scene) -> bool:
    """Whether a method that by its name ends an object of the repository does, itself or by others of the object, all that its `close` does
    (`stop(results)` beside a `close` that calls `doStop`)."""
    is_other = call.kind == "virtual" and call.name != "close" and call.receiver != "this" and receiver_policy(call) is Policy.ESCAPE
    if not is_other or not target.procedures or not scene.queries.is_closeable(target.type):
        return False
    deeds = frozenset(name for each in scene.queries.methods(target.type, "close") if each.procedure is not None for name in _deeds(each.procedure, scene, 0))
    return bool(deeds) and all(deeds <= {call.name, *_deeds(key, scene, _DEEPEST)} for key in target.procedures)


def _deeds(key: ProcedureKey, scene: Scene, depth: int) -> frozenset[str]:
    """The names of what a method calls that makes it worth calling, with those of methods of its own object."""
    body = scene.queries.procedure(key)
    found = [node for node in body.nodes if isinstance(node, ir.Call) and (_is_deed(node) or node.name == "close")] if body is not None else []
    names = frozenset(node.name for node in found)
    own = sorted({node.name for node in found if node.receiver in ("", "this")}) if body is not None and depth else []
    below = [each.procedure for name in own for each in scene.queries.methods(body.owner if body is not None else "", name) if each.procedure is not None]
    return names.union(*(_deeds(each, scene, depth - 1) for each in below if each != key))


def _is_released(move: Move) -> bool:
    """Whether something is released whenever the call returns."""
    returned = [each for each in move.outcomes if each.exit == "return"]
    return bool(returned) and all(each.fate == "released" and not each.when for each in returned)


def _is_at_work(key: ProcedureKey, scene: Scene) -> bool:
    body = scene.queries.procedure(key)
    return body is not None and any(_may_close(node) for node in body.nodes)


def _is_idle(key: ProcedureKey, scene: Scene) -> bool:
    """Whether a method does nothing at all, or notes or says something of its object: a `close` that the interface asks for."""
    body = scene.queries.procedure(key)
    return body is not None and not any(_may_close(node) or isinstance(node, ir.Throw | ir.Havoc) for node in body.nodes)


def _may_close(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Call) and node.name not in _CLOSING_NOTHING


def _has_none(type_name: str, scene: Scene) -> bool:
    """Whether a stream of the repository is right below one of the JDK whose `close` does nothing, and has none itself."""
    queries = scene.queries
    if not queries.declaring_file(type_name) or any(each.procedure is not None for each in queries.methods(type_name, "close")):
        return False
    strangers = [each for each in queries.supertypes(type_name) if not queries.declaring_file(each)]
    return bool(strangers) and strangers[0] in _IDLE


def _through(move: Move) -> Move:
    if not any(each.exit == "return" and each.fate == "released" for each in move.outcomes):
        return move
    outcomes = [
        msgspec.structs.replace(each, fate="released", paths=()) if each.fate in ("held", "lost") and not each.when else each
        for each in move.outcomes
    ]  # fmt: skip
    return msgspec.structs.replace(move, outcomes=tuple(dict.fromkeys(outcomes)))
