"""Handles of C that are numbers: a table whose element is stored at the number of a handle knows the handle, and so does who is written its
number byte by byte, a set of bits that has one for it, and a caller who is told of it by a sum (`return fd + 1;`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.domains.access_path import Paths
from analyzers.domains.obligation import RETAINED, Fact
from analyzers.handles.c.types import is_pointer
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.queries import Target

_WIDTH = re.compile(r"(const )?u?int(8|16|32|64)_t$")

if TYPE_CHECKING:
    from analyzers.handles.flows import After, Flow, Flows
    from analyzers.handles.scene import Scene


def indexed(flows: Flows, index: str, store: Flow | None) -> Flow | None:
    """The flow function of a store to an element, where the index may be a handle."""
    if flows.scene.is_java or store is None or ir.is_literal(index) or index not in flows.scene.holders:
        return store

    def flow(fact: Fact) -> After:
        is_known = bool(fact[0] & flows.table.exact((index,))) and not flows.is_entry
        return list(store((0, fact[1], fact[2] | RETAINED) if is_known else fact))

    return flow


def given_as_data(scene: Scene, call: ir.Call, target: Target) -> tuple[Exposure, ...]:
    """The variables that a function of the program gets where it takes a number of a fixed width (`put_number(message, (int32_t) fd)`): what it
    does with that it does with no descriptor, but perhaps with its number. Not where the variable has such a type itself."""
    if scene.is_java or not target.procedures:
        return ()
    wanted = zip(call.args, target.parameters, strict=False)
    given = (name for name, written in wanted if not ir.is_literal(name) and _WIDTH.match(written) and not _WIDTH.match(scene.type_of(name)))
    return tuple(Exposure((name,), Policy.DOUBT) for name in given if name in scene.holders)


_PARTS = ("<<", ">>", "/")
"""The operators that make a part of another number of one."""


def numbered(scene: Scene, op: ir.Op) -> str:
    """The operand whose number goes on in another one: in a part of it, or in a sum that is returned; empty where there is none."""
    if scene.is_java:
        return ""
    if op.operator in _PARTS:
        return counted(op)
    if op.operator in ("|", "+") and (beside := _beside_a_part(scene, op.operands)) and beside != op.dst:
        return beside
    is_sum = op.operator in ("+", "-") and len(op.operands) == 2 and ir.is_literal(op.operands[1])
    readers = scene.readers.of(op.dst) if is_sum and ir.is_temporary(op.dst) else ()
    return op.operands[0] if readers and all(isinstance(each, ir.Return) for each in readers) else ""


def _beside_a_part(scene: Scene, operands: Sequence[str]) -> str:
    """What is put beside a number that has been moved up (`(long long) one << 32 | other`); empty where nothing is."""
    for one, other in zip(operands, operands[::-1], strict=True):
        at = scene.definitions.get(one, ()) if len(operands) == 2 and ir.is_temporary(one) and not ir.is_literal(other) else ()
        part = scene.nodes[at[0]] if len(at) == 1 else None
        if isinstance(part, ir.Op) and part.operator == "<<" and not ir.is_literal(part.operands[0]) and ir.is_literal(part.operands[1]):
            return other
    return ""


def counted(op: ir.Op) -> str:
    """The operand whose number goes into another one, of an operation of those: of `1 << fd` the second."""
    return op.operands[1] if op.operator == "<<" and ir.is_literal(op.operands[0]) else op.operands[0]


def is_in_number(flows: Flows, operator: str, shifted: str, paths: Paths) -> bool:
    """Whether another number has a handle in it: more besides (`fd << 8 | kind`), one byte of it (`fd >> 8`), or a bit of a set for it
    (`set[fd / 8] |= 1 << fd % 8`). What points to something is shifted down or divided only to make a key of it."""
    scene, table = flows.scene, flows.table
    if not paths & table.exact((shifted,)):
        return False
    names = (path[0] for path in table.list(paths) if len(path) == 1)
    return operator == "<<" or not any(is_pointer(scene.type_of(name)) for name in names)
