"""Methods of Java without a body whose declaration says that they close what they are passed: `int size(@WillClose InputStream in);`.

Whoever implements one has to keep that, so nothing that is passed there is lost by its caller. Reports too little where an
implementation does not: it is told there (`detectors.resource_leak_checker.parameters`).
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.queries import Target

_WORDS = ("WillClose", "WillCloseWhenClosed")
"""Annotations of parameters by which their method takes them over (JSR 305)."""


def is_promised(argument: str, call: ir.Call, target: Target, scene: Scene) -> bool:
    """Whether a declaration of the tree, of a method that no body is known of, says that it closes an argument."""
    queries = scene.queries
    if target.procedures or not target.type:
        return False
    owners = dict.fromkeys(
        each.owner
        for each in queries.methods(target.type, call.name)
        if len(each.parameters) == len(call.args)
    )
    return any(_says(owner, call.name, call.args.index(argument), len(call.args), scene) for owner in owners)


def _says(owner: str, name: str, position: int, count: int, scene: Scene) -> bool:
    path = scene.queries.declaring_file(owner)
    unit = scene.queries.unit(path) if path and path in scene.queries.mentioning(" ".join(_WORDS)) else None
    declared = next((each for each in unit.types if each.name == owner), None) if unit is not None else None
    return any(
        each.name == name
        and len(each.parameters) == count
        and any(_simple(written) in _WORDS for written in each.parameter_attributes[position])
        for each in (declared.methods if declared is not None else ())
    )


def _simple(attribute: str) -> str:
    return attribute.partition("(")[0].rpartition(".")[2]
