"""Where a descriptor may itself be the standard one that `dup2` was to make of it (C).

`dup2(fd, 1)` does nothing where `fd` is 1, since standard output was closed before `fd` was opened. To close `fd` then
closes what the function has just set up, so a release behind it asks: `if (fd > 2)`. Follows what the result of `dup2` says,
by the branch that tests it; errs towards asking.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.facts import Facts
from fixers.needed_members import branch_answer
from fixers.paths.names import COPYING


def made_of(facts: Facts, name: str, node: int) -> tuple[str, ...]:
    """The second arguments of the calls that may have made standard descriptors, or others, of a variable before a node."""
    linked = facts.linked
    found: dict[str, None] = {}
    for at in facts.cfg.order:
        call = linked.body.nodes[at]
        is_copy = isinstance(call, ir.Call) and call.name in COPYING and len(call.args) > 1 and call.args[0] == name
        if isinstance(call, ir.Call) and is_copy and node in _reached(facts, at, call.dst, name):
            found[call.args[1]] = None
    return tuple(found)


def _reached(facts: Facts, start: int, result: str, name: str) -> set[int]:
    """The nodes that follow a call that has not failed, while a variable keeps its value."""
    linked, nodes = facts.linked, facts.linked.body.nodes
    seen: set[int] = set()
    work = list(linked.next[start])
    while work:
        node = work.pop()
        if node in seen:
            continue
        seen.add(node)
        instruction, ways = nodes[node], linked.next[node]
        if getattr(instruction, "dst", "") == name:
            continue
        if isinstance(instruction, ir.Branch) and len(ways) == 2 and result in (instruction.left, instruction.right):
            failed = branch_answer(instruction, frozenset((result,)), -1)
            made = branch_answer(instruction, frozenset((result,)), 1)
            is_of_failure = "=-1" in (instruction.left, instruction.right) or instruction.operator not in ("==", "!=")
            if failed is not None and made is not None and failed != made and is_of_failure:
                ways = ways[:1] if made else ways[1:]
        work += ways
    return seen
