"""Something that would have to be two things at once (C).

`if (item == by_name) path = copy ("name"); if (item == by_size) path = copy ("size");` replaces what it has made only where the item is both:
who compares one thing with several variables of the program, one after the other, knows that they differ. Takes for such what may well be
the same: the leak is then told with less confidence than it deserves.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.met_twice import leads
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_STEPS = 4
"""Casts and copies between a variable and where it is compared."""


def is_another_then(scene: Scene, node: int, lost: int) -> bool:
    """Whether a node stands where something is one global, and what replaces what it has made where the same is another one."""
    if node == lost:
        return False
    first = list(_identified(scene, node))
    return bool(first) and any(one == other and known != found for other, found in _identified(scene, lost) for one, known in first)


def _identified(scene: Scene, node: int) -> Iterator[tuple[str, AccessPath]]:
    """The variables that are never set and, where a node stands, are what a global is."""
    for at in sorted(scene.cfg.reaching(node)):
        test, sides = scene.nodes[at], scene.cfg.normal[at]
        if not isinstance(test, ir.Branch) or test.operator not in ("==", "!=") or len(sides) != 2:
            continue
        left, right = _origin(scene, test.left), _origin(scene, test.right)
        for variable, known in ((left, right), (right, left)):
            is_told = len(variable) == 1 and variable[0] in scene.formals and variable[0] not in scene.assigned_formals and known[0][:2] == "::"
            if is_told and leads(scene, at, sides[test.operator == "!="], node):
                yield variable[0], known


def _origin(scene: Scene, name: str) -> AccessPath:
    """What an operand has been read from."""
    for _ in range(_STEPS):
        if name in scene.loads:
            return scene.loads[name]
        at = scene.definitions.get(name, ()) if ir.is_temporary(name) else ()
        match scene.nodes[at[0]] if len(at) == 1 else None:
            case ir.Copy(src=src) | ir.Op(operator="cast", operands=(src, *_)):
                name = src
            case _:
                break
    return (name,)
