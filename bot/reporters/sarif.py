"""`--format sarif`: SARIF 2.1.0 for code scanning, within GitHub's limits.

Witness paths become code flows, patches become fixes, what the change did becomes `baselineState`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

import msgspec

import templates
from analyzers.finding import Confidence, Finding, Note, Step
from analyzers.rules import RuleText, rule_text
from analyzers.source import Span
from bot.report import Outcome, Report, Suppressed
from bot.reporters.json import binary, clean
from bot.reporters.page import Page
from bot.reporters.view import Sources, by_weight, checks, files_of, version
from fixers.fix import Fix

MAX_RESULTS = 25_000
MAX_STEPS = 1_000
MAX_RELATED = 100
MAX_TEXT = 1_000
"""GitHub refuses more results, shows no more steps and related places, and cuts longer messages."""

Json = Mapping[str, object]
_LEVELS = {Confidence.WITNESSED: "warning", Confidence.ASSUMED: "note"}


def render(report: Report, page: Page) -> str:
    """The report as a SARIF log, the same bytes for the same report."""
    return msgspec.json.format(msgspec.json.encode(log(report)), indent=1).decode() + "\n"


def log(report: Report) -> Json:
    """The whole log: one run."""
    sources, before = Sources(report.sources), Sources(report.baseline_sources)
    results = [_result(outcome, sources, report) for outcome in by_weight(report.outcomes)]
    results += [_silenced(silenced, sources, report) for silenced in report.suppressed]
    results += [{**_result(outcome, before, report), "baselineState": "absent"} for outcome in report.fixed]
    left_out = len(results) - MAX_RESULTS
    outcomes = [*report.outcomes, *report.fixed, *(silenced.outcome for silenced in report.suppressed)]
    rules = sorted({outcome.finding.rule for outcome in outcomes})
    numbers = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "leakmend",
                "version": version(),
                "semanticVersion": version(),
                "rules": [_rule(rule, outcomes) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The scanned folder or repository."}}},
        "automationDetails": {"id": "leakmend/"},
        "invocations": [
            {
                "executionSuccessful": report.complete,
                "toolExecutionNotifications": [
                    *(_notification(note, sources) for note in report.notes),
                    *(_cut(left_out) if left_out > 0 else ()),
                ],
            }
        ],
        "results": [{**result, "ruleIndex": numbers[str(result["ruleId"])]} for result in results[:MAX_RESULTS]],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


# --- results


def _result(outcome: Outcome, sources: Sources, report: Report) -> Json:
    finding = outcome.finding
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.confidence],
        "message": {"text": _text(finding.message)},
        "locations": [_location(finding.acquired, sources, finding.procedure)],
        "relatedLocations": _related(finding, sources),
        "codeFlows": [{"threadFlows": [{"locations": _steps(finding.witness, sources)}]}],
        "partialFingerprints": {
            "leakmend/v1": outcome.fingerprint,
            "primaryLocationLineHash": f"{outcome.fingerprint}:1",
        },
        "properties": {
            "confidence": finding.confidence.value,
            "detectors": list(finding.detectors),
            "resource": clean(finding.resource),
            "cwe": finding.cwe,
        },
    }
    if outcome.introduced is not None:
        result["baselineState"] = "new" if outcome.introduced else "unchanged"
    if isinstance(outcome.answer, Fix) and _fits(outcome.answer, sources):
        result["fixes"] = [_fix(outcome.answer, sources)]
    return result


def _silenced(silenced: Suppressed, sources: Sources, report: Report) -> Json:
    kind = "inSource" if silenced.by in ("comment", "annotation") else "external"
    mark = {"kind": kind, "status": "accepted", "justification": _text(silenced.reason)}
    return {**_result(silenced.outcome, sources, report), "suppressions": [mark]}


def _related(finding: Finding, sources: Sources) -> list[Json]:
    """The places where the handle is lost: what a reader wants to jump to."""
    places = sorted({finding.lost, *finding.exits})[:MAX_RELATED]
    return [
        {"id": number, **_location(span, sources, ""), "message": {"text": "lost here"}}
        for number, span in enumerate(places, start=1)
    ]


def _steps(witness: Sequence[Step], sources: Sources) -> list[Json]:
    kept = witness if len(witness) <= MAX_STEPS else [*witness[: MAX_STEPS - 1], witness[-1]]
    return [
        {
            "location": {**_location(step.span, sources, ""), "message": {"text": _text(step.note or step.role.value)}},
            "kinds": [step.role.value],
            "importance": "essential" if number in (0, len(kept) - 1) else "important",
            "executionOrder": number + 1,
        }
        for number, step in enumerate(kept)
    ]


def _fix(fix: Fix, sources: Sources) -> Json:
    proof = "; ".join(f"{check.name}: {check.verdict.value}" for check in checks(fix))
    title = f"{fix.title} ({fix.applicability.value}; {proof})" if proof else fix.title
    return {
        "description": {"text": _text(title)},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(path),
                "replacements": [
                    {
                        "deletedRegion": _region(edit.span, sources),
                        "insertedContent": {"binary": whole} if (whole := binary(edit.text)) else {"text": clean(edit.text)},
                    }
                    for edit in own
                ],
            }
            for path, own in files_of(fix.edits).items()
        ],
    }


def _fits(fix: Fix, sources: Sources) -> bool:
    """Whether there is something to change, and it lies within the files."""
    return bool(fix.edits) and all(edit.span.end <= len(sources.read(edit.span.path)) for edit in fix.edits)


# --- places


def _location(span: Span, sources: Sources, procedure: str) -> dict[str, object]:
    location: dict[str, object] = {
        "physicalLocation": {"artifactLocation": _artifact(span.path), "region": _region(span, sources)}
    }
    if procedure:
        location["logicalLocations"] = [{"fullyQualifiedName": clean(procedure), "kind": "function"}]
    return location


def _artifact(path: str) -> Json:
    return {"uri": quote(path, safe="/-._~!$&'()*+,;=@"), "uriBaseId": "SRCROOT"}


def _region(span: Span, sources: Sources) -> Json:
    place = sources.place(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "byteOffset": span.start,
        "byteLength": span.end - span.start,
    }


# --- rules and notes


def _rule(rule: str, outcomes: Iterable[Outcome]) -> Json:
    text = rule_text(rule)
    cwe = text.rule.cwe if text else next(o.finding.cwe for o in outcomes if o.finding.rule == rule)
    entry: dict[str, object] = {
        "id": rule,
        "name": "".join(word.capitalize() for word in rule.split("-")),
        "shortDescription": {"text": text.rule.title if text else rule},
        "helpUri": f"https://cwe.mitre.org/data/definitions/{cwe}.html",
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["leak", "resource-management", f"external/cwe/cwe-{cwe:03}"], "precision": "high"},
    }
    if text:
        entry["fullDescription"] = {"text": text.what}
        entry["help"] = _help(text)
    return entry


def _help(text: RuleText) -> Json:
    plain = "\n\n".join((text.what, text.why, text.decides, text.silence))
    return {"text": plain, "markdown": templates.render("rule.md", text=text)}


def _notification(note: Note, sources: Sources) -> Json:
    notification: dict[str, object] = {
        "descriptor": {"id": note.kind.value},
        "level": "note",
        "message": {"text": _text(note.text)},
    }
    if note.span.path:
        notification["locations"] = [_location(note.span, sources, "")]
    return notification


def _cut(left_out: int) -> Iterable[Json]:
    yield {"level": "warning", "message": {"text": f"{left_out} results left out: a log holds at most {MAX_RESULTS}"}}


def _text(text: str) -> str:
    """A message that no reader cuts for us."""
    cleaned = clean(text) or "-"
    return cleaned if len(cleaned) <= MAX_TEXT else cleaned[: MAX_TEXT - 1] + "…"
