"""Places for errors of GLib that are handed to a second call: they have to be empty then, and `g_error_free(error)` leaves them full.

A call that finds something there neither replaces it nor says that it has failed, and what is there is gone. Errs towards doubt: a place
that is emptied by hand is only known where a plain assignment does it.
"""

from __future__ import annotations

from collections.abc import Set

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.cfg import reached
from analyzers.graphs.operands import assigned
from fixers.leak import Leak

ERROR = "glib-error"
"""The resource."""

CLEARING = "g_clear_error"
"""What frees an error and empties its place."""

_FREEING = "g_error_free"


def is_asked_twice(leak: Leak, target: str) -> bool:
    """Whether an error lies in a variable of which several calls get the address, or one in several turns of a loop."""
    if leak.resource != ERROR:
        return False
    nodes = leak.linked.body.nodes
    places = {each.dst for each in nodes if isinstance(each, ir.AddressOf) and not each.field and ir.source_name(each.base) == target}
    asking = [at for at, each in enumerate(nodes) if isinstance(each, ir.Call) and not places.isdisjoint(each.args)]
    return len(asking) > 1 or any(at in reached(leak.linked.next, following) for at in asking for following in leak.linked.next[at])


def handed_on_full(after: Facts, ours: Set[int]) -> str:
    """A function that is handed the place of an error which a patch has freed and left there; empty where none is."""
    nodes = after.linked.body.nodes
    places = {each.dst: each.base for each in nodes if isinstance(each, ir.AddressOf) and each.base and not each.field}
    for node in sorted(ours):
        call = nodes[node]
        if not isinstance(call, ir.Call) or call.name != _FREEING or not call.args:
            continue
        name, seen, waiting = call.args[0], {node}, list(after.cfg.successors[node])
        while waiting:
            at = waiting.pop()
            each = nodes[at]
            if isinstance(each, ir.Call) and any(places.get(argument) == name for argument in each.args):
                return each.name
            if at not in seen and name not in assigned(each):
                waiting += after.cfg.successors[at]
            seen.add(at)
    return ""
