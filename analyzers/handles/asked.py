"""Calls that answer the same when they are asked the same again: `strcmp(name, "-")`, `options.isVerbose()`.

Two tests of one question agree as long as nothing that it is about has changed. Misses a leak on a path where the
answer changes by what nobody sees (a store through another name of a buffer).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.handles.c.comparing import is_comparing, name_of
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import words_of
from analyzers.queries import Target
from analyzers.summaries import AccessPath, Condition, Effects

MAX_BODIES = 3
"""Bodies of one question that are looked at."""


TEXTS = frozenset(("constchar*", "constgchar*", "constchar[]", "constunsignedchar*"))
"""Types of texts that a procedure of C promises not to change, without blanks."""


class Question(msgspec.Struct, frozen=True):
    """A call of which only the answer counts.

    subject  what stands for the answer: a variable that it is about, and the call
    roots    all variables that it is about
    fields   all fields that it is about
    name     what is called, or what that does the same as
    operands what it is given, by the variables that it comes from
    """

    subject: AccessPath
    roots: tuple[str, ...]
    fields: tuple[str, ...]
    name: str
    operands: tuple[tuple[str, ...], ...]


MOVING = frozenset((
    "accept", "advance", "char", "consume", "dequeue", "fetch", "first", "fork", "get", "input", "lex", "more", "new", "next", "pop", "poll",
    "rand", "random", "read", "recv", "receive", "shift", "step", "take", "tick", "time", "token", "try", "wait",
))
"""Words of functions that answer something else each time."""


PASSING = frozenset((
    "active", "alive", "available", "busy", "canceled", "cancelled", "closed", "complete", "completed", "connected", "done", "end", "eof",
    "finished", "idle", "locked", "open", "opened", "over", "pending", "ready", "running", "set", "stopped", "valid",
))
"""Words of questions that time answers."""

_FAILING = frozenset(("bad", "down", "err", "error", "fail", "failed", "failure", "iserr", "iserror"))


def failed(scene: Scene, operand: str) -> str:
    """The variable that holds how something ended, where an operand of C is what code that nobody knows says of it: that it
    is an error (`LZ4F_isError(status)`), or a macro, which compares it with constants, or a library of what is there
    (`g_error_matches(error, …)`). Then it is not 0."""
    nodes = scene.definitions.get(operand, []) if not scene.is_java and ir.is_temporary(operand) else []
    call = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    if not isinstance(call, ir.Call) or call.kind != "function" or not call.args or ir.is_literal(call.args[0]):
        return ""
    target = scene.linked.targets.get(nodes[0])
    if target is not None and not target.procedures and _is_of_what_is_there(scene, target):
        return call.args[0]
    if len(call.args) != 1:
        return ""
    bodies = [scene.queries.procedure(key) for key in target.procedures] if target is not None else []
    is_known = any(body is not None and body.kind != "macro" for body in bodies)
    status = call.args[0]
    return "" if is_known or _FAILING.isdisjoint(words_of(call.name)) or "*" in scene.type_of(status) else status


def _is_of_what_is_there(scene: Scene, target: Target) -> bool:
    """Whether a function of a library is true only where its first argument is not null."""
    model = scene.queries.model(target.models, target.parameters) if target.models else None
    told = (Condition(RESULT, "!=", "=0"), Condition(("$0",), "!=", "=null"))
    return model is not None and told in model.cases


def question(scene: Scene, node: int, site: CallSite) -> Question | None:
    """What the call at a node asks; None where the same call may answer something else the next time, or where
    something is known of the answer itself, other than that it compares texts."""
    effects = _effects(scene, node, site)
    if effects is None or (site.result and not is_comparing(scene, node, site.call)):
        return None
    operands = ([site.call.receiver] if site.call.receiver else []) + list(site.call.args)
    places = [_place(scene, operand) for operand in operands]
    asked = [place for place in places if not ir.is_literal(place[0])]
    if any(not place[0] or ir.is_temporary(place[0]) for place in asked):
        return None
    roots = dict.fromkeys([place[0] for place in asked] + [path[0] for path in effects.reads if path[0][:2] == "::"])
    fields = [name for place in asked for name in place[1:]] + [path[-1] for path in effects.reads if len(path) > 1]
    written = ", ".join(".".join(place) for place in places)
    root = next(iter(roots), "")
    subject = (root, f"?{site.call.qualifier}.{site.call.name}({written})")
    name = site.call.name if scene.is_java else name_of(scene, node, site.call)
    return Question(subject, tuple(roots), tuple(dict.fromkeys(fields)), name, tuple(tuple(place) for place in places))


def is_repeatable(scene: Scene, node: int, site: CallSite) -> bool:
    """Whether a call only looks."""
    return _effects(scene, node, site) is not None


def _effects(scene: Scene, node: int, site: CallSite) -> Effects | None:
    """The Effects of a call that only looks: known to be so, or a question to code that nobody knows: in Java by its name
    (`isOpen()`), in C one without arguments (`debugging()`), or by its name (`str_is_empty(text)`). Callees of Java that no handle
    reaches are looked into here only."""
    if not site.call.dst or site.acquired:
        return None
    effects = site.effects
    if effects is None:
        name = site.call.name
        if site.call.kind == "pointer" or (site.call.args and (scene.is_java or not _is_about_content(name))):
            return None
        is_asked = name[:2] == "is" and name[2:3].isupper() if scene.is_java else MOVING.isdisjoint(words_of(name))
        return Effects() if is_asked else None
    if effects.is_pure or (site.is_library and effects.inner and not effects.transfers and _is_steady(scene, site.call)):
        return effects
    target = scene.linked.targets.get(node)
    if not scene.is_java or effects != Effects() or target is None or not 0 < len(target.procedures) <= MAX_BODIES:
        return None
    bodies = [scene.queries.effects(key) for key in target.procedures]
    if not all(each.is_pure for each in bodies):
        return None
    return Effects(reads=tuple(dict.fromkeys(path for each in bodies for path in each.reads)))


def _is_steady(scene: Scene, call: ir.Call) -> bool:
    """Whether a call of C looks for something in a text that nobody changes (`strchr(entry->pattern, '%')`)."""
    written = "".join(scene.type_of(call.args[0]).split()) if call.args and not scene.is_java else ""
    return written in TEXTS


def _is_about_content(name: str) -> bool:
    """Whether a function of C that nobody knows asks by its name what something is, not how far it has come (`str_is_empty`)."""
    words = words_of(name)
    return "is" in words[:-1] and PASSING.isdisjoint(words)


def _place(scene: Scene, operand: str) -> Sequence[str]:
    """An operand by the variable that it comes from."""
    return scene.loaded_from((operand,))
