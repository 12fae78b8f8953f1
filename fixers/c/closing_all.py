"""Calls of C that close every descriptor from a number on (`closefrom(3)`): what is open before them is closed by them, and needs no `close`.

They are known by name. Says too much of descriptors below that number; misses such functions of other names.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.facts import Facts
from fixers.leak import Leak
from fixers.obliged import sites_of

_ALL = re.compile(r"_*close_?(?:all|from|range)(?:_?(?:fds?|files|descriptors))?")


def closes_the_rest(leak: Leak) -> str:
    """The call that all ways run through from an acquired descriptor to where it is lost, and that closes whatever is open; empty for none."""
    body = leak.linked.body
    closing = {node: each.name for node, each in enumerate(body.nodes) if isinstance(each, ir.Call) and each.kind == "function" and _ALL.fullmatch(each.name)}
    if leak.resource != "descriptor" or not closing:
        return ""
    stack = list(sites_of(Facts(leak.linked, leak.effects), leak.finding))
    met, seen = [], set(stack)
    lost = {each.start - body.start for each in (leak.finding.lost, *leak.finding.exits)}
    while stack:
        node = stack.pop()
        if node in closing:
            met.append(node)
            continue
        if body.nodes[node].start in lost:
            return ""
        added = [each for each in (*leak.linked.next[node], *leak.linked.raises[node]) if each not in seen]
        seen.update(added)
        stack += added
    return closing[min(met)] if met else ""
