"""The text that the bot posts: its order, its size, and what strangers' text cannot do in it."""

from __future__ import annotations

import pathlib
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.finding import Confidence, Role, Step
from bot.report import Outcome, Report
from bot.reporters import markdown
from bot.reporters.markup import code, fence, link, prose
from bot.reporters.page import Page
from fixers.fix import Declined, Edit, Fix
from tests.conftest import check_golden
from tests.unit.reporters import reports

GOLDENS = pathlib.Path(__file__).parents[2] / "goldens" / "reports"
PAGE = Page(permalink="https://github.example/shop/blob/" + "2" * 40 + "/")


def test_golden_review() -> None:
    check_golden(GOLDENS / "review.md", markdown.render(reports.review_report(), PAGE))


def test_golden_scan() -> None:
    check_golden(GOLDENS / "scan.md", markdown.render(reports.scan_report(), Page()))


def comment(number: int, report: Report | None = None) -> str:
    report = report or reports.review_report()
    return markdown.comment(report.outcomes[number], report, PAGE)


def test_the_order_of_a_comment() -> None:
    text = comment(0)
    parts = ["`in` is not closed", "```suggestion", "Safe: all 11 checks", "<details>", "1. [`src", "`77629b9b`",
             "/leakcheck fix 77629b9b", "/leakcheck ignore 77629b9b"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "a bot" in text


def test_a_suggestion_is_one_or_none() -> None:
    assert comment(0).count("```suggestion") == 1
    elsewhere = msgspec.structs.replace(reports.review_report(), hunks={})
    text = comment(0, elsewhere)
    assert "```suggestion" not in text
    assert text.count("```diff") == 1
    assert "/leakcheck fix 77629b9b" in text


def test_assumptions_are_spelled_out() -> None:
    text = comment(2)
    assert "Not proved safe: 10 of 11 checks are proved." in text
    assert "released only if acquired (`load` is unknown and may close it)" in text


def test_no_patch_says_why() -> None:
    text = comment(1)
    assert "No patch: `wrap` returns what it was given" in text
    assert "/leakcheck fix" not in text
    assert "/leakcheck explain" in text
    assert "_Assumed" in text


def unfolded(text: str) -> int:
    return len(re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL).strip().split("\n"))


@pytest.mark.parametrize("lines", [1, 8, 12, 40, 4000])
def test_at_most_twenty_lines_stand_open(lines: int) -> None:
    fix = reports.java_fix()
    edit = msgspec.structs.replace(fix.edits[0], text="        call();\n" * lines)
    report = reports.review_report()
    outcome = reports.outcome(fix.finding, msgspec.structs.replace(fix, edits=(edit,)))
    text = markdown.comment(outcome, report, PAGE)
    assert unfolded(text) <= 20, text
    assert len(text) <= markdown.MAX_BODY


def test_no_body_outgrows_what_github_takes() -> None:
    report = reports.review_report()
    outcomes = tuple(
        msgspec.structs.replace(outcome, fingerprint=f"{number:016x}")
        for number in range(4000)
        for outcome in report.outcomes[:1]
    )
    notes = report.notes * 3000
    big = msgspec.structs.replace(report, outcomes=outcomes, notes=notes)
    text = markdown.summary(big, PAGE)
    assert len(text) <= markdown.MAX_BODY
    assert "3940 more" in text or "more: `leakmend review`" in text
    finding = msgspec.structs.replace(
        reports.c_finding(),
        witness=tuple(Step(Role.BRANCH, reports.c_finding().lost, "n" * 3000) for _ in range(300)),
        message="m" * 90_000,
    )
    huge = Edit(reports.c_fix().edits[1].span, "x();\n" * 30_000)
    outcome = reports.outcome(finding, Fix(finding, "Free", (huge,), ()))
    text = markdown.comment(outcome, report, PAGE)
    assert len(text) <= markdown.MAX_BODY
    assert "too long" in text


def test_a_clean_change_is_one_line() -> None:
    text = markdown.summary(Report(outcomes=(), base="1" * 40), PAGE)
    assert text.startswith("### This change introduces no leaks\n")
    assert "<details>" not in text


def test_settings_that_the_change_touches_take_effect_when_merged() -> None:
    report = msgspec.structs.replace(reports.review_report(), changed_settings=(".leakmend.toml",))
    assert "`.leakmend.toml`: takes effect when merged." in markdown.summary(report, PAGE)


# --- text of strangers

EVIL = [
    "@everyone look",
    "<script>alert(1)</script>",
    "</details><img src=x onerror=y>",
    "[click](https://evil.example)",
    "see https://evil.example and www.evil.example",
    "fixes #123 and GH-7 and owner/repo#1",
    "`@team` closes `",
    "``` suggestion\nrm\n```",
    "<!-- leakmend:fp=0 -->",
    "line\n\n# heading\n- item",
    "*bold* _it_ ~~x~~ ![i](x)",
    "a | b",
]


def outside_of_code(text: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("text", EVIL)
def test_prose_is_neutralised(text: str) -> None:
    written = prose(text)
    assert "\n" not in written
    bare = outside_of_code(written)
    assert not re.search(r"@\w", bare)
    assert "<" not in bare
    assert not re.search(r"(?<!\\)[\[\]*_~|!#]", bare)
    assert not re.search(r"#\d", bare)
    assert "GH-7" not in bare
    assert "://" not in bare
    assert not re.search(r"www\.\w", bare)


@given(st.text(max_size=60))
def test_no_text_breaks_out_of_a_code_span(text: str) -> None:
    span = code(text)
    match = re.fullmatch(r"(`+)(?!`)(.*?)(?<!`)\1", span)
    assert match is not None
    assert match[1] not in re.findall("`+", match[2])


@given(st.text(alphabet="`ab\n", max_size=60))
def test_no_text_breaks_out_of_a_fence(text: str) -> None:
    lines = fence(text, "suggestion").split("\n")
    ticks = lines[0].removesuffix("suggestion")
    assert len(ticks) >= 3
    assert lines[-1] == ticks
    assert not any(line.strip().startswith(ticks) for line in lines[1:-1])


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(EVIL), st.sampled_from(("message", "procedure", "note", "reason", "title", "check")))
def test_no_field_of_a_comment_lets_it_through(evil: str, field: str) -> None:
    finding = reports.c_finding()
    fix = reports.c_fix()
    declined = "plain"
    match field:
        case "message":
            finding = msgspec.structs.replace(finding, message=evil)
        case "procedure":
            finding = msgspec.structs.replace(finding, procedure=evil)
        case "note":
            finding = msgspec.structs.replace(finding, witness=(Step(Role.ACQUIRE, finding.acquired, evil),))
        case "title":
            fix = msgspec.structs.replace(fix, title=evil)
        case "check":
            checks = tuple(msgspec.structs.replace(check, reason=evil) for check in fix.proof)
            fix = msgspec.structs.replace(fix, proof=checks)
        case _:
            declined = evil
    report = reports.review_report()
    answer = Declined(finding, declined) if field == "reason" else msgspec.structs.replace(fix, finding=finding)
    outcome = Outcome(finding=finding, answer=answer, fingerprint="0" * 16, introduced=True)
    text = markdown.comment(outcome, report, PAGE)
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.count("<!-- leakmend") == 1
    bare = outside_of_code(re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE))
    assert "@everyone" not in bare
    assert "<script" not in bare
    assert "<img" not in bare
    assert "](https://evil" not in bare


def test_names_of_files_in_links() -> None:
    written = link("a b/`c`](x).c", 3, "https://h/")
    assert written == "[``a b/`c`](x).c:3``](https://h/a%20b/%60c%60%5D%28x%29.c#L3)"


def test_a_suggestion_with_backticks_and_carriage_returns() -> None:
    assert fence("a ```` b\r\n", "suggestion") == "`````suggestion\na ```` b\n`````"


def test_assumed_findings_stay_folded() -> None:
    report = reports.review_report()
    assumed = msgspec.structs.replace(report.outcomes[0].finding, confidence=Confidence.ASSUMED)
    outcome = msgspec.structs.replace(report.outcomes[0], finding=assumed)
    quiet = msgspec.structs.replace(report, outcomes=(outcome,))
    text = markdown.render(quiet, PAGE)
    assert "1 assumed, or in test code" in text
    assert "```suggestion" not in text
    tested = msgspec.structs.replace(report, outcomes=(msgspec.structs.replace(report.outcomes[0], is_test=True),))
    assert "```suggestion" not in markdown.render(tested, PAGE)


def test_a_patch_for_several_is_shown_once() -> None:
    report = reports.review_report()
    first = report.outcomes[0]
    other = msgspec.structs.replace(first, fingerprint="beef" * 4, together=(first.fingerprint,))
    first = msgspec.structs.replace(first, together=(other.fingerprint,))
    both = msgspec.structs.replace(report, outcomes=(first, other))
    assert "It also mends `beefbeef`." in markdown.comment(first, both, PAGE)
    second = markdown.comment(other, both, PAGE)
    assert "```suggestion" not in second
    assert "The patch under `77629b9b` mends this, too." in second
    assert markdown.render(both, PAGE).count("```suggestion") == 1
