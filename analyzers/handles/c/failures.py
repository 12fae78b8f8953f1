"""Answers of C that say failure, and the sides of tests on which a call has succeeded, by the conventions of the language."""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.c.types import INTS, is_plain_c
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

FAILING = frozenset(("err", "errno", "error", "fail", "failed", "failure"))
"""Words in the names of functions that say that something has failed, and answer so."""

_NO_OBJECT = frozenset(("bad", "closed", "empty", "failed", "invalid", "nil", "none", "null", "undefined", "unset"))
"""Words of constants that stand for an object that is none."""


def is_failure(answer: str) -> bool:
    """Whether an operand that is returned says failure."""
    return answer == "=null" or answer.startswith("=-")


def succeeding(test: ir.Branch, sides: list[int]) -> list[int]:
    """The side of a test on which a call has succeeded that answers with a number below zero otherwise; both where the test is another one."""
    where = (test.operator, test.right)
    if where in (("<", "=0"), ("==", "=-1")):
        return sides[1:]
    return sides[:1] if where in ((">=", "=0"), ("!=", "=-1")) else sides


def _is_code(scene: Scene, operand: str) -> bool:
    """Whether an operand is a constant of file level that nobody knows, and that does not stand for an object that is none (`INVALID_SOCKET`)."""
    places = scene.definitions.get(operand, ()) if ir.is_temporary(operand) else ()
    made = scene.nodes[places[0]] if len(places) == 1 else None
    return isinstance(made, ir.Load) and not made.base and made.field.isupper() and _NO_OBJECT.isdisjoint(words_of(made.field.lower()))


def is_only_a_number(scene: Scene, takers: set[str]) -> bool:
    """Whether a result is put into variables for numbers, and none of them is ever passed to anybody: nothing is done by it."""
    types = [scene.type_of(each) for each in takers if not ir.is_temporary(each)]
    if not types or not all(each in INTS or is_plain_c(each) for each in types):
        return False
    return not any(isinstance(node, ir.Call) and not takers.isdisjoint(node.args) for node in scene.nodes)


def is_status(scene: Scene, call: ir.Call, test: ir.Branch, takers: set[str]) -> bool:
    """Whether the test of a result says that it is a status, whatever the callee's name makes (`ring_create(&ring) != RING_SUCCESS`): it is
    compared with zero as a number, or with a constant that nobody knows, and put where no pointer is declared. Takes for a status what is a
    number of an object that the procedure never releases, too; what nobody names, or compares with a constant, is one only if the callee
    gets a place to fill."""
    if test.operator not in ("==", "!=") or (test.right != "=0" and not _is_code(scene, test.right)):
        return False
    if test.right != "=0":
        return any(each in scene.addresses for each in call.args) and not any("*" in scene.type_of(each) for each in takers)
    named = [scene.type_of(each) for each in takers if not ir.is_temporary(each)]
    return all("*" not in each for each in named) if named else any(each in scene.addresses for each in call.args)
