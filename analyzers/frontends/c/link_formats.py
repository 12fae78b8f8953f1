"""What GLib fills by a format, or by the names of properties: `g_variant_get(v, "(si)", &name, &count)`, `g_object_get(o, "name", &name, NULL)`.

Such a call becomes one of the same function whose places stand in a fixed order: `g_variant_get.filled`, of which specs know which of them get
what. Who fills by names says nothing of types: there the type of the variable tells, and only local variables count; what classes of the tree declare to be a plain pointer is lent.
Misses what stands behind the first place that is not understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.queries import Queries

FILLED = ".filled"
"""What specs add to the name of a function to say how it is called here."""

PERHAPS = ".perhaps"
"""The same where something is filled that may not have to be released: specs assume it."""

KINDS = ("text", "variant", "iterator", "texts", "object")
"""What a place gets that somebody has to release, in the order of arguments; as many of each as `SLOTS` says."""

SLOTS = 4

_FORMATS = {"g_variant_get": 1, "g_variant_get_child": 2, "g_variant_lookup": 2, "g_variant_iter_next": 1, "g_variant_iter_loop": 1, "g_variant_dict_lookup": 2, "g_settings_get": 2}
"""Functions that fill by a format, and where that stands."""

_NAMED = {"g_object_get": 1, "gtk_tree_model_get": 2, "gtk_widget_style_get": 1, "gtk_style_context_get_style": 1}
"""Functions that fill by names or numbers that stand before each place, and where the first of them stands."""

_OF_OBJECTS = "g_object_get"

_POINTER = "g_param_spec_pointer"

_HOLDING_ADDRESSES = ("gtk_tree_model_get",)

_BASIC = "bynqiuxthd"
_TEXTS = "sog"
_BOXED = {"GVariant": "variant", "gchar": "text", "char": "text"}
_NO_OBJECTS = (
    "GArray", "GByteArray", "GBytes", "GDate", "GDateTime", "GError", "GHashTable", "GList", "GPtrArray", "GQueue", "GRegex", "GSList", "GString", "GStrv", "GTimeZone", "GTree",
    "GIOChannel", "GKeyFile", "GMainContext", "GMainLoop", "GNode", "GParamSpec", "GSource", "GTimer", "GVariantType", "GType", "GUri", "GValue", "GValueArray", "GdkColor", "GdkEvent", "GdkRGBA", "GdkRectangle", "GtkBorder", "GtkTextIter", "GtkTreeIter", "GtkTreePath",
)
"""Types of GLib that no `g_object_unref` ends."""


def with_formats(body: ir.Procedure, queries: Queries) -> ir.Procedure:
    """A procedure with such calls in the order that specs know."""
    places = [(place, node) for place, node in enumerate(body.nodes) if isinstance(node, ir.Call) and node.kind == "function" and (node.name in _FORMATS or node.name in _NAMED)]
    if not places:
        return body
    types = {each.name: each.type for each in body.variables if each.kind == "local"}
    addressed = {node.dst: types.get(node.base, "") for node in body.nodes if isinstance(node, ir.AddressOf) and not node.field}
    nodes = list(body.nodes)
    for place, call in places:
        if queries.model((call.name + FILLED,), ()) is None:
            continue
        filled = list(_by_format(call)) if call.name in _FORMATS else list(_by_type(call, addressed))
        if filled and call.name == _OF_OBJECTS:
            plain = pointer_properties(queries)
            filled = [(kind, argument) for kind, argument in filled if _plain_name(call, argument) not in plain]
        if filled:
            nodes[place] = _ordered(call, filled)
    return body if nodes == list(body.nodes) else msgspec.structs.replace(body, nodes=tuple(nodes))


def _ordered(call: ir.Call, filled: Sequence[tuple[str, str]]) -> ir.Call:
    """The call with its first argument, the places by their kinds, and all that is left."""
    slots = []
    for kind in KINDS:
        found = [argument for each, argument in filled if each == kind][:SLOTS]
        slots += [*found, *["=null"] * (SLOTS - len(found))]
    rest = [argument for argument in call.args[1:] if argument not in slots]
    is_doubtful = call.name in _HOLDING_ADDRESSES and any(kind == "object" for kind, _ in filled)
    return msgspec.structs.replace(call, name=call.name + (PERHAPS if is_doubtful else FILLED), args=(call.args[0], *slots, *rest))


def _by_type(call: ir.Call, types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the places get that names stand before, by the types of their variables."""
    for argument in call.args[_NAMED[call.name] + 1 :: 2]:
        words = types.get(argument, "").replace("*", " * ").split()
        if words.count("*") == 1 and len(words) == 2:
            kind = _BOXED.get(words[0], "object" if words[0][:1] == "G" and words[0][1:2].isalpha() and words[0] not in _NO_OBJECTS else "")
            if kind:
                yield kind, argument


def pointer_properties(queries: Queries) -> frozenset[str]:
    """The names of the properties that classes of the tree declare to be plain pointers: nothing of them is copied or counted up.

    Classes are told apart by nothing: errs towards what is a pointer somewhere.
    """
    bodies = (queries.procedure(key) for key in queries.callers(_POINTER))
    return frozenset(
        plain_property(node.args[0]) for body in bodies if body is not None for node in body.nodes
        if isinstance(node, ir.Call) and node.name == _POINTER and node.args
    )


def plain_property(name: str) -> str:
    """The name of a property in one of its two spellings."""
    return name.replace("_", "-")


def _plain_name(call: ir.Call, argument: str) -> str:
    """The name that stands before a place."""
    return plain_property(call.args[call.args.index(argument) - 1])


def _by_format(call: ir.Call) -> Iterator[tuple[str, str]]:
    """What the places get that a format tells of."""
    at = _FORMATS[call.name]
    if len(call.args) <= at or call.args[at][:2] != '="':
        return
    kinds = _kinds(call.args[at][2:-1])
    for kind, argument in zip(kinds, call.args[at + 1 :], strict=False):
        if not kind:
            continue
        if kind == "?":
            return
        if not ir.is_literal(argument):
            yield kind, argument


def _kinds(text: str) -> Iterator[str]:
    """What each place of a format gets: one of `KINDS`, nothing that has to be released, or "?" where it is not understood."""
    at = 0
    is_maybe = False
    while at < len(text):
        sign, at = text[at], at + 1
        if sign in "(){} ":
            is_maybe = False
            continue
        if sign == "m":
            is_maybe = True
            continue
        if is_maybe and sign in _BASIC + "(":
            yield ""  # whether there is one
        is_maybe = False
        if sign in _BASIC:
            yield ""
        elif sign in _TEXTS:
            yield "text"
        elif sign in "v*?r":
            yield "variant"
        elif sign == "&":
            at += 1
            yield ""
        elif sign == "a":
            at = _past_type(text, at)
            yield "iterator"
        elif sign == "@":
            at = _past_type(text, at)
            yield "variant"
        elif sign == "^":
            written, at = _converted(text, at)
            yield {"as": "texts", "ao": "texts", "aay": "texts", "ay": "text", "a&s": "text", "a&o": "text", "a&ay": "text", "&ay": ""}.get(written, "?")
        else:
            yield "?"


def _past_type(text: str, at: int) -> int:
    """Where a type ends that begins there."""
    while at < len(text) and text[at] in "am":
        at += 1
    depth = 0
    while at < len(text):
        depth += (text[at] in "({") - (text[at] in ")}")
        at += 1
        if depth <= 0:
            break
    return at


def _converted(text: str, at: int) -> tuple[str, int]:
    """The type of C's that `^` asks for, and where it ends."""
    for written in ("a&ay", "&ay", "aay", "a&s", "a&o", "as", "ao", "ay"):
        if text.startswith(written, at):
            return written, at + len(written)
    return "", len(text)
