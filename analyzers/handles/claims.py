"""Claims of tests that a call makes nothing: `CHECK_NULL(parse("{"))`.

A test that names its claim so is there to see that nothing is made; where something is, the test fails, and nobody cares for
that. Misses what such a call makes on purpose.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_CLAIMING = frozenset(("assert", "check", "expect", "require", "verify"))
_DENYING = frozenset(("not", "non", "no", "notnull"))


def is_denied(scene: Scene, call: ir.Call) -> bool:
    """Whether the result of a call of C is wanted for nothing but the claim that it is null."""
    if scene.is_java or not ir.is_temporary(call.dst):
        return False
    readers = [node for node in scene.nodes if call.dst in operands(node)]
    return bool(readers) and all(_is_claim(_asking(scene, call, node)) for node in readers)


def _asking(scene: Scene, call: ir.Call, node: ir.Instruction) -> str:
    """What a value is passed to: the macro of a call, or of a test that has been written out around the call."""
    if isinstance(node, ir.Call):
        return node.name if len(node.args) == 1 else ""
    is_around = isinstance(node, ir.Branch) and node.start < call.start and call.end < node.end
    return scene.queries.text(scene.linked.key, node.start, call.start).partition("(")[0].strip() if is_around else ""


def _is_claim(name: str) -> bool:
    words = words_of(name.lower()) if name.isupper() else ()
    return words[-1:] == ("null",) and not _CLAIMING.isdisjoint(words) and _DENYING.isdisjoint(words)
