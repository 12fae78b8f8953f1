"""Objects of GTK that nobody owns at first: `GtkWidget *page = g_object_new (PAGE_TYPE, NULL);` floats.

A widget (a cell renderer, a column, an adjustment) belongs to the first who takes it, mostly the container that it is put into, and
GTK has no more to be told; so does a variant that a property or a value gets. It is seen by the declared type of the variable, by a type of GTK that it is made of, or where it is cast to one of these types: any other widget in a
variable of its own class is an object like others. An object that is made and given no name (`g_object_new (MONITOR_TYPE, NULL);`) is made for what its construction does, and keeps itself.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.scene import RESULT, Scene
from analyzers.summaries import Effects

_MAKING = frozenset(("g_object_new", "g_object_new_with_properties", "g_object_new_valist"))
_FLOATING = frozenset(("GtkWidget*", "GtkCellRenderer*", "GtkTreeViewColumn*", "GtkAdjustment*", "ClutterActor*"))
"""The types below which all is born floating, without blanks."""

_CASTS = frozenset(("GTK_WIDGET", "GTK_WINDOW", "GTK_DIALOG", "GTK_CONTAINER", "GTK_BOX", "GTK_POPOVER", "ADW_DIALOG"))
"""Casts to widgets. A window has an owner besides: the list of all windows, until it is destroyed."""

_OF_WIDGETS = ("GTK_TYPE_", "ADW_TYPE_", "HDY_TYPE_")
"""With what the macros begin that name the types of widgets."""

_COUNTED = frozenset((
    "ACTION", "ANIMATION", "APPLICATION", "ATTRIBUTES", "BUFFER", "BUILDER", "CLICK", "COMPLETION", "CONTEXT", "CONTROLLER", "DRAG", "EXPRESSION",
    "FACTORY", "FILTER", "FOCUS", "GESTURE", "GROUP", "KEY", "LAYOUT", "MANAGER", "MARK", "MODEL", "MONITOR", "MOTION", "NATIVE", "OPERATION", "PRESS",
    "PROVIDER", "RECENT", "SELECTION", "SETTINGS", "SETUP", "SHORTCUT", "SIZE", "SORTER", "STORE", "SWIPE", "TABLE", "TAG", "TARGET", "THEME", "TRIGGER", "ZOOM",
))
"""How such names end where the type is none: what is made of it has an owner from its beginning."""

_VARIANTS = "g_variant_new"
"""With what the names of the functions begin that make a variant; it floats, too."""

_SINKING = frozenset(("g_object_set", "g_value_set_variant"))
"""What counts one more of a variant that it gets, but takes one that floats."""


def without_floating(effects: Effects | None, call: ir.Call, scene: Scene) -> Effects | None:
    """Effects of a call that makes an object which floats, or keeps itself: nobody owes its release. None stays None."""
    is_variant = call.name.startswith(_VARIANTS)
    if effects is None or scene.is_java or not (is_variant or call.name in _MAKING):
        return effects
    names = (call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))) if call.dst else ()
    if is_variant:
        is_sunk = any(isinstance(node, ir.Call) and node.name in _SINKING and not set(names).isdisjoint(node.args) for node in scene.nodes)
        return _unowed(effects) if is_sunk else effects
    if _is_of_a_widget(call, scene):
        return _unowed(effects)
    is_cast = any(isinstance(node, ir.Call) and node.name in _CASTS and not set(names).isdisjoint(node.args) for node in scene.nodes)
    if names and not is_cast and not any("".join(scene.type_of(name).split()) in _FLOATING for name in names):
        return effects
    return _unowed(effects)


def _is_of_a_widget(call: ir.Call, scene: Scene) -> bool:
    """Whether the type that an object is made of is one of GTK's below the widgets, cells and adjustments, by its name."""
    type_name = call.args[0] if call.args else ""
    names = [node.field for node in scene.nodes if isinstance(node, ir.Load) and node.dst == type_name and not node.base]
    return bool(names) and all(each.startswith(_OF_WIDGETS) and each.rpartition("_")[2] not in _COUNTED for each in names)


def _unowed(effects: Effects) -> Effects:
    """Effects without what they make for the caller to release."""
    kept = tuple(each for each in effects.transfers if each.entry or all(end.paths != (RESULT,) for end in each.outcomes))
    return msgspec.structs.replace(effects, transfers=kept)
