"""Conditions that nobody can judge from here: globals that the procedure only reads, functions without a body.

A leak whose path differs from one that releases only in such a condition may be none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import Effects

_ERROR = "errno"
"""What the last call of the library left behind: nobody remembers by it who owns what."""


def opaque_branches(linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> dict[int, str]:
    """Per branch that tests nothing but such a thing, its name."""
    nodes = linked.body.nodes
    assigned = {node.field for node in nodes if isinstance(node, ir.Store) and not node.base}
    named: dict[str, str] = {}
    for node, instruction in enumerate(nodes):
        match instruction:
            case ir.Load(dst=dst, base="", field=field) if field not in assigned and field != _ERROR:
                named[dst] = field
            case ir.Call(dst=dst, name=name, args=(), receiver="") if dst and _is_unknown(linked, effects, node):
                named[dst] = name
            case ir.Copy(dst=dst, src=src) if src in named:
                named[dst] = named[src]
            case _:
                pass
    found = {}
    for node, instruction in enumerate(nodes):
        if isinstance(instruction, ir.Branch):
            left = instruction.left
            if left.startswith("if%"):
                found[node] = left.removeprefix("if%")
            elif left in named and (not instruction.right or ir.is_literal(instruction.right)):
                found[node] = named[left]
    for node, name in _shifted(nodes).items():
        if not any(_is_inside(linked, node)):
            found.setdefault(node, name)
    return found


def _is_inside(linked: Linked, node: int) -> Iterator[bool]:
    """Whether a branch controls a loop: counters are changed and tested all the time."""
    at = linked.body.nodes[node]
    return (loop.start <= at.start and at.end <= loop.end for loop in linked.body.loops)


def _is_unknown(linked: Linked, effects: Mapping[int, tuple[Effects, ...]], node: int) -> bool:
    target = linked.targets.get(node)
    has_body = target is not None and bool(target.procedures)
    return not has_body and all(not each.is_known for each in effects.get(node, ()))


class Reach:
    """Per variable the nodes from which a path leads to a call that releases what it holds."""

    def __init__(self, linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> None:
        self._linked = linked
        self._effects = effects
        self._found: dict[str, frozenset[int]] = {}

    def of(self, variable: str) -> frozenset[int]:
        """The nodes for one variable."""
        found = self._found.get(variable)
        if found is None:
            found = self._found[variable] = self._solve(variable)
        return found

    def _solve(self, variable: str) -> frozenset[int]:
        nodes = self._linked.body.nodes
        before: list[list[int]] = [[] for _ in nodes]
        for node in range(len(nodes)):
            for successor in (*self._linked.next[node], *self._linked.raises[node]):
                before[successor].append(node)
        work = [
            node for node, each in self._effects.items()
            if isinstance(call := nodes[node], ir.Call) and variable in (call.receiver, *call.args)
            and any(_releases(one) for one in each)
        ]
        found = set(work)
        while work:
            for node in before[work.pop()]:
                if node not in found:
                    found.add(node)
                    work.append(node)
        return frozenset(found)


def _shifted(nodes: tuple[ir.Instruction, ...]) -> dict[int, str]:
    """Branches on a variable that was tested before and then changed by arithmetic: how they go together is not
    known."""
    tested: dict[str, int] = {}
    changed: dict[str, int] = {}
    found: dict[int, str] = {}
    for node, instruction in enumerate(nodes):
        match instruction:
            case ir.Branch(left=left) if left in changed:
                found[node] = left
            case ir.Branch(left=left) if left and left[0] not in "=%":
                tested.setdefault(left, node)
            case ir.Op(dst=dst, operands=operands) if dst in tested and dst in operands:
                changed[dst] = node
            case _:
                pass
    return found


def _releases(effects: Effects) -> bool:
    return any(o.fate == "released" for t in effects.transfers if t.entry for o in t.outcomes)
