"""What functions of Python's own interface take over by their format: of `Py_BuildValue("(ON)", one, other)` the tuple counts `one` once
more and has `other`, whether it can be built or not.

Of a format that is no constant all arguments are taken to be given away.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy

_FORMATS = {
    "Py_BuildValue": 0, "_Py_BuildValue_SizeT": 0, "PyObject_CallFunction": 1, "_PyObject_CallFunction_SizeT": 1, "PyEval_CallFunction": 1,
    "PyObject_CallMethod": 2, "_PyObject_CallMethod_SizeT": 2, "_PyObject_CallMethodId": 2, "PyEval_CallMethod": 2,
}
"""The functions that build values by a format, and which argument that is; those for the format are behind it."""

_BETWEEN = frozenset("()[]{},: \t")
_TEXTS = frozenset("szyuU")
_STOLEN = "N"


def stolen(scene: Scene, call: ir.Call) -> tuple[Exposure, ...]:
    """The variables whose reference a call takes over."""
    at = _FORMATS.get(call.name, -1)
    if scene.is_java or call.kind != "function" or not -1 < at < len(call.args):
        return ()
    given = call.args[at + 1 :]
    units = _units(call.args[at])
    taken = given if units is None else [argument for argument, unit in zip(given, units, strict=False) if unit == _STOLEN]
    return tuple(Exposure((argument,), Policy.ESCAPE) for argument in taken if not ir.is_literal(argument))


def _units(literal: str) -> list[str] | None:
    """Per argument behind a format what that says of it; None where the format is not known."""
    if literal in ("=null", "=0"):
        return []
    if not literal.startswith('="'):
        return None
    found, text = list[str](), literal[2:].strip('"')
    for index, unit in enumerate(text):
        if unit in _BETWEEN or unit in "#&":
            continue
        found.append(unit)
        following = text[index + 1 : index + 2]
        if (following == "#" and unit in _TEXTS) or (following == "&" and unit == "O"):
            found.append(unit)
    return found
