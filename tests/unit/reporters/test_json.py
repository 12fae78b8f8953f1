"""The contract's JSON, field by field."""

from __future__ import annotations

import base64
import json
import pathlib

import msgspec

from analyzers.source import Span
from bot.report import Outcome
from bot.reporters import json as reporter
from bot.reporters import sarif
from bot.reporters.page import Page
from fixers.fix import Declined, Edit, Fix
from tests.conftest import check_golden
from tests.unit.reporters import reports

GOLDENS = pathlib.Path(__file__).parents[2] / "goldens" / "reports"


def test_golden_review() -> None:
    text = reporter.render(reports.review_report(), Page())
    check_golden(GOLDENS / "review.json", text)


def test_golden_scan() -> None:
    check_golden(GOLDENS / "scan.json", reporter.render(reports.scan_report(), Page()))


def test_the_fields_of_the_contract() -> None:
    document = json.loads(reporter.render(reports.review_report(), Page()))
    assert document["schema"] == "leakmend/1"
    assert {"tool", "complete", "findings", "fixed", "suppressed", "notes"} <= document.keys()
    assert "stats" not in document
    finding = document["findings"][0]
    wanted = (
        "fingerprint rule cwe language detectors confidence path procedure resource acquired lost message witness "
        "introduced was cluster answer"
    )
    assert set(wanted.split()) <= finding.keys()
    answer = finding["answer"]
    assert (answer["kind"], answer["applicability"]) == ("fix", "safe")
    assert set(answer["checks"][0]) == {"name", "verdict", "reason"}
    assert set(answer["edits"][0]) == {"path", "start", "end", "text"}
    assert [each["introduced"] for each in document["findings"]] == [True, False, True]
    assert document["findings"][1]["answer"]["kind"] == "declined"
    assert "answer" not in document["fixed"][0]
    assert document["notes"][1]["line"] is None
    assert {each["introduced"] for each in json.loads(reporter.render(reports.scan_report(), Page()))["findings"]} == {None}


def test_stats_appear_only_when_asked_for() -> None:
    plain = json.loads(reporter.render(reports.review_report(), Page()))
    counted = json.loads(reporter.render(reports.review_report(), Page(has_stats=True)))
    assert counted.pop("stats") == {"procedures redone": 3.0, "seconds": 0.5}
    assert counted == plain


def test_columns_count_code_points_and_offsets_bytes() -> None:
    source = 'x = "é😀"; open(f)\n'
    data = source.encode()
    start = data.index(b"open")
    span = Span("a.c", start, start + 7)
    finding = msgspec.structs.replace(
        reports.c_finding(), path="a.c", acquired=span, lost=span, witness=(reports.c_finding().witness[0],)
    )
    edit = Edit(Span("a.c", start, start), "y;")
    outcome = Outcome(finding=finding, answer=Fix(finding, "t", (edit,), ()), fingerprint="f" * 16)
    report = msgspec.structs.replace(reports.scan_report(), outcomes=(outcome,), notes=(), sources={"a.c": data})
    found = json.loads(reporter.render(report, Page()))["findings"][0]
    assert found["acquired"] == {"path": "a.c", "line": 1, "column": 11}
    assert found["answer"]["edits"][0]["start"] == start


def test_a_suggestion_has_to_lie_in_one_hunk_of_the_change() -> None:
    report = reports.review_report()
    inside = json.loads(reporter.render(report, Page()))["findings"][2]["answer"]["suggestion"]
    assert (inside["path"], inside["first_line"], inside["last_line"]) == ("src/table.c", 13, 14)
    outside = msgspec.structs.replace(report, hunks={"src/table.c": ((9, 13), (14, 20))})
    assert json.loads(reporter.render(outside, Page()))["findings"][2]["answer"]["suggestion"] is None
    scan = json.loads(reporter.render(reports.scan_report(), Page()))
    assert scan["findings"][2]["answer"]["suggestion"] is not None


def test_bytes_that_are_no_utf8_do_not_break_it() -> None:
    finding = msgspec.structs.replace(reports.c_finding(), message="caf\udce9 is lost")
    outcome = Outcome(finding=finding, answer=Declined(finding, "\udcff"), fingerprint="f" * 16)
    report = msgspec.structs.replace(reports.scan_report(), outcomes=(outcome,))
    found = json.loads(reporter.render(report, Page()))["findings"][0]
    assert found["message"] == "caf\\xe9 is lost"


def test_an_edit_of_other_bytes_says_them_exactly() -> None:
    """Who applies it would spoil a comment of Latin-1 by the text."""
    fix = reports.c_fix()
    text = "\n    free(t); // f\udcfcr"
    finding = reports.c_finding()
    edits = (msgspec.structs.replace(fix.edits[0], text=text), fix.edits[1])
    outcome = Outcome(finding=finding, answer=Fix(finding, "t", edits, ()), fingerprint="f" * 16)
    report = msgspec.structs.replace(reports.scan_report(), outcomes=(outcome,))
    answer = json.loads(reporter.render(report, Page()))["findings"][0]["answer"]
    first, second = answer["edits"]
    assert first["text"] == "\n    free(t); // f\\xfcr"
    assert base64.b64decode(first["binary"]) == b"\n    free(t); // f\xfcr"
    assert "binary" not in second
    assert answer["suggestion"] is None
    replaced = json.loads(sarif.render(report, Page()))["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
    assert [set(each["insertedContent"]) for each in replaced] == [{"binary"}, {"text"}]
