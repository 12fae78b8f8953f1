"""Losses of C that take another turn of a loop behind the last one.

`for (i = 1; i < n; i++) { if (!strcmp(v[i], "-c")) path = strdup(v[++i]); else if (i + 1 == n) path = strdup(v[i]); }`: what the last word has given
is replaced by no other. Follows numbers that are only made greater by one, and tests of them against something that stays the same. Misses nothing unless the number overflows.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.dispatch import dominating
from analyzers.detectors.once import is_fixed
from analyzers.handles.induction import is_step
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene

_Sum = tuple[str, int]
"""A variable or a place, and what is added to it."""


def is_behind_the_last_turn(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition to a loss go by a test of a loop that cannot hold any more."""
    if loss.exit or scene.is_java:
        return False
    turn = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(acquired)
    if loss.node not in turn:
        return False
    for node in sorted(dominating(scene.dominators, acquired) & turn):
        match scene.nodes[node]:
            case ir.Branch(operator="==" | "!=" as operator, left=left, right=right) if len(scene.cfg.normal[node]) == 2:
                alike = scene.cfg.normal[node][operator == "!="]
                if list(scene.cfg.predecessors[alike]) != [node] or alike not in dominating(scene.dominators, acquired):
                    continue
                one, other = _sum(scene, left), _sum(scene, right)
                for (moved, beside), (limit, more) in ((one, other), (other, one)):
                    if _is_moved_on(scene, moved, turn) and is_fixed(scene, limit, turn) and _ends(scene, (acquired, loss.node), turn, (moved, limit, more - beside)):
                        return True
            case _:
                pass
    return False


def _sum(scene: Scene, operand: str) -> _Sum:
    """What an operand is made of: another one and a constant."""
    made = [scene.nodes[node] for node in scene.definitions.get(operand, ())] if ir.is_temporary(operand) else []
    match made:
        case [ir.Op(operator="+" | "-" as operator, operands=(name, one))] if not ir.is_literal(name) and one[1:].isdigit() and ir.is_literal(one):
            return name, int(one[1:]) if operator == "+" else -int(one[1:])
        case _:
            return operand, 0


def _is_moved_on(scene: Scene, name: str, turn: frozenset[int]) -> bool:
    """Whether a variable is only made greater by one in each turn."""
    variable = scene.variables.get(name)
    if variable is None or variable.is_address_taken or ir.is_temporary(name):
        return False
    steps = [scene.nodes[node] for node in scene.definitions.get(name, ()) if node in turn]
    return bool(steps) and all(isinstance(step, ir.Op) and is_step(step) for step in steps)


def _ends(scene: Scene, way: tuple[int, int], turn: frozenset[int], last: tuple[str, str, int]) -> bool:
    """Whether a test of the loop, by which all ways lead behind a step, fails where the variable was the limit and so much before the step."""
    moved, limit, above = last
    acquired, lost = way
    steps = {node for node in scene.definitions.get(moved, ()) if node in turn}
    for node in sorted(turn):
        match scene.nodes[node]:
            case ir.Branch(operator="<" | "<=" | "!=" as operator, left=left, right=right) if len(scene.cfg.normal[node]) == 2:
                (name, beside), (end, more) = _sum(scene, left), _sum(scene, right)
                if name != moved or not _is_same(scene, end, limit):
                    continue
                least = above + 1 + beside
                is_over = least > more if operator == "<=" else least == more if operator == "!=" and len(steps) == 1 else operator == "<" and least >= more
                if is_over and not _leads(scene, acquired, lost, {node}) and not _leads(scene, acquired, node, steps):
                    return True
            case _:
                pass
    return False


def _is_same(scene: Scene, one: str, other: str) -> bool:
    """Whether two operands are one, or both what one place holds."""
    if one == other:
        return True
    loaded = scene.loads.get(one, ())
    return len(loaded) == 1 and loaded == scene.loads.get(other, ()) and loaded[0][:2] == "::"


def _leads(scene: Scene, start: int, end: int, avoided: set[int]) -> bool:
    """Whether a way leads from one node to another that avoids others."""
    seen, waiting = set(avoided), list(scene.cfg.successors[start])
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            waiting += scene.cfg.successors[node]
    return False
