"""What is to be written on a pull request so that it says what the report says: pure, from what stands there now.

Reports too much when a finding changes its name and its text at once: its thread is closed, another begun.
"""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence

import msgspec

from analyzers.finding import NoteKind
from bot.config import Config
from bot.github.model import InlineComment
from bot.publishing import bodies
from bot.publishing.anchors import Lines, WholeFile, anchor
from bot.publishing.markers import Ignored, State, fixed_mark, kin, without_commits
from bot.publishing.observed import Observed, OwnThread
from bot.publishing.settling import commented, settled
from bot.report import Outcome, Report
from bot.reporters.page import Page
from bot.reporters.view import Sources

MAX_INLINE = 30
"""GitHub's abuse detection dislikes larger reviews, whatever the config says."""

MAX_FILE_COMMENTS = 10
"""Each is a write and a mail of its own; the rest stands in the summary."""


class NewComment(msgspec.Struct, frozen=True):
    """A comment to begin a thread with. `on_file` is its text should it have to stand on the whole file."""

    outcome: Outcome
    inline: InlineComment | None
    path: str
    on_file: str


class Closing(msgspec.Struct, frozen=True):
    """A thread that has nothing to ask for any more. `is_fixed`: its finding is gone, not silenced."""

    own: OwnThread
    is_fixed: bool


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. `report` is settled; `summary` None where there is nothing to say and nothing said before."""

    report: Report
    state: State
    new: tuple[NewComment, ...]
    edits: tuple[tuple[OwnThread, str], ...]
    reopened: tuple[tuple[OwnThread, str], ...]
    closed: tuple[Closing, ...]
    summary: str | None
    total: int


def planned(report: Report, observed: Observed, state: State, config: Config, page: Page) -> Plan:
    """What to write; nothing where everything stands already."""
    return _Planner(report, observed, state, config, page).plan()


class _Planner:
    def __init__(self, report: Report, observed: Observed, state: State, config: Config, page: Page) -> None:
        self._all = {outcome.fingerprint: outcome for outcome in report.outcomes if outcome.introduced is not False}
        finals = {name: Ignored(f"thread resolved by @{by}", "") for name, by in observed.finals().items()}
        self._report = settled(report, {**finals, **state.ignored})
        self._observed, self._state = observed, state
        self._config, self._page = config, page
        self._sources = Sources(report.sources)
        self._wanted = commented(self._report, config)
        self._followed = self._follow()

    def plan(self) -> Plan:
        new, left = self._new()
        text = bodies.of_summary(self._report, self._page, self._state, left)
        return Plan(
            report=self._report,
            state=self._state,
            new=tuple(new),
            edits=tuple(self._edits()),
            reopened=tuple(self._reopened()),
            closed=tuple(self._closed()),
            summary=text if self._has_something_to_say() else None,
            total=len(self._wanted),
        )

    def _has_something_to_say(self) -> bool:
        is_decided = bool(self._state.ignored) or self._state.is_paused
        return bool(self._wanted) or is_decided or self._observed.summary is not None

    # --- threads and their findings

    def _follow(self) -> Mapping[str, OwnThread]:
        """The thread of each finding that has one: by its name, else by what it kept when it was renamed."""
        threads = dict(self._observed.threads)
        found = {name: threads.pop(name) for name in self._all if name in threads}
        free = collections.defaultdict(list)
        for own in threads.values():
            if own.kin:
                free[own.kin].append(own)
        alone = collections.defaultdict(list)
        for outcome in self._wanted:
            if outcome.fingerprint not in found:
                alone[kin(outcome)].append(outcome)
        for name, outcomes in alone.items():
            if len(outcomes) == 1 and len(free[name]) == 1 and not free[name][0].is_final:
                found[outcomes[0].fingerprint] = free[name][0]
        return found

    def _new(self) -> tuple[list[NewComment], int]:
        """Comments to begin, and how many findings get none."""
        limit = min(self._config.bot.max_inline_comments, MAX_INLINE)
        result: list[NewComment] = []
        left, files = 0, self._on_files()
        for outcome in self._wanted:
            if outcome.fingerprint in self._followed:
                continue
            where = anchor(outcome, self._report, self._sources)
            on_file = bodies.on_finding(outcome, self._report, self._page, None)
            is_room = sum(each.inline is not None for each in result) < limit - self._on_lines()
            if isinstance(where, Lines) and not self._observed.is_reviewed and is_room:
                body = bodies.on_finding(outcome, self._report, self._page, where)
                inline = InlineComment(where.path, body, where.first, where.last)
                result.append(NewComment(outcome, inline, where.path, on_file))
            elif where is not None and files < MAX_FILE_COMMENTS and (
                isinstance(where, WholeFile) or (self._observed.is_reviewed and files < limit - self._on_lines())
            ):
                files += 1
                result.append(NewComment(outcome, None, where.path, on_file))
            else:
                left += 1
        return result, left

    def _on_files(self) -> int:
        """Comments on whole files that this head has by now: asking again brings no more than once asked."""
        own = self._followed.values() if self._observed.is_reviewed else ()
        return sum(each.thread.line is None and not each.thread.is_outdated for each in own)

    def _on_lines(self) -> int:
        """Comments on lines that this head has by now."""
        return len(self._followed) - self._on_files() if self._observed.is_reviewed else 0

    def _reopened(self) -> Sequence[tuple[OwnThread, str]]:
        """Findings that came back: their threads go on."""
        pairs = ((outcome, self._followed.get(outcome.fingerprint)) for outcome in self._wanted)
        return [(own, self._body(outcome, own)) for outcome, own in pairs if own is not None and not own.is_open]

    def _edits(self) -> Sequence[tuple[OwnThread, str]]:
        """Open threads whose finding moved, or has another patch now."""
        result = []
        for outcome in self._wanted:
            own = self._followed.get(outcome.fingerprint)
            if own is not None and own.is_open:
                body = self._body(outcome, own)
                if without_commits(body) != without_commits(own.first.body):
                    result.append((own, body))
        return result

    def _body(self, outcome: Outcome, own: OwnThread) -> str:
        """The comment as it reads best where the thread stands."""
        where = anchor(outcome, self._report, self._sources)
        thread = own.thread
        if isinstance(where, Lines) and thread.line is not None and not thread.is_outdated:
            first = thread.start_line or thread.line
            if (thread.path, first, thread.line) == (where.path, where.first, where.last):
                return bodies.on_finding(outcome, self._report, self._page, where)
        line = self._sources.place(outcome.finding.acquired).line
        if thread.is_outdated or not _covers(own, outcome, line):
            return bodies.moved(outcome, self._report, self._page, line)
        return bodies.on_finding(outcome, self._report, self._page, None)

    def _closed(self) -> Sequence[Closing]:
        """Open threads whose finding is gone or silenced; where the run was cut short, or gave something up in the file, only silence counts."""
        left = {note.span.path for note in self._report.notes if note.kind is NoteKind.BUDGET}
        wanted = {outcome.fingerprint for outcome in self._wanted}
        followed = {own.thread.id for name, own in self._followed.items() if name in wanted}
        result = []
        for name, own in sorted(self._observed.threads.items()):
            if not own.is_open or own.thread.id in followed:
                continue
            is_fixed = not self._stands(name)
            if (self._report.complete and own.thread.path not in left) or not is_fixed:
                result.append(Closing(own, is_fixed))
        result += [Closing(own, False) for own in self._observed.spare_threads if own.is_open]
        return result

    def _stands(self, name: str) -> bool:
        """Whether the finding is in the code still, shown or silenced."""
        listed = (*self._report.outcomes, *(silenced.outcome for silenced in self._report.suppressed))
        return any(outcome.fingerprint == name for outcome in listed)


def silent(plan: Plan, observed: Observed, state: State) -> Plan:
    """The plan of a draft or where people want no comments: only what they decided is written down."""
    summary = plan.summary if state != observed.state else None
    return msgspec.structs.replace(plan, new=(), edits=(), reopened=(), closed=(), summary=summary)


def needs_reply(closing: Closing, head: str) -> bool:
    """Whether people in the thread are to be told, and were not told before."""
    own = closing.own
    return closing.is_fixed and own.has_people and not own.holds(fixed_mark(own.fingerprint, head))


def _covers(own: OwnThread, outcome: Outcome, line: int) -> bool:
    thread = own.thread
    if thread.path != outcome.finding.acquired.path:
        return False
    return thread.line is None or (thread.start_line or thread.line) <= line <= thread.line


