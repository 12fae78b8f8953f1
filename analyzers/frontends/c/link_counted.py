"""Loops of C that count, and are asked behind whether they ran to their end: `for (i = 0; i < n; i++) …; if (i == n)`.

Who leaves the loop by its own test goes on where the second one holds; only a `break` comes to the other side. Counters that begin with 0 and
go by steps of one, each followed by a test, and a bound that nothing changes between both tests. Says too much where a bound is negative;
misses counters that begin elsewhere.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.operands import assigned, operands

_HOLDING = {"==": 0, ">=": 0, "!=": 1, "<": 1}
"""Which way a test goes, by how it compares the counter with its bound, where they are equal."""

_BETWEEN = 8
"""Instructions between two tests at most, and between a step and the test behind it."""


def with_counted_ends(body: ir.Procedure) -> ir.Procedure:
    """The procedure with such loops led past the second test."""
    counted = _Counted(body)
    following = list(body.next)
    for place, node in enumerate(body.nodes):
        if isinstance(node, ir.Branch) and node.operator in ("<", "!=") and len(body.next[place]) == 2 and counted.is_counter(node.left):
            beyond = counted.behind(place, node)
            if beyond is not None:
                following[place] = (body.next[place][0], beyond)
    return body if following == list(body.next) else msgspec.structs.replace(body, next=tuple(following))


class _Counted:
    def __init__(self, body: ir.Procedure) -> None:
        self._nodes, self._next = body.nodes, body.next
        self._variables = {each.name: each for each in body.variables}
        self._assigned: dict[str, list[int]] = {}
        self._read: dict[str, int] = {}
        for place, node in enumerate(body.nodes):
            for name in assigned(node):
                self._assigned.setdefault(name, []).append(place)
            for name in operands(node):
                self._read[name] = self._read.get(name, 0) + 1

    def is_counter(self, name: str) -> bool:
        """Whether a variable only ever begins with 0 and goes by steps of one."""
        variable = self._variables.get(name)
        if variable is None or variable.is_address_taken or variable.kind != "local":
            return False
        steps = [each for each in self._assigned.get(name, ()) if not self._is_start(each)]
        return 0 < len(steps) < len(self._assigned[name]) and all(self._is_step(each, name) for each in steps)

    def behind(self, place: int, test: ir.Branch) -> int | None:
        """Where a loop goes on that its test ends: behind the same question, asked again; None where nobody asks it."""
        at = self._next[place][1]
        loaded: list[str] = []
        for _ in range(_BETWEEN):
            node = self._nodes[at]
            if isinstance(node, ir.Branch):
                is_same = node.left == test.left and node.operator in _HOLDING and self._is_same(node.right, test.right)
                is_used = any(self._read.get(each, 0) != 1 for each in loaded)
                return self._next[at][_HOLDING[node.operator]] if is_same and not is_used and len(self._next[at]) == 2 else None
            if not isinstance(node, ir.Load) or not ir.is_temporary(node.dst) or len(self._next[at]) != 1:
                return None
            loaded.append(node.dst)
            at = self._next[at][0]
        return None

    def _is_start(self, place: int) -> bool:
        node = self._nodes[place]
        return isinstance(node, ir.Copy) and node.src == "=0"

    def _is_step(self, place: int, name: str) -> bool:
        """Whether an instruction makes a counter greater by one, and the next thing is a test of it."""
        node = self._nodes[place]
        if not isinstance(node, ir.Op) or node.operator != "+" or node.operands not in ((name, "=1"), ("=1", name)):
            return False
        for _ in range(_BETWEEN):
            if len(self._next[place]) != 1:
                return False
            place = self._next[place][0]
            node = self._nodes[place]
            if isinstance(node, ir.Branch):
                return node.left == name
            if not isinstance(node, ir.Load):
                return False
        return False

    def _is_same(self, one: str, other: str) -> bool:
        """Whether two operands are one variable or number, or are both read from one place."""
        if one == other:
            return bool(one)
        first, second = (self._load(each) for each in (one, other))
        if first is None or second is None or first.field != second.field:
            return False
        return first.base == second.base or self._is_same(first.base, second.base)

    def _load(self, name: str) -> ir.Load | None:
        at = self._assigned.get(name, ())
        node = self._nodes[at[0]] if len(at) == 1 and ir.is_temporary(name) else None
        return node if isinstance(node, ir.Load) else None
