"""The ways in which a library call can end, by what its result says about success.

Reports too much when a call fails in a way that its entry does not name (the handle is then held on a
path that cannot be); misses nothing by itself.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from analyzers.specs.entries import On
from analyzers.specs.errors import unknown
from analyzers.specs.names import parse_path
from analyzers.summaries import Condition

Fate = Literal["held", "released", "retained"]

_RESULT = ("$ret",)
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

RETURN_FAILURES: dict[str, tuple[Condition, Condition]] = {
    name: (Condition(_RESULT, success[0], success[1]), Condition(_RESULT, failure[0], failure[1]))
    for name, success, failure in (
        ("null", ("!=", "=null"), ("==", "=null")),
        ("-1", (">=", "=0"), ("==", "=-1")),
        ("negative", (">=", "=0"), ("<", "=0")),
        ("non-zero", ("==", "=0"), ("!=", "=0")),
        ("zero", ("!=", "=0"), ("==", "=0")),
        ("not-positive", (">", "=0"), ("<=", "=0")),
        ("not-one", ("==", "=1"), ("!=", "=1")),
        ("minus-one-pointer", (">=", "=0"), ("==", "=-1")),
        ("instance-error", (">", "=32"), ("<=", "=32")),
        ("false", ("==", "=true"), ("==", "=false")),
    )
}
"""What a result says: (success, failure)."""

FAILURES = (*RETURN_FAILURES, "never", "throws")
"""The words for `failure`."""


class Ending(msgspec.Struct, frozen=True):
    """One way in which a call ends."""

    exit: Literal["return", "throw"]
    when: tuple[Condition, ...]
    is_success: bool


def endings(failure: str, language: str) -> tuple[Ending, ...]:
    """All endings of a call; success first. ValueError for a word that is no failure."""
    throw = (Ending("throw", (), is_success=False),) if language == "java" and failure != "never" else ()
    if failure in ("", "never", "throws"):
        return (Ending("return", (), is_success=True), *throw)
    if failure not in RETURN_FAILURES:
        raise ValueError(unknown("failure", failure, FAILURES))
    success, failed = RETURN_FAILURES[failure]
    return (
        Ending("return", (success,), is_success=True),
        Ending("return", (failed,), is_success=False),
        *throw,
    )


def is_meant(on: On, ending: Ending) -> bool:
    """Whether an effect that happens `on` an outcome happens on this ending."""
    match on:
        case "success":
            return ending.is_success
        case "failure":
            return not ending.is_success
        case "normal":
            return ending.exit == "return"
        case "any":
            return True


def parse_condition(text: str) -> Condition:
    """`$1 == null` as a Condition; ValueError where it is none."""
    words = text.split()
    if len(words) != 3 or words[1] not in _NEGATED:
        raise ValueError(f"`{text}` is no condition (`$1 == null` is)")
    return Condition(parse_path(words[0]), words[1], f"={words[2]}")


def negate(condition: Condition) -> Condition:
    """The condition that holds when this one does not."""
    return Condition(condition.path, _NEGATED[condition.operator], condition.value)


_RESULT_WORDS = {
    "non-null": "$ret != null",
    "null": "$ret == null",
    "non-negative": "$ret >= 0",
    "non-zero": "$ret != 0",
    "zero": "$ret == 0",
    "true": "$ret == true",
    "false": "$ret == false",
}


def parse_result(text: str) -> Condition:
    """What `result` says of the value: a word or a condition."""
    return parse_condition(_RESULT_WORDS.get(text, text))
