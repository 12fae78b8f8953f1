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
    return bool(readers) and all(_is_claim(node) for node in readers)


def _is_claim(node: ir.Instruction) -> bool:
    if not isinstance(node, ir.Call) or len(node.args) != 1 or not node.name.isupper():
        return False
    words = words_of(node.name.lower())
    return words[-1:] == ("null",) and not _CLAIMING.isdisjoint(words) and _DENYING.isdisjoint(words)
