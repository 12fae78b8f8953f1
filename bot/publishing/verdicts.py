"""What a check run ends with: conclusion, title, summary, annotations, buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import templates
from analyzers.finding import Confidence
from bot.config import Config
from bot.github.api import GitHub
from bot.github.model import Annotation, Button, Conclusion, PullRequest, Verdict
from bot.report import Outcome, Report
from bot.reporters.headline import headline
from bot.reporters.markdown import summary
from bot.reporters.page import Page
from bot.reporters.view import Sources, by_weight, is_safe, is_shown_first

MAX_ANNOTATIONS = 100
"""More help nobody; the summary lists on."""

_MAX_DETAILS = 4_000


def of_template(name: str, conclusion: Conclusion, context: Mapping[str, object]) -> Verdict:
    """A verdict whose template says its title in the first line."""
    title, _, text = templates.render(f"checks/{name}.md", **context).strip().partition("\n")
    return Verdict(conclusion, title, text.strip())


def of_report(
    report: Report, config: Config, page: Page, welcome: str, remarks: Sequence[str], buttons: Sequence[Button]
) -> Verdict:
    """The verdict on a change; `report` is settled."""
    said = templates.render(
        "checks/report.md", headline=headline(report), summary=summary(report, page), welcome=welcome, remarks=remarks
    ).strip()
    title, _, text = said.partition("\n")
    return Verdict(
        conclusion=_conclusion(report, config),
        title=title,
        summary=text.strip(),
        annotations=tuple(annotations_of(report, config)),
        buttons=tuple(buttons),
    )


def _conclusion(report: Report, config: Config) -> Conclusion:
    """Never green where something was not looked at; red only where the repository asked for it."""
    if config.bot.fail_on == "introduced" and any(is_shown_first(outcome) for outcome in report.introduced):
        return "failure"
    return "neutral" if report.introduced or not report.complete else "success"


def annotations_of(report: Report, config: Config) -> list[Annotation]:
    """One per introduced finding, the weightiest first."""
    sources = Sources(report.sources)
    return [_annotation(outcome, sources, config) for outcome in by_weight(report.introduced)[:MAX_ANNOTATIONS]]


def _annotation(outcome: Outcome, sources: Sources, config: Config) -> Annotation:
    finding = outcome.finding
    place = sources.place(finding.acquired)
    is_witnessed = finding.confidence is Confidence.WITNESSED
    fails = is_shown_first(outcome) and config.bot.fail_on == "introduced"
    steps = [
        f"{number}. {place.path}:{place.line} {step.note}"
        for number, step in enumerate(finding.witness, start=1)
        for place in (sources.place(step.span),)
    ]
    return Annotation(
        path=finding.acquired.path,
        start_line=place.line,
        end_line=place.line,
        level="failure" if fails else "warning" if is_witnessed else "notice",
        title=finding.rule,
        message=plain(f"{finding.message} [{outcome.fingerprint[:8]}]"),
        raw_details=plain("\n".join(steps))[:_MAX_DETAILS],
    )


def buttons_for(report: Report, config: Config, pull: PullRequest, github: GitHub) -> list[Button]:
    """At most three, each of them good for something here."""
    found = []
    may_commit = not pull.is_fork and github.may("contents")
    if may_commit and config.bot.autofix != "never" and any(is_safe(outcome) for outcome in report.introduced):
        found.append(Button("Commit safe fixes", "One commit to this branch", "fix"))
        found.append(Button("Open a fix PR", "The safe fixes as a pull request", "fix-pull-request"))
    if report.introduced or not report.complete:
        found.append(Button("Run again", "Look at this commit again", "run"))
    return found


def plain(text: str) -> str:
    """Text without characters that no annotation can hold."""
    kept = "".join(character for character in text if character.isprintable() or character in "\n\t")
    return kept.encode("utf-8", "replace").decode()
