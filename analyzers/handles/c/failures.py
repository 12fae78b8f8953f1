"""Answers of C that say failure, and the sides of tests on which a call has succeeded, by the conventions of the language."""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene

FAILING = frozenset(("err", "errno", "error", "fail", "failed", "failure"))
"""Words in the names of functions that say that something has failed, and answer so."""


def is_failure(answer: str) -> bool:
    """Whether an operand that is returned says failure."""
    return answer == "=null" or answer.startswith("=-")


def succeeding(test: ir.Branch, sides: list[int]) -> list[int]:
    """The side of a test on which a call has succeeded that answers with a number below zero otherwise; both where the test is another one."""
    where = (test.operator, test.right)
    if where in (("<", "=0"), ("==", "=-1")):
        return sides[1:]
    return sides[:1] if where in ((">=", "=0"), ("!=", "=-1")) else sides


def is_status(scene: Scene, call: ir.Call, test: ir.Branch, takers: set[str]) -> bool:
    """Whether the test of a result says that it is a status, whatever the callee's name makes (`ring_create(&ring) != RING_SUCCESS`): it is
    compared with zero as a number, and put where no pointer is declared. Takes for a status what is a number of an object that the
    procedure never releases, too; what nobody names is one only if the callee gets a place to fill."""
    if test.operator not in ("==", "!=") or test.right != "=0":
        return False
    named = [scene.type_of(each) for each in takers if not ir.is_temporary(each)]
    return all("*" not in each for each in named) if named else any(each in scene.addresses for each in call.args)
