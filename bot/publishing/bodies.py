"""The texts of our comments, from the same reporter as `--format markdown`."""

from __future__ import annotations

import msgspec

import templates
from bot.publishing.anchors import Anchor, Lines
from bot.publishing.markers import GONE, State, fixed_mark, kin_mark, review_mark, state_mark
from bot.report import Outcome, Report
from bot.reporters import markdown
from bot.reporters.markup import code, link
from bot.reporters.page import Page


def on_finding(outcome: Outcome, report: Report, page: Page, anchor: Anchor) -> str:
    """The comment on one finding. Only where it stands on the lines that the patch replaces it holds a suggestion."""
    is_click = isinstance(anchor, Lines) and anchor.has_suggestion
    shown = report if is_click else msgspec.structs.replace(report, hunks={})
    text = markdown.comment(outcome, shown, page)
    return templates.render("publishing/finding.md", comment=text, place="", mark=kin_mark(outcome))


def moved(outcome: Outcome, report: Report, page: Page, line: int) -> str:
    """The same comment in a thread that stands at a place where the finding no longer is."""
    shown = msgspec.structs.replace(report, hunks={})
    place = link(outcome.finding.acquired.path, line, page.permalink)
    text = markdown.comment(outcome, shown, page)
    return templates.render("publishing/finding.md", comment=text, place=place, mark=kin_mark(outcome))


def of_review(count: int, head: str) -> str:
    """The body of a review."""
    return templates.render("publishing/review.md", count=count, mark=review_mark(head), code=code)


def of_summary(report: Report, page: Page, state: State, uncommented: int) -> str:
    """The comment that is edited in place."""
    return templates.render(
        "publishing/sticky.md",
        summary=markdown.summary(report, page),
        state=state,
        not_here=uncommented,
        mark=state_mark(state),
        code=code,
    )


def of_fixed(fingerprint: str, head: str) -> str:
    """The reply to people when a finding is gone."""
    return templates.render("publishing/fixed.md", head=head, mark=fixed_mark(fingerprint, head))


def of_gone(before: str, head: str) -> str:
    """What a comment becomes when its thread cannot be resolved."""
    return templates.render("publishing/gone.md", head=head, before=before, mark=GONE)
