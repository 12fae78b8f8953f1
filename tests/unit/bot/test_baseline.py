"""The baseline file: sorted, one finding a line, strict."""

from __future__ import annotations

import pytest

from bot.baseline import Baseline, Entry, parse
from bot.errors import CannotRun

A = Entry(fingerprint="aaaa", rule="r", path="b.c", procedure="f", reason="known", date="2026-01-02")
B = Entry(fingerprint="bbbb", rule="r", path="a.c", procedure="g", reason="naïve", date="2026-01-01")


def test_one_finding_a_line_sorted_by_place() -> None:
    text = Baseline().with_entry(A).with_entry(B).text()
    lines = text.decode().splitlines()
    assert [line[:24] for line in lines[1:3]] == [' {"fingerprint":"bbbb","', ' {"fingerprint":"aaaa","']
    assert len(lines) == 4
    assert parse(text, "x") == Baseline(findings=(B, A))


def test_an_entry_is_replaced_not_doubled() -> None:
    again = Entry(fingerprint="aaaa", path="b.c", reason="other", date="2026-02-02")
    baseline = Baseline().with_entry(A).with_entry(again)
    assert baseline.findings == (again,)
    assert baseline.entry("aaaa") == again
    assert baseline.entry("none") is None


def test_an_empty_baseline_reads_back() -> None:
    assert parse(Baseline().text(), "x") == Baseline()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"{", "b.json: not a baseline"),
        (b'{"schema": "leakmend-baseline/9", "findings": []}', "another version"),
        (b'{"findings": [{"fingerprint": "a", "date": "d"}]}', "missing required field `reason`"),
        (b'{"finding": []}', "unknown field `finding`"),
        (b"\xff", "not a baseline"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: bytes, words: str) -> None:
    with pytest.raises(CannotRun) as error:
        parse(text, "b.json")
    assert words in str(error.value)
    assert "\n" not in str(error.value)
