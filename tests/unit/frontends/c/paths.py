"""Paths of a procedure as the calls on them: what the tests of control flow compare."""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c import lower
from analyzers.printing import instruction_text
from analyzers.wellformed import check_procedure


def lowered(text: str) -> ir.Unit:
    """The unit of a text, each procedure checked."""
    unit = lower(text.encode())
    for procedure in unit.procedures:
        assert check_procedure(procedure) == (), procedure.name
    return unit


def function(text: str, name: str = "f") -> ir.Procedure:
    """A function of a text."""
    return next(each for each in lowered(text).procedures if each.name == name)


def paths(procedure: ir.Procedure) -> set[str]:
    """The names of the calls on each path to the exit that takes no side of a branch twice."""
    found: set[str] = set()
    stack: list[tuple[int, tuple[str, ...], tuple[tuple[int, int], ...]]] = [(ir.ENTRY, (), ())]
    while stack:
        at, calls, taken = stack.pop()
        node = procedure.nodes[at]
        if isinstance(node, ir.Call):
            calls = (*calls, node.name)
        if at == ir.EXIT:
            found.add(" ".join(calls))
        for number, target in enumerate(procedure.next[at]):
            if not isinstance(node, ir.Branch):
                stack.append((target, calls, taken))
            elif (at, number) not in taken:
                stack.append((target, calls, (*taken, (at, number))))
    return found


def texts(procedure: ir.Procedure) -> list[str]:
    """The instructions past the first three, as text."""
    return [instruction_text(node) for node in procedure.nodes[3:]]
