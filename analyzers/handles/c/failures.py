"""Answers of C that say failure, and the sides of tests on which a call has succeeded, by the conventions of the language."""

from __future__ import annotations

from analyzers import ir

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
