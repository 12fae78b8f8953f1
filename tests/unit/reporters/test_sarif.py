"""SARIF: the 2.1.0 schema, and what GitHub takes."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import jsonschema
import msgspec
import pytest

from analyzers.finding import Role, Step
from analyzers.rules import RULES
from bot.report import Outcome, Report
from bot.reporters import sarif
from bot.reporters.page import Page
from fixers.fix import Declined, Fix
from tests.conftest import check_golden
from tests.unit.reporters import reports

SCHEMA = pathlib.Path(__file__).parent / "schema" / "sarif-2.1.0.json"
GOLDENS = pathlib.Path(__file__).parents[2] / "goldens" / "reports"


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()), format_checker=jsonschema.FormatChecker())


def log_of(report: Report) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(sarif.render(report, Page()))
    return log


@pytest.mark.parametrize("report", [reports.review_report(), reports.scan_report(), Report(outcomes=())])
def test_it_is_valid(report: Report, schema: jsonschema.Draft7Validator) -> None:
    assert [(error.json_path, error.message) for error in schema.iter_errors(log_of(report))] == []


def test_golden_sarif() -> None:
    check_golden(GOLDENS / "review.sarif", sarif.render(reports.review_report(), Page()))


def test_what_the_change_did_is_the_baseline_state() -> None:
    (run,) = log_of(reports.review_report())["runs"]
    states = [(result["baselineState"], bool(result.get("suppressions"))) for result in run["results"]]
    assert states == [("new", False), ("new", False), ("unchanged", False), ("new", True), ("absent", False)]
    (scan,) = log_of(reports.scan_report())["runs"]
    assert not any("baselineState" in result for result in scan["results"])


def test_paths_fixes_fingerprints_and_rules() -> None:
    (run,) = log_of(reports.review_report())["runs"]
    first = run["results"][0]
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [10, 11, 12]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3]
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"].lstrip().startswith("try (")
    assert first["partialFingerprints"]["primaryLocationLineHash"] == reports.java_finding().fingerprint + ":1"
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["helpUri"].startswith("https://")
        assert f"external/cwe/cwe-{(rule['id'] == 'unreleased-memory' and 401) or 772}" in rule["properties"]["tags"]
        assert rule["help"]["markdown"].startswith(f"# {rule['id']}")
    assert len(rules) == 2


def test_every_rule_has_its_metadata(schema: jsonschema.Draft7Validator) -> None:
    outcomes = []
    for text in RULES:
        finding = msgspec.structs.replace(reports.c_finding(), rule=text.rule.id, cwe=text.rule.cwe)
        outcomes.append(Outcome(finding=finding, answer=Declined(finding, "no"), fingerprint=finding.fingerprint))
    log = log_of(msgspec.structs.replace(reports.scan_report(), outcomes=tuple(outcomes)))
    assert [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]] == sorted(t.rule.id for t in RULES)
    assert list(schema.iter_errors(log)) == []


def test_a_rule_without_text_is_no_error(schema: jsonschema.Draft7Validator) -> None:
    finding = msgspec.structs.replace(reports.c_finding(), rule="brand-new", cwe=404)
    outcome = Outcome(finding=finding, answer=Declined(finding, "no"), fingerprint="0" * 16)
    log = log_of(msgspec.structs.replace(reports.scan_report(), outcomes=(outcome,)))
    assert list(schema.iter_errors(log)) == []


def test_the_limits_of_github(schema: jsonschema.Draft7Validator, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = reports.c_finding()
    steps = (*finding.witness[:-1], *(Step(Role.BRANCH, finding.lost, "x" * 5000),) * 2000, finding.witness[-1])
    long = msgspec.structs.replace(finding, witness=steps, exits=(finding.lost,) * 500, message="m" * 70_000)
    outcome = Outcome(finding=long, answer=Declined(long, "no"), fingerprint="0" * 16)
    monkeypatch.setattr(sarif, "MAX_RESULTS", 3)
    report = msgspec.structs.replace(reports.scan_report(), outcomes=(outcome,) * 5)
    log = log_of(report)
    (run,) = log["runs"]
    assert len(run["results"]) == 3
    result = run["results"][0]
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 1000
    assert len(result["relatedLocations"]) <= 100
    assert len(result["message"]["text"]) <= 1000
    assert "2 results left out" in run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert list(schema.iter_errors(log)) == []


def test_names_of_files_become_uris(schema: jsonschema.Draft7Validator) -> None:
    path = "src/a b/50% #1?.c"
    finding = reports.c_finding()
    moved = msgspec.structs.replace(
        finding,
        path=path,
        acquired=msgspec.structs.replace(finding.acquired, path=path),
        lost=msgspec.structs.replace(finding.lost, path=path),
        exits=(),
        witness=tuple(
            msgspec.structs.replace(step, span=msgspec.structs.replace(step.span, path=path))
            for step in finding.witness
        ),
    )
    outcome = Outcome(finding=moved, answer=Fix(moved, "t", (), ()), fingerprint="0" * 16)
    report = msgspec.structs.replace(
        reports.scan_report(), outcomes=(outcome,), notes=(), sources={path: reports.C.encode()}
    )
    log = log_of(report)
    result = log["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/a%20b/50%25%20%231%3F.c"
    assert "fixes" not in result
    assert list(schema.iter_errors(log)) == []


def test_an_unfinished_run_says_so() -> None:
    log = log_of(msgspec.structs.replace(reports.scan_report(), complete=False))
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False
