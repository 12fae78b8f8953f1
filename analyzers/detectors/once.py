"""Losses that take a second turn of a loop through a test that holds in one turn only.

`for (i = 0; i < n; i++) if (i == chosen) name = strdup(names[i]);` acquires one name, whatever `chosen` is: the index comes by there
once. So does a pointer that goes along a list. Misses nothing where the list is a ring, or the number overflows.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.dispatch import dominating
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene

_VOID = ("=0", "=?")
"""Literals with which operations make the same of all numbers, or nobody knows what."""


def is_once(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition to a loss go by such a test a second time."""
    if loss.exit:
        return False
    above, above_loss = dominating(scene.dominators, acquired), dominating(scene.dominators, loss.node)
    for node in sorted(above & above_loss):
        match scene.nodes[node]:
            case ir.Branch(operator="==" | "!=" as operator, left=left, right=right) if len(scene.cfg.normal[node]) == 2:
                target = scene.cfg.normal[node][operator == "!="]
                is_inside = target in above and target in above_loss and list(scene.cfg.predecessors[target]) == [node]
                if is_inside and (_meets_once(scene, node, left, right) or _meets_once(scene, node, right, left)):
                    stored = scene.nodes[loss.node]
                    is_its_own = isinstance(stored, ir.Store | ir.StoreElement | ir.Copy) and stored.src in _names(scene, acquired)
                    return _comes_by(scene, loss.node if is_its_own else acquired, loss.node, node)
    return False


def _names(scene: Scene, acquired: int) -> set[str]:
    """The variables that an acquisition or a copy of its result sets: what stores one of them loses the handle of an earlier turn only."""
    call = scene.nodes[acquired]
    found = [call.dst] if isinstance(call, ir.Call) and call.dst else []
    for name in found:
        found += [copy.dst for copy in scene.copies.get(name, ()) if copy.dst not in found]
    return set(found)


def _meets_once(scene: Scene, test: int, moved: str, fixed: str) -> bool:
    """Whether a variable that each turn moves on is compared with what stays the same in all of them."""
    variable = scene.variables.get(moved)
    if ir.is_temporary(moved):
        made = [scene.nodes[node] for node in scene.definitions.get(moved, ())]
        inner = [_spread(made[0])] if len(made) == 1 else []
        if len(made) == 1 and isinstance(made[0], ir.Op) and made[0].operator in ("+", "-") and len(made[0].operands) == 2:
            turn, (one, other) = scene.cfg.reachable_from(test) & scene.cfg.reaching(test), made[0].operands
            inner += [each for each, beside in ((one, other), (other, one)) if not ir.is_literal(each) and is_fixed(scene, beside, turn)]
        return any(each and _meets_once(scene, test, each, fixed) for each in inner)
    if variable is None or variable.is_address_taken:
        return False
    if not any(_step(scene.nodes[node], moved) for node in scene.definitions.get(moved, ())):
        return False
    turn = scene.cfg.reachable_from(test) & scene.cfg.reaching(test)
    steps = {_step(scene.nodes[node], moved) for node in scene.definitions.get(moved, ()) if node in turn}
    return len(steps) == 1 and "" not in steps and is_fixed(scene, fixed, turn)


def _spread(node: ir.Instruction) -> str:
    """The variable of which an operation makes another number for each number (`1 << place`); empty where it does something else."""
    match node:
        case ir.Op(operator="<<", operands=(one, name)) if ir.is_literal(one) and one not in _VOID and not ir.is_literal(name):
            return name
        case ir.Op(operator="+" | "-" | "*", operands=(name, one)) if ir.is_literal(one) and one not in _VOID and not ir.is_literal(name):
            return name
        case _:
            return ""


def _step(node: ir.Instruction, name: str) -> str:
    """In which way an instruction moves a variable on; empty where it does something else."""
    match node:
        case ir.Op(operator="+" | "-" | "[]+" as operator, operands=(first, "=1")) if first == name:
            return operator
        case ir.Load(base=base, field=field) if base == name:
            return field
        case _:
            return ""


def is_fixed(scene: Scene, operand: str, turn: frozenset[int] | set[int]) -> bool:
    """Whether an operand is the same in all turns."""
    if ir.is_literal(operand):
        return operand != "=?"
    variable = scene.variables.get(operand)
    if variable is None or variable.is_address_taken:
        return False
    loaded = scene.loads.get(operand, ())
    if ir.is_temporary(operand) and len(loaded) == 1 and loaded[0][:2] == "::":
        return not _is_written(scene, loaded[0], turn)
    return all(
        node not in turn or (
            ir.is_temporary(operand) and isinstance(found := scene.nodes[node], ir.Op) and all(is_fixed(scene, each, turn) for each in found.operands)
        )
        for node in scene.definitions.get(operand, ())
    )


def _is_written(scene: Scene, place: str, turn: frozenset[int] | set[int]) -> bool:
    """Whether a turn, or a function of the program that it calls, sets a variable of the file."""
    for node in turn:
        match scene.nodes[node]:
            case ir.Store(base="", field=field) if f"::{field}" == place:
                return True
            case ir.Call():
                target = scene.linked.targets.get(node)
                if any(path[0] == place for key in (target.procedures if target is not None else ()) for path in scene.queries.effects(key).writes):
                    return True
            case _:
                pass
    return False


def _comes_by(scene: Scene, acquired: int, lost: int, test: int) -> bool:
    """Whether no way from one node to another avoids a third one."""
    seen = {test}
    waiting = list(scene.cfg.successors[acquired])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            if node == lost:
                return False
            seen.add(node)
            waiting += scene.cfg.successors[node]
    return True
