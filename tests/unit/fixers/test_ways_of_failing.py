"""Of a call that makes something on many ways, each under many conditions, few ways in which it has made nothing are told apart."""

from __future__ import annotations

import pytest

from analyzers.summaries import Condition, Effects, Outcome, Transfer
from fixers.paths import Question, check
from fixers.paths.conditions import MAX_FAILING
from fixers.paths.state import State
from tests.unit.fixers import flow as by_hand
from tests.unit.fixers.flow import Flow


def test_conditions_that_do_not_hold_are_no_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight outcomes of twelve conditions each: 12 to the power of 8 ways in which none of them holds."""
    copies = 0
    original = State.copy

    def counted(state: State, node: int) -> State:
        nonlocal copies
        copies += 1
        assert copies < 100 * MAX_FAILING
        return original(state, node)

    outcomes = tuple(
        Outcome("return", tuple(Condition((f"${number}",), "==", f"={way}") for number in range(1, 13)), "held", (("$0", "made"),)) for way in range(8)
    )
    monkeypatch.setitem(by_hand.CALLS, "fill", Effects(transfers=(Transfer((), "heap-memory", "heap-memory", outcomes),)))
    monkeypatch.setattr(State, "copy", counted)
    flow = Flow().call("", "fill", "p", *(f"n{number}" for number in range(12))).call("", "free", "p").ret("=0")
    check(flow.linked(), flow.effects(), Question(flow.where("fill"), "", flow.where("free"), flow.where("free"), flow.language))
    assert copies > MAX_FAILING
