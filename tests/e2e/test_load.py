"""The receiver under load: GitHub waits ten seconds, leakmend answers within one."""

from __future__ import annotations

from benchmarks.server import GOAL, PULLS, measured
from tests.conftest import require_tool


def test_two_thousand_deliveries_are_answered_at_once() -> None:
    require_tool("git")
    result = measured(2000, 20)
    assert set(result.statuses) == {202}
    assert result.p99 < GOAL, f"{result.p99:.2f} s"
    assert result.waiting == PULLS, "one job per pull request"
