"""`--format json`: the contract's form, field by field. SARIF and HTML are made from it too."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import msgspec

from analyzers.finding import Note
from analyzers.source import Span
from bot.report import Outcome, Report, Suppressed
from bot.reporters.page import Page
from bot.reporters.view import Sources, checks, is_text, one_click, version
from fixers.edits import one_each
from fixers.fix import Declined, Fix

SCHEMA = "leakmend/1"


class Tool(msgspec.Struct, frozen=True):
    """Who wrote the report."""

    version: str


class Place(msgspec.Struct, frozen=True):
    """Lines and columns count from 1, columns in code points."""

    path: str
    line: int
    column: int


class Step(msgspec.Struct, frozen=True):
    """One step of the witness path."""

    role: str
    path: str
    line: int
    column: int
    note: str


class Edit(msgspec.Struct, frozen=True):
    """Replace the bytes [start, end) of the raw file by `text`; where that holds bytes of the file that are not UTF-8, by `binary`, which is
    all of it in base64."""

    path: str
    start: int
    end: int
    text: str
    binary: str | msgspec.UnsetType = msgspec.UNSET


class Check(msgspec.Struct, frozen=True):
    """One safety condition of a fix."""

    name: str
    verdict: str
    reason: str


class Suggestion(msgspec.Struct, frozen=True):
    """The fix as one block of lines, where it is one: replace first_line to last_line by `text`."""

    path: str
    first_line: int
    last_line: int
    text: str


class FixAnswer(msgspec.Struct, frozen=True, tag_field="kind", tag="fix"):
    """A patch with its proof."""

    applicability: str
    title: str
    edits: list[Edit]
    checks: list[Check]
    suggestion: Suggestion | None = None
    together: list[str] = []


class DeclinedAnswer(msgspec.Struct, frozen=True, tag_field="kind", tag="declined"):
    """No patch, and why."""

    reason: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A finding and its answer. What a change fixed has no answer, and is not introduced."""

    fingerprint: str
    rule: str
    cwe: int
    language: str
    detectors: list[str]
    confidence: str
    path: str
    procedure: str
    resource: str
    acquired: Place
    lost: Place
    message: str
    witness: list[Step]
    introduced: bool | None = None
    was: str | None = None
    cluster: str = ""
    detail: str = ""
    test: bool = False
    answer: FixAnswer | DeclinedAnswer | msgspec.UnsetType = msgspec.UNSET


class Silenced(msgspec.Struct, frozen=True):
    """A finding that somebody silenced."""

    fingerprint: str
    by: str
    reason: str
    rule: str
    path: str
    line: int
    added: bool


class Omitted(msgspec.Struct, frozen=True):
    """What was not analysed; `line` is null where a whole file is meant."""

    kind: str
    path: str
    line: int | None
    text: str


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole report."""

    schema: str
    tool: Tool
    complete: bool
    findings: list[Found]
    fixed: list[Found]
    suppressed: list[Silenced]
    notes: list[Omitted]
    base: str | None = None
    head: str | None = None
    stats: Mapping[str, float] | None = None


def render(report: Report, page: Page) -> str:
    """The report as JSON text, the same bytes for the same report."""
    document = document_of(report, page)
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def document_of(report: Report, page: Page) -> Document:
    """The report in the contract's form."""
    sources, before = Sources(report.sources), Sources(report.baseline_sources)
    return Document(
        schema=SCHEMA,
        tool=Tool(version()),
        complete=report.complete,
        findings=[_found(outcome, sources, report) for outcome in report.outcomes],
        fixed=[_found(outcome, before, None) for outcome in report.fixed],
        suppressed=[_silenced(silenced, sources) for silenced in report.suppressed],
        notes=[_omitted(note, sources) for note in report.notes],
        base=report.base,
        head=report.head,
        stats=dict(sorted(report.stats.items())) if page.has_stats else None,
    )


def _found(outcome: Outcome, sources: Sources, report: Report | None) -> Found:
    """`report` is None for a finding of the base: its fix is the change itself."""
    finding = outcome.finding
    return Found(
        fingerprint=outcome.fingerprint,
        rule=finding.rule,
        cwe=finding.cwe,
        language=finding.language,
        detectors=list(finding.detectors),
        confidence=finding.confidence.value,
        path=finding.path,
        procedure=clean(finding.procedure),
        resource=clean(finding.resource),
        acquired=_place(finding.acquired, sources),
        lost=_place(finding.lost, sources),
        message=clean(finding.message),
        witness=[
            Step(step.role.value, place.path, place.line, place.column, clean(step.note))
            for step in finding.witness
            for place in (sources.place(step.span),)
        ],
        introduced=outcome.introduced,
        was=outcome.was,
        cluster=finding.cluster,
        detail=finding.detail,
        test=outcome.is_test,
        answer=_answer(outcome, sources, report) if report is not None else msgspec.UNSET,
    )


def _answer(outcome: Outcome, sources: Sources, report: Report) -> FixAnswer | DeclinedAnswer:
    match outcome.answer:
        case Declined(reason=reason):
            return DeclinedAnswer(clean(reason))
        case Fix() as fix:
            return FixAnswer(
                fix.applicability.value,
                clean(fix.title),
                [Edit(e.span.path, e.span.start, e.span.end, clean(e.text), binary(e.text) or msgspec.UNSET) for e in one_each(fix.edits)],
                [Check(check.name, check.verdict.value, clean(check.reason)) for check in checks(fix)],
                _suggestion(outcome, sources, report),
                list(outcome.together),
            )


def _suggestion(outcome: Outcome, sources: Sources, report: Report) -> Suggestion | None:
    block = one_click(outcome, report, sources)
    if block is None or not isinstance(outcome.answer, Fix):
        return None
    return Suggestion(outcome.answer.edits[0].span.path, block.first_line, block.last_line, clean(block.text))


def _place(span: Span, sources: Sources) -> Place:
    place = sources.place(span)
    return Place(place.path, place.line, place.column)


def _silenced(silenced: Suppressed, sources: Sources) -> Silenced:
    outcome = silenced.outcome
    acquired = outcome.finding.acquired
    line = sources.place(acquired).line
    return Silenced(
        outcome.fingerprint, silenced.by, clean(silenced.reason), outcome.finding.rule, acquired.path, line,
        silenced.is_added,
    )  # fmt: skip


def _omitted(note: Note, sources: Sources) -> Omitted:
    is_whole_file = note.span.start == note.span.end == 0
    line = None if is_whole_file else sources.place(note.span).line
    return Omitted(note.kind.value, note.span.path, line, clean(note.text))


def binary(text: str) -> str:
    """The bytes of a text in base64, where not all of them are UTF-8; else empty."""
    return "" if is_text(text) else base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


def clean(text: str) -> str:
    """Text that JSON can hold: bytes of a source that are not UTF-8 become `\\xNN`."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
