"""Writes a plan to GitHub, one thing after the other, the check last: when it is complete, so is the rest.

Every step may be the last of a process: the next one reads what stands there and goes on. Before each write it
asks whether its head is still the newest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bot.github.api import GitHub
from bot.github.errors import Forbidden, NotFound, Unprocessable
from bot.github.model import InlineComment
from bot.publishing import bodies
from bot.publishing.markers import SUMMARY, fingerprint_mark, fixed_mark, review_mark, without_commits
from bot.publishing.observed import Observed, OwnThread
from bot.publishing.plan import MAX_FILE_COMMENTS, Closing, NewComment, Plan, needs_reply

MAX_TRIES = 8
"""Reviews that GitHub may refuse before no more are tried."""

Wanted = Callable[[], None]
"""Raises where this run was overtaken."""


class Publisher:
    """Carries out one plan for one head."""

    def __init__(self, github: GitHub, number: int, head: str, still_wanted: Wanted) -> None:
        self._github, self._number, self._head = github, number, head
        self._still_wanted = still_wanted
        self._tries = 0

    def publish(self, plan: Plan, observed: Observed) -> str:
        """Everything but the check; without the permission to comment there is only that. What GitHub said where the
        conversation is locked, else empty.
        """
        try:
            self._begin(plan.new)
            for own, body in plan.edits:
                self._still_wanted()
                self._github.edit_review_comment(own.first.id, body)
            for own, body in plan.reopened:
                self._reopen(own, body)
            for closing in plan.closed:
                self._close(closing)
            self._summarise(plan, observed)
        except Forbidden as error:
            if "locked" in str(error):
                return str(error)
            if self._github.may("pull_requests"):
                raise
        return ""

    # --- new threads

    def _begin(self, new: Sequence[NewComment]) -> None:
        """One review with all that lies in hunks; what GitHub refuses there, and the rest, on whole files."""
        inline = [comment for comment in new if comment.inline is not None]
        posted = self._review(inline)
        rest = [comment for comment in new if comment not in posted]
        for comment in rest[:MAX_FILE_COMMENTS]:
            self._still_wanted()
            mark = fingerprint_mark(comment.outcome.fingerprint)
            try:
                self._github.create_file_comment(self._number, self._head, comment.path, comment.on_file, mark)
            except Unprocessable:
                continue  # it stands in the summary

    def _review(self, comments: Sequence[NewComment]) -> list[NewComment]:
        """Post the largest part that GitHub takes: it refuses a review whole, and does not say for which comment."""
        if not comments or self._tries >= MAX_TRIES:
            return []
        self._still_wanted()
        self._tries += 1
        inline = [comment.inline for comment in comments if comment.inline is not None]
        try:
            self._create(inline)
        except Unprocessable:
            if len(comments) == 1:
                return []
            half = len(comments) // 2
            return self._review(comments[:half]) or self._review(comments[half:])
        return list(comments)

    def _create(self, inline: Sequence[InlineComment]) -> None:
        body = bodies.of_review(len(inline), self._head)
        self._github.create_review(self._number, self._head, body, inline, review_mark(self._head))

    # --- threads that are there

    def _reopen(self, own: OwnThread, body: str) -> None:
        self._still_wanted()
        if own.thread.is_resolved:
            try:
                self._github.unresolve(own.thread.id)
            except (Forbidden, NotFound):
                return
        if own.first.is_minimized:
            self._github.unminimize(own.first.node_id)
        if without_commits(body) != without_commits(own.first.body):
            self._still_wanted()
            self._github.edit_review_comment(own.first.id, body)

    def _close(self, closing: Closing) -> None:
        """Resolve, never delete. Where that is not allowed, say so in our comment and fold it."""
        own = closing.own
        if needs_reply(closing, self._head):
            self._still_wanted()
            text = bodies.of_fixed(own.fingerprint, self._head)
            self._github.reply(self._number, own.first.id, text, fixed_mark(own.fingerprint, self._head))
        self._still_wanted()
        try:
            self._github.resolve(own.thread.id)
        except NotFound:
            return
        except Forbidden:
            self._github.minimize(own.first.node_id)
            self._still_wanted()
            self._github.edit_review_comment(own.first.id, bodies.of_gone(own.first.body, self._head))

    # --- the summary

    def _summarise(self, plan: Plan, observed: Observed) -> None:
        if plan.summary is not None:
            if observed.summary is None:
                self._still_wanted()
                self._github.create_comment(self._number, plan.summary, SUMMARY)
            elif without_commits(plan.summary) != without_commits(observed.summary.body):
                self._still_wanted()
                self._github.edit_comment(observed.summary.id, plan.summary)
        for spare in observed.spare_summaries:
            self._still_wanted()
            self._github.delete_comment(spare.id)


class Published(msgspec.Struct, frozen=True):
    """What came of it, for the books: shown findings as (fingerprint, rule), those ignored, those gone, dislikes."""

    shown: tuple[tuple[str, str], ...] = ()
    ignored: tuple[tuple[str, str], ...] = ()
    fixed: tuple[str, ...] = ()
    disliked: tuple[tuple[str, int], ...] = ()


def published(plan: Plan, observed: Observed) -> Published:
    """The books' view of a plan that was carried out."""
    shown = {outcome.fingerprint: outcome.finding.rule for outcome in plan.report.introduced}
    ignored = {
        each.outcome.fingerprint: each.outcome.finding.rule for each in plan.report.suppressed if each.by == "ignore"
    }
    return Published(
        tuple(sorted(shown.items())),
        tuple(sorted(ignored.items())),
        tuple(sorted(closing.own.fingerprint for closing in plan.closed if closing.is_fixed)),
        tuple(sorted((name, own.first.thumbs_down) for name, own in observed.threads.items() if own.first.thumbs_down)),
    )
