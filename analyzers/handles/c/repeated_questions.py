"""Questions of C that a flag remembers and a test asks again: `has = s->hook != NONE; if (has) p = make(); … if (s->hook != NONE) end(p);`.

A member that the procedure nowhere stores to is taken to stay what it was, whatever it calls meanwhile. Misses questions that are asked
again of a copy, or with the sides exchanged.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.guard import Value
from analyzers.handles.per_scene import per_scene
from analyzers.handles.scene import Scene

_EQUALITY = ("==", "!=")

_Question = tuple[tuple[str, str], str]
"""A member of what a variable points to, and what it is compared with."""


@per_scene
def _flags(scene: Scene) -> dict[_Question, tuple[str, str]]:
    """Per question the first flag that remembers it, and whether it is set where both are equal, or where they are not."""
    found: dict[_Question, tuple[str, str]] = {}
    for name, at in {} if scene.is_java else scene.definitions.items():
        flag = scene.nodes[at[0]]
        if len(at) == 1 and isinstance(flag, ir.Op) and flag.operator in _EQUALITY and len(flag.operands) == 2 and (asked := _question(scene, *flag.operands)):
            found.setdefault(asked, (name, flag.operator))
    return found


def remembered(scene: Scene, branch: ir.Branch) -> tuple[str, bool] | None:
    """The flag that knows the answer to a branch, and whether it is set where the branch holds; None where none does."""
    if branch.operator not in _EQUALITY or not (flags := _flags(scene)):
        return None
    asked = _question(scene, branch.left, branch.right)
    found = flags.get(asked) if asked is not None else None
    return (found[0], found[1] == branch.operator) if found is not None else None


def flag_of(scene: Scene, instruction: ir.Instruction) -> str:
    """The flag that knows the answer to an instruction; empty where it asks nothing."""
    found = remembered(scene, instruction) if isinstance(instruction, ir.Branch) else None
    return found[0] if found is not None else ""


def told_by(flag: Value, *, is_set: bool) -> Value | None:
    """What is known of a flag where the answer makes it set, or not; None where it is known to be otherwise."""
    return guard.refine(flag, "!=" if is_set else "==", guard.ZERO)


def _question(scene: Scene, left: str, right: str) -> _Question | None:
    place = _member(scene, left)
    if place is None or not _is_unchanged(scene, *place):
        return None
    if right[:1] == "=" and right[1:].lstrip("-").isdigit():
        return place, right
    at = scene.definitions.get(right, ())
    constant = scene.nodes[at[0]] if len(at) == 1 and ir.is_temporary(right) else None
    return (place, constant.field) if isinstance(constant, ir.Load) and not constant.base else None


def _member(scene: Scene, operand: str) -> tuple[str, str] | None:
    at = scene.definitions.get(operand, ())
    load = scene.nodes[at[0]] if len(at) == 1 and ir.is_temporary(operand) else None
    place = scene.loaded_from((load.base, load.field)) if isinstance(load, ir.Load) and load.base else ()
    return (place[0], place[1]) if len(place) == 2 else None


def _is_unchanged(scene: Scene, base: str, field: str) -> bool:
    """Whether a variable is assigned once at most (a global: never), and no member of the name is stored to."""
    if base[:2] != "::" and (len(scene.definitions.get(base, ())) + (base in scene.formals) != 1 or ir.is_temporary(base)):
        return False
    return not any(isinstance(each, ir.Store) and (each.field == field or (not each.base and each.field == base[2:])) for each in scene.nodes)
