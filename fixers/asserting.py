"""Functions of C that end the program unless what they are to release is in a certain state: `assert(job->status >= 0); free(job);`.

The code calls them where it knows that state; who calls them elsewhere, as a patch does, may end the program. Looks at the function itself
alone: misses what the functions assert that it calls.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.graphs.operands import used
from analyzers.handles.unknown import words_of


def asserted(program: Program, after: Facts, ours: Iterable[int]) -> str:
    """A function that a patch calls, which asserts something of a member of its first argument; empty where there is none."""
    for node in sorted(ours):
        target = after.linked.targets.get(node)
        for key in target.procedures if target is not None else ():
            known = facts(program, key)
            if known is not None and known.linked.body.kind == "function" and known.linked.body.parameters and _asserts(known):
                return key.name
    return ""


def _asserts(known: Facts) -> bool:
    body, following = known.linked.body, known.linked.next
    looked: set[str] = set()
    for node in body.nodes:
        match node:
            case ir.Load(dst=dst, base=base) if base in looked or (base == body.parameters[0] and node.field):
                looked.add(dst)
            case ir.AddressOf(dst=dst, base=base, field=field) if base == body.parameters[0] and field:
                looked.add(dst)
            case ir.Op(dst=dst) | ir.Call(dst=dst) if dst and ir.is_temporary(dst) and not looked.isdisjoint(used(node)):
                looked.add(dst)
            case _:
                pass
    ends = {at for at, node in enumerate(body.nodes) if isinstance(node, ir.Call) and not following[at]}
    return any(
        (isinstance(node, ir.Branch) and not looked.isdisjoint(used(node)) and any(each in ends for each in following[at]))
        or (isinstance(node, ir.Call) and "assert" in words_of(node.name) and not looked.isdisjoint(node.args))
        for at, node in enumerate(body.nodes)
    )
