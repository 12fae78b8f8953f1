"""Methods that throw only where they are passed nothing: what they are passed is not lost by that.

`required(open(name), "name")` throws where `open` gave null, and returns what it was given otherwise. Read off the bodies of
all that the call may run; nothing is believed of those that are not there.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import AccessPath

_SMALL = 40
"""Instructions of a method that is looked into."""

_BODIES = 3
"""Methods that a call may run."""


def spared(scene: Scene, node: int, site: CallSite) -> tuple[AccessPath, ...]:
    """The variables such that what they hold is not lost where a call throws: values that wait to be returned while something is
    closed, and arguments without which the callee would not throw."""
    call, target = site.call, scene.linked.targets.get(node)
    if not scene.is_java:
        return ()
    if call.name == "close" and not call.args:
        return tuple((name,) for name in scene.saved)
    if target is None or not 0 < len(target.procedures) <= _BODIES:
        return ()
    passed = [index for index, argument in enumerate(call.args) if argument and not ir.is_literal(argument)]
    for key in target.procedures if passed else ():
        refused = _refused(scene, key, len(call.args))
        passed = [index for index in passed if index in refused]
    return tuple((call.args[index],) for index in passed)


def _refused(scene: Scene, key: ProcedureKey, count: int) -> frozenset[int]:
    """The positions of the formals that are null wherever a procedure throws."""
    body = scene.queries.procedure(key)
    if body is None or len(body.nodes) > _SMALL or len(body.parameters) != count:
        return frozenset()
    tested = {node.left for node in body.nodes if isinstance(node, ir.Branch) and node.right == "=null"}
    changed = {name for node in body.nodes for name in assigned(node)}
    asked = [index for index, name in enumerate(body.parameters) if name in tested and name not in changed]
    linked = scene.queries.linked(key) if asked else None
    if linked is None or not any(ir.RAISE in ways for ways in linked.raises):
        return frozenset()
    return frozenset(index for index in asked if not _throws_with(linked, linked.body.parameters[index]))


def _throws_with(linked: Linked, formal: str) -> bool:
    """Whether a procedure may throw on a way on which a formal is not found to be null."""
    seen, waiting = {ir.ENTRY}, [ir.ENTRY]
    while waiting:
        node = waiting.pop()
        if ir.RAISE in linked.raises[node]:
            return True
        ways = {*linked.next[node], *linked.raises[node]}
        instruction = linked.body.nodes[node]
        if isinstance(instruction, ir.Branch) and (instruction.left, instruction.right) == (formal, "=null") and len(linked.next[node]) == 2:
            ways.discard(linked.next[node][0 if instruction.operator == "==" else 1])
        waiting += [each for each in ways if each not in seen]
        seen |= ways
    return False
