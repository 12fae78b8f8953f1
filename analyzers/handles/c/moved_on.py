"""Pointers of C that a procedure moves on through a block (`while ((end = strchr(p, '\\n')) != NULL) { show(p); p = end + 1; }`).

Whoever gets such a one gets no block that it could release: most of the time it is not its beginning. Misses pointers that are moved by a callee, or in a member.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene

_STEPS = 4
"""Copies between a pointer and what it is moved on from."""


def is_moved_on(scene: Scene, name: str) -> bool:
    """Whether a variable of a procedure's own is set to the beginning of something, and further to a place that lies behind what it held before."""
    made = [scene.nodes[node] for node in scene.definitions.get(name, ())]
    if len(made) < 2 or name in scene.addresses or (name,) in scene.addresses.values():
        return False
    return any(_comes_from(scene, each, name, _STEPS) for each in made)


def _comes_from(scene: Scene, node: ir.Instruction, name: str, steps: int) -> bool:
    """Whether a definition says `name + 1`, or a place that was looked for from there on, moved on."""
    if isinstance(node, ir.Op) and node.operator == "[]+" and node.operands[1] != "=0":
        return node.operands[0] == name or _is_found_from(scene, node.operands[0], name)
    source = identity(node)
    if not source or source == name or not steps:
        return False
    return any(_comes_from(scene, scene.nodes[each], name, steps - 1) or _is_shifted(scene.nodes[each], source, scene, name) for each in scene.definitions.get(source, ()))


def _is_shifted(node: ir.Instruction, source: str, scene: Scene, name: str) -> bool:
    """Whether a variable that was looked for in what `name` held is moved on itself (`p = ++end`)."""
    return isinstance(node, ir.Op) and node.operator == "[]+" and node.operands[0] == source and _is_found_from(scene, source, name)


def _is_found_from(scene: Scene, found: str, name: str) -> bool:
    """Whether a variable is what a call answers that looks through what another variable points to (`end = strchr(p, ',')`)."""
    calls = [scene.nodes[each] for each in scene.definitions.get(found, ())]
    return any(isinstance(each, ir.Call) and name in each.args and each.dst == found for each in calls)
