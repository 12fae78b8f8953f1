"""The text for terminals: wide and narrow, with colours and without."""

from __future__ import annotations

import pathlib
import re

import msgspec
import pytest

from analyzers.finding import Role, Step
from analyzers.source import Span
from bot.report import Report
from bot.reporters import terminal
from bot.reporters.page import Page
from tests.conftest import check_golden
from tests.unit.reporters import reports

GOLDENS = pathlib.Path(__file__).parents[2] / "goldens" / "reports"


@pytest.mark.parametrize("width", [100, 48])
def test_golden_text(width: int) -> None:
    check_golden(GOLDENS / f"review-{width}.txt", terminal.render(reports.review_report(), Page(width=width)))


def test_golden_explained() -> None:
    report = reports.review_report()
    check_golden(GOLDENS / "explained.txt", terminal.explained(report.outcomes[2], report, Page(width=100)))


def test_colours_and_links_only_where_they_are_understood() -> None:
    report = reports.review_report()
    plain = terminal.render(report, Page(folder="/x y"))
    assert "\x1b" not in plain
    colored = terminal.render(report, Page(has_color=True, folder="/x y"))
    assert "\x1b[31m" in colored
    assert "\x1b]8;" not in colored
    linked = terminal.render(report, Page(has_color=True, has_links=True, folder="/x y"))
    assert "file:///x%20y/src/table.c" in linked
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert "file is" not in bare and "t is not freed" in bare, "code in prose stands out by weight, not by backticks"
    assert "`t` is not freed" in plain


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_prose_keeps_within_the_width(width: int) -> None:
    text = terminal.render(reports.review_report(), Page(width=width))
    for line in text.splitlines():
        is_source = "│" in line or re.match(r"\s+[-+@ ]", line)
        assert is_source or len(line) <= max(width, 30), line


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    finding = msgspec.structs.replace(
        reports.c_finding(),
        message="\x1b[2Jgone \x07",
        witness=(Step(Role.ACQUIRE, Span("a.c", 0, 3), "\x1b]0;title\x07"),),
        acquired=Span("a.c", 0, 3),
        lost=Span("a.c", 0, 3),
    )
    outcome = reports.outcome(finding, reports.c_fix())
    report = Report(outcomes=(outcome,), sources={"a.c": b"x\x1b[31m\ty\n"})
    text = terminal.render(report, Page())
    assert "\x1b" not in text
    assert "\x07" not in text


def test_a_marker_stands_under_its_code_also_after_tabs_and_wide_columns() -> None:
    source = "\tint é = open(f);\n"
    start = source.encode().index(b"open")
    span = Span("a.c", start, start + 7)
    finding = msgspec.structs.replace(
        reports.c_finding(), acquired=span, lost=span, witness=(Step(Role.ACQUIRE, span, "opened"),)
    )
    report = Report(outcomes=(reports.outcome(finding, reports.c_fix()),), sources={"a.c": source.encode()})
    lines = terminal.render(report, Page()).splitlines()
    at = next(index for index, line in enumerate(lines) if "open(f)" in line)
    assert lines[at].index("open(f)") == lines[at + 1].index("─")
    assert lines[at + 1].count("─") == 7


def test_no_findings_is_one_line() -> None:
    assert terminal.render(Report(outcomes=(), repository="shop"), Page()) == "No leaks found in shop.\n"
    assert terminal.render(Report(outcomes=(), base="1"), Page()) == "This change introduces no leaks.\n"


def test_many_findings_are_cut_and_counted() -> None:
    report = reports.scan_report()
    many = msgspec.structs.replace(report, outcomes=report.outcomes[:1] * 100, notes=report.notes * 50)
    text = terminal.render(many, Page())
    assert text.count("Safe patch:") == terminal.MAX_CARDS
    assert "… and 20 more" in text
    assert "100 leaks in shop" in text


def test_an_unfinished_run_and_remarks_are_said() -> None:
    report = msgspec.structs.replace(
        reports.review_report(), complete=False, remarks=("read as asked",), changed_settings=(".leakmend.toml",)
    )
    text = terminal.render(report, Page())
    assert "time budget ran out" in text
    assert "read as asked." in text
    assert ".leakmend.toml: takes effect when merged." in text


def test_a_diff_stays_what_git_apply_takes() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b \n"
    assert terminal.styled_diff(patch, Page()) == patch
    assert "\x1b[32m+b" in terminal.styled_diff(patch, Page(has_color=True))
