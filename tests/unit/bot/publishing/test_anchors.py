from __future__ import annotations

import msgspec
import pytest

from bot.publishing.anchors import Lines, WholeFile, anchor
from bot.reporters.view import Sources
from tests.unit.reporters.reports import review_report


@pytest.mark.parametrize("index", [0, 1])
def test_an_anchor_lies_in_one_hunk_on_the_file_or_nowhere(index: int) -> None:
    report = review_report()
    outcome = report.introduced[index]
    path = outcome.finding.acquired.path
    sources = Sources(report.sources)
    where = anchor(outcome, report, sources)
    assert isinstance(where, Lines)
    assert any(first <= where.first <= where.last <= last for first, last in report.hunks[where.path])
    elsewhere = msgspec.structs.replace(report, hunks={path: ()})
    assert anchor(outcome, elsewhere, sources) == WholeFile(path)
    assert anchor(outcome, msgspec.structs.replace(report, hunks={}), sources) is None
