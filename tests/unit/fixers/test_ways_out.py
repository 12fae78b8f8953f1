"""How many ways out of one call are walked on from."""

from __future__ import annotations

import pytest

from analyzers.summaries import Condition, Effects, Outcome, Transfer
from fixers.paths import Question, check
from fixers.paths.few import WAYS
from tests.unit.fixers import flow as by_hand
from tests.unit.fixers.flow import Flow


def _made(count: int) -> Effects:
    """A callee that makes so many things, each of them or not."""
    return Effects(
        transfers=tuple(
            Transfer((), "heap-memory", "heap-memory", (Outcome("return", (Condition((f"${number}",), "!=", "=0"),), "held", (("$0", f"m{number}"),)),))
            for number in range(1, count + 1)
        )
    )


@pytest.mark.parametrize("count, is_walked", [(3, True), (24, False)])
def test_a_call_that_may_end_in_too_many_ways_is_not_walked_on_from(monkeypatch: pytest.MonkeyPatch, count: int, *, is_walked: bool) -> None:
    monkeypatch.setitem(by_hand.CALLS, "fill", _made(count))
    names = [f"n{number}" for number in range(count)]
    flow = Flow().call("", "fill", "p", *names).call("", "free", "p").ret("=0")
    question = Question(flow.where("fill"), "", flow.where("free"), flow.where("free"), flow.language)
    report = check(flow.linked(), flow.effects(), question)
    assert report.is_finished is is_walked
    assert 1 << count > WAYS or is_walked
    assert is_walked or not report.is_proved
