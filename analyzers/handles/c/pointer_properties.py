"""Properties of GObject, and columns of GTK's stores, that are plain pointers: `g_object_new(TYPE_PACKET, "bytes", bytes, NULL)` leaves the bytes with the object.

A text that is a property is copied and an object counted up, but what a class of the tree declares by `g_param_spec_pointer` is
stored as it stands. Classes are told apart by nothing: whatever class has a pointer of that name, it is taken to be the one. A text in
a row of a store is copied, too, where the file, or else the tree, makes stores and never says `G_TYPE_POINTER`; anything else may lie in
a pointer's column of a store that was made elsewhere. Errs towards taking: what such an object does not end is not reported, and no
patch releases it.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.c.link_formats import plain_property, pointer_properties
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath, Effects, Outcome, Transfer

_SETTING = {"g_object_new": 1, "g_object_set": 1, "g_initable_new": 3, "g_object_new_with_properties": 2}
"""Calls that are given properties, each by its name and its value, and where the first name stands."""


def with_kept_properties(effects: Effects | None, call: ir.Call, scene: Scene) -> Effects | None:
    """Effects of a call that also keeps what it is given for properties that are pointers, or none of what it copies into the row of a store."""
    if call.name in _FILLING:
        return _with_copied_columns(effects, call, scene)
    first = _SETTING.get(call.name)
    if effects is None or first is None or scene.is_java:
        return effects
    pairs = [
        (call.args[at], at + 1) for at in range(first, len(call.args) - 1, 2)
        if call.args[at].startswith('="') and call.args[at + 1] and not ir.is_literal(call.args[at + 1])
    ]
    declared = pointer_properties(scene.queries) if pairs else frozenset[str]()
    taken: list[AccessPath] = [(f"${position}",) for name, position in pairs if plain_property(name) in declared]
    if not taken:
        return effects
    kept = tuple(each for each in effects.transfers if each.entry not in taken)
    made = tuple(Transfer(entry, "", "", (Outcome("return", (), "retained"),)) for entry in taken)
    return msgspec.structs.replace(effects, transfers=(*kept, *made), retains=tuple(dict.fromkeys((*effects.retains, *taken))))


def _with_copied_columns(effects: Effects | None, call: ir.Call, scene: Scene) -> Effects | None:
    """Effects of a call that fills a row of a store, which copies the texts of it where no column is a pointer."""
    if effects is None or scene.is_java or not _are_all_copied(scene):
        return effects
    texts = {f"${position}" for position, argument in enumerate(call.args) if _is_text(scene, argument)}
    return msgspec.structs.replace(
        effects,
        transfers=tuple(each for each in effects.transfers if not each.entry or each.entry[0] not in texts),
        retains=tuple(each for each in effects.retains if each[0] not in texts),
    )


def _is_text(scene: Scene, argument: str) -> bool:
    """Whether an argument is a text by its declared type, or one of several."""
    named = [node.src for node in scene.nodes if isinstance(node, ir.Copy) and node.dst == argument] if ir.is_temporary(argument) else [argument]
    words = [set(scene.type_of(each).replace("*", " * ").split()) - {"const"} for each in named if not ir.is_literal(each)]
    return bool(words) and all(each in ({"char", "*"}, {"gchar", "*"}) for each in words)


def _are_all_copied(scene: Scene) -> bool:
    """Whether the stores that are made here, or anywhere where none is made here, have no column that is a pointer."""
    makers = {path for word in _STORES for path in scene.queries.mentioning(word)}
    pointed = {path for word in _UNTYPED for path in scene.queries.mentioning(word)}
    path = scene.linked.key.path
    return path not in pointed if path in makers else bool(makers) and pointed.isdisjoint(makers)


_FILLING = frozenset(("gtk_list_store_set", "gtk_tree_store_set", "gtk_list_store_insert_with_values", "gtk_tree_store_insert_with_values"))
_STORES = ("gtk_list_store_new", "gtk_tree_store_new", "gtk_list_store_newv", "gtk_tree_store_newv")
_UNTYPED = ("G_TYPE_POINTER", "gtk_list_store_set_column_types", "gtk_tree_store_set_column_types")
