"""The default branch, analysed before anybody asks: a review then redoes only what its change touches.

Nothing is told to anybody and nothing is mended: what was computed goes into the store of the repository. The work is
done in turns that end where something more urgent waits; the next turn goes on where the last one ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import msgspec

from analyzers.summaries import SummaryStore
from bot import pipeline
from bot.config import from_tree
from bot.errors import CannotRun
from bot.github.api import GitHub
from bot.reviewing import Means

LEARNED = "learned"
_KEY = b"default branch"

LEAST_SECONDS = 10.0
"""How long a turn goes on although others wait: to begin anew costs time, too."""

Learning = Literal["learned", "known before", "to be continued", "given up", "empty", "not run"]


class _Mark(msgspec.Struct, frozen=True, array_like=True):
    """How far the work is: the commit, and how much of it was left undone at the end of the last turn."""

    commit: str
    left: int


class Turn:
    """How long one turn goes on: while nobody else has work, or for the least time. Cheap to ask: others are looked for once a second."""

    def __init__(
        self, may_go_on: Callable[[], bool], seconds: float, least: float = LEAST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._may_go_on, self._clock = may_go_on, clock
        start = clock()
        self._least, self._most, self._looked = start + least, start + seconds, start
        self._is_over = False

    def is_over(self) -> bool:
        """Whether to stop and keep what there is."""
        now = self._clock()
        if not self._is_over and now >= self._most:
            self._is_over = True
        elif not self._is_over and now >= self._least and now - self._looked >= 1.0:
            self._looked = now
            self._is_over = not self._may_go_on()
        return self._is_over


def learn(github: GitHub, commit: str, means: Means, turn: Turn) -> Learning:
    """Analyse a commit of the default branch (empty: its newest) into the store, as far as one turn goes."""
    store = means.store
    repository = github.repository()
    commit = commit or github.branch_head(repository.default_branch) or ""
    if store is None or not commit:
        return "empty"
    known = _mark(store)
    if known == _Mark(commit, 0):
        return "known before"
    try:
        left = _left(github, repository.id, commit, means, turn)
    except CannotRun:
        return "not run"  # the review of a pull request says what is wrong with the settings
    store.put(LEARNED, _KEY, msgspec.json.encode(_Mark(commit, left)))
    means.still_wanted()
    if not left:
        return "learned"
    is_stuck = known is not None and known.commit == commit and left >= known.left
    return "given up" if is_stuck else "to be continued"


def _left(github: GitHub, id: int, commit: str, means: Means, turn: Turn) -> int:
    with means.source.change(id, github.remote(), commit, commit) as change:
        config = means.adjust(from_tree(change.settings))
        whole = msgspec.structs.replace(change, before=None, base=None, files=(), repository=github.name)
        return pipeline.learn(whole, config, pipeline.Asked(jobs=means.jobs, store=means.store, is_over=turn.is_over))


def _mark(store: SummaryStore) -> _Mark | None:
    packed = store.get(LEARNED, _KEY)
    try:
        return msgspec.json.decode(packed, type=_Mark) if packed is not None else None
    except msgspec.MsgspecError:
        return None
