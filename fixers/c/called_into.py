"""Libraries that a program has loaded and called (C): what they have registered, started or handed out may lie in them when they are unloaded.

Where the procedure itself unloads one behind such a call, it knows of nothing. Flow-sensitive as to the calls that come before a release;
which library a pointer leads into is not asked. Errs towards doubt.
"""

from __future__ import annotations

from analyzers import ir
from fixers.c.ground import Choice, Ground
from fixers.freed import released_by

_UNLOADED = "shared-object"


def called_into(ground: Ground, choice: Choice) -> str:
    """Why a library may be in use still where a choice unloads it; empty where it is not, or something else is released."""
    if ground.leak.resource != _UNLOADED:
        return ""
    nodes, cfg = ground.facts.linked.body.nodes, ground.facts.cfg
    called = {node: each.name for node, each in enumerate(nodes) if isinstance(each, ir.Call) and each.kind == "pointer"}
    behind = {node for each in called for node in cfg.reachable_from(each)}
    if any(isinstance(each := nodes[node], ir.Call) and choice.place[0] in released_by(ground.facts, node, each) for node in behind):
        return ""
    found = next((name for spot in choice.spots for each, name in called.items() if spot.node in cfg.reachable_from(each)), "")
    return f"what `{ir.source_name(found)}` has left behind may lie in it" if found else ""
