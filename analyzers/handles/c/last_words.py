"""Blocks of C that are lost where the program ends at once: `if ((p = realloc(p, n)) == NULL) { complain(); exit(1); }`.

What is lost is asked for no longer where all that follows, by what is known of the result, is the end of the process. Looks a few
instructions ahead, through copies, the last store to a member, tests of what has its value already and calls that do not return with what they
are passed (`need(p);`). Misses ends that other tests lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import Environment
from analyzers.domains.guard import Value
from analyzers.graphs.operands import assigned

if TYPE_CHECKING:
    from analyzers.handles.flows import Flows

_STEPS = 10
"""Instructions between a loss and the test that leads to the end."""


def is_followed_by_the_end(flows: Flows, node: int, environment: Environment, ending: frozenset[int]) -> bool:
    """Whether the program ends behind a node, given what is known there; `ending`: the nodes behind which it does on every way."""
    scene = flows.scene
    first, names, members = node, dict[str, str](), dict[tuple[str, str], str]()
    for _ in range(_STEPS):
        following = scene.cfg.normal[node]
        instruction = scene.nodes[node]
        match instruction:
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)) if not ir.is_literal(src):
                names[dst] = names.get(src, src)
            case ir.Store(base=base, field=field, src=src):
                members = {(names.get(base, base), field): names.get(src, src)} if not ir.is_literal(src) else {}
            case ir.Load(dst=dst, base=base, field=field) if (names.get(base, base), field) in members:
                names[dst] = members[names.get(base, base), field]
            case ir.Branch() if len(scene.linked.next[node]) == 2:
                following = _taken(flows, node, instruction, environment, names)
            case ir.Call() if first != node and _ends(flows, node, environment, names):
                return True
            case _ if first != node:
                members = {} if isinstance(instruction, ir.Call | ir.StoreElement) else members
                names.update(dict.fromkeys(assigned(instruction), ""))
        if len(following) != 1:
            return False
        if any(base in assigned(instruction) for base, _ in members):
            members = {}
        node = following[0]
        if node in ending:
            return True
    return False


def _taken(flows: Flows, node: int, branch: ir.Branch, environment: Environment, names: dict[str, str]) -> tuple[int, ...]:
    """The sides of a test that may be taken."""
    operator, right = ("!=", "=0") if branch.operator == "true" else (branch.operator, branch.right)
    if operator not in guard.NEGATED:
        return tuple(flows.scene.linked.next[node])
    left, other = _known(flows, node, branch.left, environment, names), _known(flows, node, right, environment, names)
    sides = zip(flows.scene.linked.next[node], (operator, guard.NEGATED[operator]), strict=True)
    return tuple(successor for successor, relation in sides if guard.refine(left, relation, other) is not None)


def _ends(flows: Flows, node: int, environment: Environment, names: dict[str, str]) -> bool:
    """Whether a call does not come back with what it is passed: its callee returns only where a formal is something else."""
    site = flows.sites.sites.get(node)
    return site is not None and any(
        guard.refine(_known(flows, node, site.actuals[each.path[0]], environment, names), each.operator, guard.literal(each.value)) is None
        for each in site.result
        if len(each.path) == 1 and each.path[0] in site.actuals
    )


def _known(flows: Flows, node: int, operand: str, environment: Environment, names: dict[str, str]) -> Value:
    """What is known of an operand, by the name whose value it has."""
    if names.get(operand) == "":
        return guard.TOP
    return flows.reader(node, names.get(operand, operand))(0, environment)
