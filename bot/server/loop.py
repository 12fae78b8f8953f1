"""The worker: claims a job, keeps its lease while the work goes on, and says how it ended.

A job that was overtaken stops at its next step. What GitHub's limits hold up is put off without counting as an attempt.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Protocol

from bot.books import DatabaseBooks
from bot.dispatch import LEAST_URGENT, Work, work_of
from bot.github.auth import redacted
from bot.github.errors import GitHubError, RateLimited
from bot.queue.jobs import Job, Queue
from bot.reviewing import Superseded
from bot.webhook.events import ReviewWanted

_LOG = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
_IDLE = 0.5
_RENEW = 15.0
_SWEEP = 6 * 3600.0


class Rights(Protocol):
    """What a run may do still."""

    def still_wanted(self) -> None:
        """Superseded where a newer job waits, or where this one went to somebody else."""

    def still_ours(self) -> None:
        """Superseded where this job went to somebody else: who hung must not write any more."""

    def may_go_on(self) -> bool:
        """Whether what nobody waits for may go on: not while something else runs or waits."""


class ToBeContinued(Exception):
    """One turn of a long job is done; the next one comes after `delay` seconds."""

    def __init__(self, delay: float) -> None:
        super().__init__("to be continued")
        self.delay = delay


class Doing(Protocol):
    """Who does the work."""

    def do(self, work: Work, name: str, rights: Rights) -> str:
        """Do it, and say how it ended."""

    def failed(self, work: Work, error: str) -> None:
        """It was given up."""

    def sweep(self) -> None:
        """Keep house."""


class Lease:
    """Implements `Rights`. Cheap: it asks the queue at most once a second."""

    def __init__(self, queue: Queue, job: Job, worker: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._queue, self._job, self._worker, self._clock = queue, job, worker, clock
        self._asked = self._seen = clock()
        self._is_taken = threading.Event()
        self._is_lost = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"lease-{job.key}", daemon=True)

    def __enter__(self) -> Lease:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def still_ours(self) -> None:
        """See `Rights`."""
        if self._clock() - self._seen > 1.0:
            self._seen = self._clock()
            if not self._queue.holds(self._job, self._worker):
                self._is_taken.set()
        if self._is_taken.is_set():
            raise Superseded

    def still_wanted(self) -> None:
        """See `Rights`."""
        if not self._is_lost.is_set() and self._clock() - self._asked > 1.0:
            self._ask()
        if self._is_lost.is_set():
            raise Superseded

    def may_go_on(self) -> bool:
        """See `Rights`."""
        return not self._is_lost.is_set() and not self._queue.has_before(LEAST_URGENT)

    def _ask(self) -> None:
        self._asked = self._clock()
        if not self._queue.heartbeat(self._job, self._worker):
            self._is_lost.set()

    def _renew(self) -> None:
        while not self._done.wait(_RENEW):
            try:
                self._ask()
            except Exception:
                _LOG.warning("the lease of %s could not be renewed", self._job.key, exc_info=True)
            if self._is_lost.is_set():
                return


class Worker:
    """Works off a queue, one job at a time."""

    def __init__(self, queue: Queue, doing: Doing, books: DatabaseBooks, name: str) -> None:
        self._queue, self._doing, self._books, self._name = queue, doing, books, name

    def run(self, stop: threading.Event) -> None:
        """Until told to stop."""
        swept = 0.0
        while not stop.is_set():
            try:
                if not self.work():
                    if time.monotonic() - swept > _SWEEP:
                        swept = time.monotonic()
                        self._doing.sweep()
                    stop.wait(_IDLE * (0.5 + random.random()))
            except Exception:
                _LOG.exception("the queue does not answer")
                stop.wait(5.0)

    def work(self) -> bool:
        """Do the next job. False where there is none."""
        job = self._queue.claim(self._name)
        if job is None:
            return False
        work = work_of(job)
        if work is None:
            _LOG.error("a job of another version is dropped: %s", job.kind)
            self._queue.finish(job, self._name)
            return True
        start = time.monotonic()
        ending = self._done(job, work)
        seconds = time.monotonic() - start
        _LOG.info("%s: %s in %.1f s", job.key, ending, seconds)
        self._books.count("leakmend_jobs_total", f"{job.kind}:{ending}")
        self._books.count("leakmend_job_seconds_total", job.kind, seconds)
        if isinstance(work, ReviewWanted):
            repository = work.repository
            self._books.ran(repository.id, repository.full_name, work.number, ending, seconds)
        return True

    def _done(self, job: Job, work: Work) -> str:
        """One attempt, and what the queue is told about it."""
        name = job.key.rpartition("!")[2] if "!" in job.key else ""
        try:
            with Lease(self._queue, job, self._name) as lease:
                ending = self._doing.do(work, name, lease)
            self._queue.finish(job, self._name)
            return ending
        except Superseded as overtaken:
            if overtaken.head:  # the head moved, and nobody told us yet
                self._queue.postpone(job, self._name, 0.0, "the head moved")
            else:
                self._queue.finish(job, self._name)
            return "superseded"
        except ToBeContinued as turn:
            self._queue.postpone(job, self._name, turn.delay, str(turn))
            return "to be continued"
        except RateLimited as error:
            self._queue.postpone(job, self._name, error.delay + random.random() * 5, str(error))
            return "put off"
        except Exception as error:
            return self._failed(job, work, error)

    def _failed(self, job: Job, work: Work, error: Exception) -> str:
        is_ours = not isinstance(error, GitHubError)
        message = redacted(str(error))
        _LOG.log(logging.ERROR if is_ours else logging.WARNING, "%s: %s", job.key, message, exc_info=error if is_ours else None)
        if job.attempts >= MOST_ATTEMPTS:
            try:
                self._doing.failed(work, "An internal error." if is_ours else message)
            except Exception:
                _LOG.warning("%s: the failure cannot be told on GitHub", job.key, exc_info=True)
        self._queue.retry(job, self._name, min(5.0 * 4 ** (job.attempts - 1), 900.0), message[:500])
        return "failed" if job.attempts >= MOST_ATTEMPTS else "tried again"
