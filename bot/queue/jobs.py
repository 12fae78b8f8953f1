"""The job queue behind which SQLite and PostgreSQL look alike.

One job per key (`owner/name#3`, `owner/name#3!c17`); the newest generation wins. Keys that are equal up to `!` share
a lock: their jobs never run at once. Delivery is at least once: a worker
that dies loses its lease and the job runs again, so everything that a job does must be safe to repeat.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

KEEP_DELIVERIES = 7 * 24 * 3600.0
"""Seconds for which a finished delivery is remembered: longer than GitHub can redeliver it."""


class Job(msgspec.Struct, frozen=True):
    """Work for one key.

    key          what must not run twice at once (`acme/pump#3`)
    kind         what to do («review», «command», «sweep»)
    payload      JSON of the work, the newest that was enqueued
    generation   counts up with every enqueue: a run of an older one is superseded
    installation   whose limits and token apply; 0 for none
    attempts     how often it was begun, this run included
    """

    key: str
    kind: str
    payload: bytes
    generation: int
    installation: int
    attempts: int


class Queue(Protocol):
    """What the server and the workers need of a queue. Times are seconds of the clock handed in."""

    def enqueue(self, key: str, kind: str, payload: bytes, delivery: str, installation: int, priority: int) -> bool:
        """Add work, or renew the payload of what waits under the key. False where this delivery was finished
        before; a delivery seen but not finished counts again. Lower `priority` runs first."""

    def claim(self, worker: str) -> Job | None:
        """The next job whose key nobody holds, with a lease; None where there is nothing to do."""

    def heartbeat(self, job: Job, worker: str) -> bool:
        """Renew the lease. False: lost, or a newer generation waits, so the run should stop early."""

    def holds(self, job: Job, worker: str) -> bool:
        """Whether the lease is this worker's still, be it overtaken or not."""

    def finish(self, job: Job, worker: str) -> bool:
        """The work is done. False where the lease was lost. A newer generation stays queued."""

    def retry(self, job: Job, worker: str, delay: float, error: str) -> None:
        """The work failed and is to be tried again after `delay` seconds; given up after the limit of attempts."""

    def postpone(self, job: Job, worker: str, delay: float, reason: str) -> None:
        """The work waits for something that is not its fault: again after `delay` seconds, without an attempt counted."""

    def has_before(self, priority: int) -> bool:
        """Whether something that is more urgent than `priority` runs, or could."""

    def depth(self) -> dict[str, int]:
        """How many jobs are waiting, running and given up."""
