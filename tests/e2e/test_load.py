"""The receiver under load: GitHub waits ten seconds. That leakmend answers within one is measured by `benchmarks.server`, on a
machine that does nothing else."""

from __future__ import annotations

from benchmarks.server import PULLS, measured
from tests.conftest import require_tool

GITHUB_WAITS = 10.0
"""Seconds."""


def test_two_thousand_deliveries_are_answered_while_github_waits() -> None:
    require_tool("git")
    result = measured(2000, 20)
    assert set(result.statuses) == {202}
    assert result.times[-1] < GITHUB_WAITS, f"{result.times[-1]:.2f} s"
    assert result.waiting == PULLS, "one job per pull request"
