"""The embedded queue: newest generation wins, leases, duplicate deliveries, crashes."""

from __future__ import annotations

import pathlib
import random
import tempfile

import pytest

from bot.queue.sqlite import SqliteQueue


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(tmp_path: pathlib.Path, clock: Clock) -> SqliteQueue:
    return SqliteQueue(tmp_path / "queue.sqlite", clock, lease=60, per_installation=2, most_attempts=3)


def test_a_newer_head_replaces_the_payload_that_waits(queue: SqliteQueue) -> None:
    queue.enqueue("a/b#1", "review", b"old", "d1", 1, 0)
    queue.enqueue("a/b#1", "review", b"new", "d2", 1, 0)
    job = queue.claim("w")
    assert job is not None and job.payload == b"new" and job.generation == 2
    assert queue.claim("w2") is None


def test_a_newer_head_stops_the_run_and_is_run_after_it(queue: SqliteQueue) -> None:
    queue.enqueue("a/b#1", "review", b"old", "d1", 1, 0)
    job = queue.claim("w")
    assert job is not None and queue.heartbeat(job, "w")
    queue.enqueue("a/b#1", "review", b"new", "d2", 1, 0)
    assert queue.claim("w2") is None, "one run per key at a time"
    assert not queue.heartbeat(job, "w")
    assert queue.finish(job, "w")
    again = queue.claim("w2")
    assert again is not None and again.payload == b"new"


def test_a_dead_worker_loses_its_lease_and_the_job_runs_again(queue: SqliteQueue, clock: Clock) -> None:
    queue.enqueue("a/b#1", "review", b"x", "d1", 1, 0)
    lost = queue.claim("w")
    clock.now += 61
    again = queue.claim("w2")
    assert lost is not None and again is not None and again.attempts == 2
    assert not queue.finish(lost, "w"), "the first worker may not finish what another runs"
    assert queue.finish(again, "w2")
    assert queue.depth() == {"waiting": 0, "running": 0, "failed": 0}


def test_a_job_that_keeps_failing_is_given_up(queue: SqliteQueue, clock: Clock) -> None:
    queue.enqueue("a/b#1", "review", b"x", "d1", 1, 0)
    for _ in range(3):
        job = queue.claim("w")
        assert job is not None
        queue.retry(job, "w", 5, "no network")
        assert queue.claim("w") is None, "not before the delay"
        clock.now += 6
    assert queue.depth()["failed"] == 1
    queue.enqueue("a/b#1", "review", b"y", "d9", 1, 0)
    assert queue.claim("w") is not None, "a new push gets a new chance"


def test_a_delivery_counts_again_until_it_is_finished(queue: SqliteQueue) -> None:
    assert queue.enqueue("a/b#1", "review", b"x", "d1", 1, 0)
    assert queue.enqueue("a/b#1", "review", b"x", "d1", 1, 0)
    job = queue.claim("w")
    assert job is not None and queue.finish(job, "w")
    assert not queue.enqueue("a/b#1", "review", b"x", "d1", 1, 0)


def test_an_installation_gets_no_more_than_its_share(queue: SqliteQueue) -> None:
    for number in range(4):
        queue.enqueue(f"a/b#{number}", "review", b"x", f"d{number}", 1, 0)
    queue.enqueue("c/d#1", "review", b"x", "e", 2, 0)
    claimed = [queue.claim("w") for _ in range(4)]
    assert sorted(job.key for job in claimed if job) == ["a/b#0", "a/b#1", "c/d#1"]


def test_lower_priority_numbers_run_first(queue: SqliteQueue) -> None:
    queue.enqueue("a/b#1", "sweep", b"", "", 0, 9)
    queue.enqueue("a/b#2", "review", b"", "", 0, 1)
    job = queue.claim("w")
    assert job is not None and job.key == "a/b#2"


@pytest.mark.parametrize("seed", range(25))
def test_any_schedule_of_crashes_and_duplicates_ends_with_every_newest_head_run(seed: int) -> None:
    schedule = random.Random(seed)
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        queue = SqliteQueue(pathlib.Path(folder) / "q", clock, lease=10, per_installation=99, most_attempts=99)
        newest: dict[str, bytes] = {}
        done: dict[str, bytes] = {}
        held = []
        for step in range(60):
            clock.now += schedule.random() * 4
            match schedule.choice(["push", "push", "again", "claim", "finish", "crash", "beat"]):
                case "push":
                    key = f"a/b#{schedule.randrange(4)}"
                    newest[key] = b"%d" % step
                    queue.enqueue(key, "review", newest[key], f"d{step}", 1, 0)
                case "again" if newest:
                    key = schedule.choice(sorted(newest))
                    queue.enqueue(key, "review", newest[key], f"again{step}", 1, 0)
                case "claim":
                    if job := queue.claim(f"w{step}"):
                        held.append((job, f"w{step}"))
                case "finish" if held:
                    job, worker = held.pop(schedule.randrange(len(held)))
                    if queue.finish(job, worker):
                        done[job.key] = job.payload
                case "crash" if held:
                    held.pop(schedule.randrange(len(held)))
                case "beat" if held:
                    queue.heartbeat(*schedule.choice(held))
        clock.now += 100
        while job := queue.claim("last"):
            assert queue.finish(job, "last")
            done[job.key] = job.payload
        assert done == newest
