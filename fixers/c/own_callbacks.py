"""Objects of GLib that keep themselves: the function that begins them hands them to callbacks, which come when the maker is long done.

`static void panel_init (Panel *panel) { … g_signal_connect (panel->dialog, "response", G_CALLBACK (on_response), panel); }`: who drops the
only reference behind `panel_show (panel)` takes it from under the dialog. The function, which is mostly static, is found by the name that the type asks for. Doubts
more than it must where the callbacks end with the object, as those of its own children do; misses objects that others hand to callbacks.
"""

from __future__ import annotations

import re

from analyzers import Program, ir
from fixers.leak import Leak

_RESOURCE = "g_object"
_BEGINNING = ("init", "constructed", "constructor")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word of a type's name ends (`CajaImageResizer`)."""


def kept_by_itself(program: Program, leak: Leak) -> str:
    """Why an object may be used when its maker has released it; empty for no reason."""
    if leak.resource != _RESOURCE or leak.finding.language != "c":
        return ""
    for written in _types(leak):
        stem = "_".join(_HUMP.split(written)).lower()
        for word in _BEGINNING:
            name = f"{stem}_{word}"
            keys = [key for path in program.mentioning(name) for key in program.procedures_of(path) if key.name == name]
            if any(("$0",) in program.effects(key).retains for key in keys):
                return f"`{name}` hands the object to callbacks, which may come later"
    return ""


def _types(leak: Leak) -> tuple[str, ...]:
    """What the object may be, by the variables that it is put in and the results that it comes from."""
    linked, name = leak.linked, leak.finding.variable
    low, high = leak.finding.acquired.start, leak.finding.acquired.end
    found = [linked.types.get(name, ""), *(each.type for each in linked.body.variables if each.name == name)]
    for node, call in enumerate(linked.body.nodes):
        target = linked.targets.get(node)
        if isinstance(call, ir.Call) and target is not None and (linked.body.start + call.start, linked.body.start + call.end) == (low, high):
            found.append(target.result)
    words = ("".join(each.replace("const ", "").replace("*", " ").split()) for each in found)
    return tuple(dict.fromkeys(each for each in words if each and each not in ("GObject", "gpointer", "void", "GtkWidget")))
