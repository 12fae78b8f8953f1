"""What a library of C is given together with a function: the one that frees it, `subscribe(bus, on_change, data, g_free)`, or the one
that gets it later, `g_task_new(self, cancellable, when_done, data)`; or one of the program that gets the object of the call back, and ends it.

A pointer before a function that is named like a release, and a pointer behind a function that the caller may have got itself, is how
libraries take things over for as long as they need them (GLib's GDestroyNotify and GAsyncReadyCallback, SQLite's destructors).
Only where nothing better is told of the argument, and not where the library calls back at once (`foreach`, `sort`). Errs towards
taking: what such a call does not end is not reported.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.moves import handed_on
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_releaser, words_of
from analyzers.queries import ProcedureKey
from analyzers.summaries import AccessPath, Certainty, Effects, Outcome, Transfer

_FIRST = 1
"""The first argument that may be taken so: before it stands the object whose elements the function is for (`list_init(list, free)`)."""

_SOURCE = "$0"
"""The object that a call is made on, which a function that is called later gets first."""

_AT_ONCE = frozenset(("all", "bsearch", "each", "every", "filter", "find", "fold", "foreach", "iter", "iterate", "lookup", "map", "search", "sort", "sorted", "traverse", "visit", "walk"))
"""Words in names of what calls back only before it returns."""

_CALLED = ("callback", "cb", "func", "function", "handler", "notify")
"""How the names of types of functions end."""


def with_notified(effects: Effects | None, call: ir.Call, scene: Scene) -> Effects | None:
    """Effects of a call of a library that also takes what stands before a function that frees it, or behind one that gets it later."""
    if effects is None or scene.is_java:
        return effects
    told = {each.entry for each in effects.transfers if each.entry and any(one.certainty is Certainty.MUST for one in each.outcomes)}
    is_later = not effects.invokes and _AT_ONCE.isdisjoint(words_of(call.name))
    taken: list[AccessPath] = [
        (f"${position}",) for position, argument in enumerate(call.args)
        if position >= _FIRST and (f"${position}",) not in told and argument and not ir.is_literal(argument)
        and (is_releaser(function_of(_at(call, position + 1), scene)) or (is_later and _is_given_function(_at(call, position - 1), scene)))
    ]
    if is_later and (_SOURCE,) not in told and _is_ended_by_callback(call, scene):
        taken.append((_SOURCE,))
    return _taking(effects, taken)


def with_own_end(effects: Effects, call: ir.Call, scene: Scene) -> Effects:
    """Effects of a call of a function of the program that takes what stands before a function that frees it: that is why it is told. What
    becomes of it in there may go through copies and lists that nobody follows; where its body releases it, or keeps it, that is known."""
    if scene.is_java or len(call.args) < _FIRST + 1:
        return effects
    told = {each.entry for each in effects.transfers if each.entry and any(one.fate in ("released", "retained") for one in each.outcomes)}
    taken: list[AccessPath] = [
        (f"${position}",) for position, argument in enumerate(call.args)
        if position >= _FIRST and (f"${position}",) not in told and argument and not ir.is_literal(argument)
        and is_releaser(function_of(_at(call, position + 1), scene))
    ]
    if (_SOURCE,) not in told and _AT_ONCE.isdisjoint(words_of(call.name)) and _is_ended_by_callback(call, scene):
        taken.append((_SOURCE,))
    return _taking(effects, taken)


def _is_ended_by_callback(call: ir.Call, scene: Scene) -> bool:
    """Whether a call on an object is given a function of the program that releases its own first parameter: `ask(proxy, …, when_answered, data)`
    has `when_answered` get the proxy back, and end it. Not what stands in the place of the object, or is no variable."""
    if not call.args or not call.args[0] or ir.is_literal(call.args[0]) or function_of(call.args[0], scene):
        return False
    names = (function_of(argument, scene) for argument in call.args[_FIRST:])
    found = [key for name in names if name and not is_releaser(name) for key in scene.queries.functions(scene.linked.key.path, name)]
    return any(_ends_first(scene, key) for key in found)


def _ends_first(scene: Scene, key: ProcedureKey) -> bool:
    """Whether a function releases its first parameter, under whatever name (`proxy = G_DBUS_PROXY(source)`)."""
    body = scene.queries.procedure(key)
    if body is None or not body.parameters:
        return False
    names = handed_on(body.nodes, body.parameters[0], _is_cast)
    addresses = {node.dst for node in body.nodes if isinstance(node, ir.AddressOf) and not node.field and node.base in names}
    return any(
        isinstance(node, ir.Call) and ((is_releaser(node.name) and not names.isdisjoint(node.args)) or (_is_clearing(node.name) and not addresses.isdisjoint(node.args)))
        for node in body.nodes
    )


def _is_clearing(name: str) -> bool:
    """Whether a function ends what the variable holds whose address it gets (`g_clear_object(&proxy)`)."""
    return is_releaser(name) or "clear" in words_of(name)


def _is_cast(node: ir.Instruction, names: set[str]) -> bool:
    """Whether an instruction hands on one of some variables by a macro of a type."""
    return isinstance(node, ir.Call) and node.name.isupper() and len(node.args) == 1 and node.args[0] in names


def _taking(effects: Effects, taken: list[AccessPath]) -> Effects:
    if not taken:
        return effects
    kept = tuple(each for each in effects.transfers if each.entry not in taken)
    made = tuple(Transfer(entry, "", "", (Outcome("return", (), "retained"),)) for entry in taken)
    return msgspec.structs.replace(effects, transfers=(*kept, *made), retains=tuple(dict.fromkeys((*effects.retains, *taken))))


def _at(call: ir.Call, position: int) -> str:
    return call.args[position] if position < len(call.args) else ""


def function_of(argument: str, scene: Scene) -> str:
    """The name of the function that an argument is; empty for anything else."""
    if argument.startswith("=&"):
        return argument[2:].removeprefix("::")
    place = scene.loads.get(argument, ("",))
    return place[0][2:] if len(place) == 1 and place[0][:2] == "::" else ""


def _is_given_function(argument: str, scene: Scene) -> bool:
    """Whether an argument is a function that the caller has been given itself: by its type, or by what its type is called."""
    if argument not in scene.formals:
        return False
    written = scene.type_of(argument)
    return "(*" in "".join(written.split()) or ("*" not in written and words_of(written)[-1:] != () and words_of(written)[-1] in _CALLED)


_CONNECTING = (
    "g_signal_connect", "g_dbus_connection_signal_subscribe", "g_dbus_connection_register_", "g_dbus_connection_add_filter",
    "g_dbus_connection_export_", "soup_server_add_",
)  # fmt: skip
"""How calls begin that connect handlers to signals, calls or messages which their first argument gets."""


def is_connecting(call: ir.Call) -> bool:
    """Whether a call connects a handler to a signal of its first argument: the handler is called as long as that lives."""
    return call.name.startswith(_CONNECTING) and bool(call.args)
