"""Copies of constant texts that are compared with another one: `name = strdup("."); … if (!strcmp(name, "-")) name = NULL;`.

On the side of such a test where both are equal there is no such copy. Misses copies that the procedure writes to before the test.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.handles.c.comparing import name_of
from analyzers.handles.c.texts import EQUALITY, ORDERING
from analyzers.handles.scene import Scene

_COPYING = "strdup"
"""How names of functions end that copy a text."""

_TEXT = '="'
_EQUAL = {"==": 0, "!=": 1, "true": 1}
"""The number of the side on which a tested answer is 0."""


class Equality(msgspec.Struct, frozen=True):
    """What a branch asks: on which side a variable equals a constant text, which, and whether the case of letters matters."""

    side: int
    name: str
    constant: str
    is_caseless: bool


def equality(scene: Scene, node: int, branch: ir.Branch) -> Equality | None:
    """What a branch of C asks of a text; None where it asks nothing of the kind. Constants with escapes tell nothing."""
    at = scene.definitions.get(branch.left, ()) if not scene.is_java and ir.is_temporary(branch.left) else ()
    sides = scene.linked.next[node]
    compared = scene.nodes[at[0]] if len(at) == 1 else None
    if not isinstance(compared, ir.Call) or len(compared.args) != 2 or len(sides) != 2 or branch.operator not in _EQUAL:
        return None
    if branch.operator != "true" and branch.right not in ("=0", "=false"):
        return None
    name = name_of(scene, at[0], compared).lower() if at else ""
    texts = [each for each in compared.args if _is_plain(each)]
    names = [each for each in compared.args if not ir.is_literal(each)]
    if len(texts) != 1 or len(names) != 1 or not (name in ORDERING or name in EQUALITY):
        return None
    side = _EQUAL[branch.operator] if name in ORDERING else 1 - _EQUAL[branch.operator]
    return Equality(sides[side], names[0], texts[0], "case" in name)


def is_other_copy(scene: Scene, acquired: int, asked: Equality) -> bool:
    """Whether an acquisition copies a constant that is not the one asked for."""
    call = scene.nodes[acquired] if acquired >= 0 else None
    if not isinstance(call, ir.Call) or not call.name.endswith(_COPYING) or not call.args or not _is_plain(call.args[0]):
        return False
    copied = call.args[0]
    return copied.lower() != asked.constant.lower() if asked.is_caseless else copied != asked.constant


def _is_plain(operand: str) -> bool:
    return operand.startswith(_TEXT) and "\\" not in operand
