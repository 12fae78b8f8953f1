"""Objects of C that belong to another one, and that the function ends all the same: `parent = device_parent(dev); …; device_unref(parent);`.

A library that hands out what belongs to `dev` ends it with `dev`: as long as `dev` is lost, ending the other one by itself goes well, and where a patch ends
`dev`, too, it is ended twice. Flow-insensitive. Refuses too much where the library has given a share after all, which its model then does not know.
"""

from __future__ import annotations

from analyzers import ir
from fixers.c.shared import calls_of
from fixers.leak import Candidate, Leak


def ends_its_part(leak: Leak, proposed: Candidate) -> str:
    """Why something would be ended twice by a proposal that ends what it belongs to; empty where nothing is."""
    text = "".join(edit.text for edit in proposed.edits)
    nodes = leak.linked.body.nodes
    names = dict.fromkeys((leak.finding.variable, *(ir.source_name(each.name) for each in leak.linked.body.variables if each.kind != "temporary")))
    for name in names:
        ends = calls_of(text, name) if name else []
        parts = {
            call.dst for node, call in enumerate(nodes)
            if isinstance(call, ir.Call) and call.dst and ir.source_name(call.dst) != name and name in map(ir.source_name, call.args) and _gives_a_part(leak, node)
        } if ends else set()
        parts |= {copy.dst for copy in nodes if isinstance(copy, ir.Copy) and copy.src in parts}
        for call in nodes:
            if isinstance(call, ir.Call) and call.name in ends and call.args[:1] and call.args[0] in parts:
                return f"`{ir.source_name(call.args[0])}` belongs to `{name}`, and `{call.name}` has ended it by itself"
    return ""


def _gives_a_part(leak: Leak, node: int) -> bool:
    """Whether a call of a library makes nothing, for all that is known of it."""
    known, target = leak.effects.get(node, ()), leak.linked.targets.get(node)
    is_of_library = target is not None and not target.procedures
    return is_of_library and bool(known) and all(each.is_known and all(transfer.entry for transfer in each.transfers) for each in known)
