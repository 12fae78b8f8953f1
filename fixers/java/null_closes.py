"""Whether control may come to a close where the variable was just found null: a `try` that begins above the test for that, with a close in
its `finally` that asks no more, throws another exception than the test does.

Only tests of the variable itself are followed; where it is null for another reason is not seen.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.facts import Facts

_NULL = "=null"


def meets_null(facts: Facts, variable: str, methods: frozenset[str], data: bytes) -> bool:
    """Whether one of some methods is called on a variable behind a test that found it null. `data`: the file; the close that a header
    brings, which asks for null, is not written there."""
    nodes, linked = facts.linked.body.nodes, facts.linked
    seen: set[int] = set()
    waiting = [succ for number, node in enumerate(nodes) for succ in _where_null(facts, number, node, variable)]
    while waiting:
        number = waiting.pop()
        if number in seen or number < 0:
            continue
        seen.add(number)
        node = nodes[number]
        if isinstance(node, ir.Call) and ir.source_name(node.receiver) == variable and node.name in methods and not node.args:
            start = facts.linked.body.start
            if f".{node.name}".encode() in data[start + node.start : start + node.end]:
                return True
        if ir.source_name(getattr(node, "dst", "")) == variable:
            continue
        known = _where_null(facts, number, node, variable)
        waiting += known or [*linked.next[number], *linked.raises[number]]
    return False


def _where_null(facts: Facts, number: int, node: ir.Instruction, variable: str) -> list[int]:
    """Where control goes on from a test of the variable that finds it null; nothing for other instructions."""
    if not isinstance(node, ir.Branch) or node.operator not in ("==", "!="):
        return []
    sides = (node.left, node.right)
    if _NULL not in sides or variable not in map(ir.source_name, sides):
        return []
    following = facts.linked.next[number]
    return [following[0 if node.operator == "==" else 1]] if len(following) == 2 else []
