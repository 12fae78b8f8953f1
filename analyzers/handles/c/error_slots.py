"""Errors that functions of C leave behind a pointer: `file = open_file(name, &error)`.

By the convention of GLib, XCB, and of who follows it, a call says through its last argument, of type `SomeError **`, that it
has failed, and then hands out nothing: what it hands out is told together with no error. Misses a leak of what a
function hands out although it reports an error.
"""

from __future__ import annotations

import fnmatch

import msgspec

from analyzers import ir
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import Condition, Effects, Outcome, Transfer

_SUFFIX = "error"
"""How the names of types of errors end: `GError`, `xcb_generic_error_t`."""


_RESOURCE, _TYPE = "glib-error", "GError"

_COUNTING = ("*_read", "*_write", "*_skip", "*_splice", "*_peek*", "*_fill", "*_send*", "*_receive*", "*_nonblocking", "*_finish")
"""Functions of GLib that say -1 where they fail, or may."""

_FINDING = (
    "*_next*", "*_get_*", "*_has_*", "*_is_*", "*_lookup*", "*_match*", "*_read_*line*", "*_read_up*", "*_read_until*", "*_read_byte*", "*_read_int*", "*_read_uint*",
    "*_iterate*", "*_try_*", "*_find*", "*_query_default*", "*_list*", "*_poll*", "*_wait", "*_ascii_string_to*", "*_io_channel_*",
)
"""Functions of GLib that also find nothing, without an error."""


def with_error(effects: Effects | None, call: ir.Call, scene: Scene, result: str) -> Effects | None:
    """Effects of a call of GLib with the error that it makes where it fails: what its last argument is the address of is the caller's
    then, who sees it by the result (`result` is its type, empty where nobody declares it), and asks. None stays None."""
    last = len(call.args) - 1
    if effects is None or last < 0 or scene.is_java or not call.name.startswith(("g_", "gdk_", "gtk_")):
        return effects
    if call.name.rpartition("_")[2] in ("error", "literal") or any(fnmatch.fnmatchcase(call.name, each) for each in _FINDING):
        return effects
    slot = scene.addresses.get(call.args[last], ())
    place = (f"${last}", "*")
    if len(slot) != 1 or "".join(scene.type_of(slot[0]).split()) != _TYPE + "*":
        return effects
    if any(each.entry == place or any(place in outcome.paths for outcome in each.outcomes) for each in effects.transfers):
        return effects
    is_pointer = "*" in (result or scene.type_of(call.dst)) or any(RESULT in outcome.paths for each in effects.transfers for outcome in each.outcomes)
    is_counting = any(fnmatch.fnmatchcase(call.name, each) for each in _COUNTING)
    branches = [node for node in scene.nodes if isinstance(node, ir.Branch)]
    failed: tuple[Condition, ...] = ()
    if call.dst and any(_asks(each, call.dst, is_counting=is_counting and not is_pointer) for each in branches):
        failed = (Condition(RESULT, "==", "=null" if is_pointer else "=-1" if is_counting else "=0"),)
    elif last == 0 or _is_tested(scene, call.dst, branches) or not any(each.left == slot[0] for each in branches):
        return effects  # Where the result is asked in another way, too, that may say that there is no error.
    error = Transfer((), _RESOURCE, _TYPE, (Outcome("return", failed, "held", (place,)),))
    return msgspec.structs.replace(effects, transfers=(*effects.transfers, error))


def _is_tested(scene: Scene, name: str, branches: list[ir.Branch]) -> bool:
    """Whether a branch looks at a result, or at a copy of it, or may do so where it is stored."""
    names = {name, *(each.dst for each in scene.copies.get(name, ()))} if name else set()
    is_stored = any(isinstance(node, ir.Store | ir.StoreElement) and node.src in names for node in scene.nodes)
    return is_stored or any(not names.isdisjoint((each.left, each.right)) for each in branches)


def _asks(branch: ir.Branch, name: str, *, is_counting: bool) -> bool:
    """Whether a branch asks whether a call has failed, by its result."""
    if branch.left != name:
        return False
    return branch.right == ("=-1" if is_counting else "=null") or (not is_counting and (branch.operator == "true" or branch.right == "=0"))


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
