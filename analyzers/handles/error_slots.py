"""Errors that functions of C leave behind a pointer: `file = open_file(name, &error)`.

By the convention of GLib, XCB, and of who follows it, a call says through its last argument, of type `SomeError **`, that it
has failed, and then hands out nothing: what it hands out is told together with no error. Misses a leak of what a
function hands out although it reports an error.
"""

from __future__ import annotations

from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Condition, Outcome

_SUFFIX = "error"
"""How the names of types of errors end: `GError`, `xcb_generic_error_t`."""


def told(scene: Scene, site: CallSite, outcome: Outcome) -> tuple[Condition, ...]:
    """What a call that acquires something leaves in places of the caller's: what is known of it, or no error."""
    if outcome.left or scene.is_java or not site.call.args or not any(path[0] == RESULT[0] for path in outcome.paths):
        return outcome.left
    last = len(site.call.args) - 1
    slot = scene.addresses.get(site.call.args[last], ())
    if len(slot) != 1 or not _is_error(scene.type_of(slot[0])):
        return ()
    return (Condition((f"${last}", "*"), "==", "=null"),)


def _is_error(written: str) -> bool:
    """Whether a type is a pointer to an error."""
    words = written.replace("*", " ").split()
    return written.count("*") == 1 and bool(words) and words[-1].lower().removesuffix("_t").endswith(_SUFFIX)
