"""Local variables of C that are nothing but another name of what the caller passed: `enum code result = code; switch (result) …`.

Whoever tests such a variable tests the argument. Not where the variable may be narrower than the argument, nor where either is assigned again, or
has its address taken.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_NARROW = ("char", "short", "bool", "Bool", "int8", "int16", "uint8", "uint16", "BYTE", "WORD")
"""Words in the types of numbers that hold less than others."""


def copied_argument(scene: Scene, name: str) -> AccessPath | None:
    """The formal that a local variable is another name of; None where it is none."""
    at = scene.definitions.get(name, ())
    variable = scene.variables.get(name)
    if scene.is_java or len(at) != 1 or variable is None or variable.kind != "local" or variable.is_address_taken:
        return None
    copy = scene.nodes[at[0]]
    formal = copy.src if isinstance(copy, ir.Copy) else ""
    if formal not in scene.formals or formal in scene.assigned_formals or scene.variables[formal].is_address_taken:
        return None
    return None if "*" not in variable.type and any(word in variable.type for word in _NARROW) else (formal,)
