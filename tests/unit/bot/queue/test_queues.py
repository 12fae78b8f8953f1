"""What both queues promise, on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.database import PostgresDatabase
from bot.queue.jobs import Queue
from bot.queue.postgres import ProcrastinateQueue
from bot.queue.sqlite import SqliteQueue

LEASE = 0.6


@pytest.fixture(params=["sqlite", "postgres"])
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queue]:
    if request.param == "sqlite":
        yield SqliteQueue(tmp_path / "queue.sqlite", lease=LEASE, per_installation=2, most_attempts=3)
        return
    database = PostgresDatabase(request.getfixturevalue("postgres_url"))
    made = ProcrastinateQueue(database, lease=LEASE, per_installation=2, most_attempts=3)
    yield made
    made.close()
    database.close()


def add(queue: Queue, key: str, delivery: str, payload: bytes = b"x", installation: int = 1, priority: int = 5) -> bool:
    return queue.enqueue(key, "review", payload, delivery, installation, priority)


def test_the_newest_payload_wins_while_it_waits(queue: Queue) -> None:
    add(queue, "a/b#1", "d1", b"old")
    add(queue, "a/b#1", "d2", b"new")
    job = queue.claim("w")
    assert job is not None and (job.payload, job.generation) == (b"new", 2)
    assert queue.claim("v") is None
    assert queue.finish(job, "w")
    assert queue.claim("w") is None
    assert queue.depth() == {"waiting": 0, "running": 0, "failed": 0}


def test_a_newer_one_stops_the_run_and_follows_it(queue: Queue) -> None:
    add(queue, "a/b#1", "d1", b"old")
    job = queue.claim("w")
    assert job is not None and queue.heartbeat(job, "w")
    add(queue, "a/b#1", "d2", b"new")
    assert queue.claim("v") is None, "one run per pull request"
    assert not queue.heartbeat(job, "w")
    assert queue.finish(job, "w")
    following = queue.claim("v")
    assert following is not None and following.payload == b"new"


def test_commands_of_a_pull_request_wait_for_its_review_and_are_not_lost(queue: Queue) -> None:
    add(queue, "a/b#1", "d1")
    review = queue.claim("w")
    add(queue, "a/b#1!c7", "d2", priority=3)
    add(queue, "a/b#1!c8", "d3", priority=3)
    add(queue, "a/b#12", "d4")
    other = queue.claim("v")
    assert review is not None and other is not None and other.key == "a/b#12"
    assert queue.heartbeat(review, "w"), "a command does not supersede the review"
    queue.finish(review, "w")
    queue.finish(other, "v")
    first = queue.claim("w")
    assert first is not None and first.key == "a/b#1!c7"
    assert queue.claim("v") is None
    queue.finish(first, "w")
    second = queue.claim("w")
    assert second is not None and second.key == "a/b#1!c8"


def test_a_finished_delivery_is_not_run_again_an_unfinished_one_is(queue: Queue) -> None:
    assert add(queue, "a/b#1", "d1")
    assert add(queue, "a/b#1", "d1"), "seen, but not finished"
    job = queue.claim("w")
    assert job is not None
    queue.finish(job, "w")
    assert not add(queue, "a/b#1", "d1")
    assert queue.claim("w") is None


def test_a_dead_worker_loses_its_job_and_may_not_finish_it(queue: Queue) -> None:
    add(queue, "a/b#1", "d1")
    dead = queue.claim("dead")
    assert dead is not None
    again = claimed_within(queue, "w", 6.0)
    assert again is not None and again.attempts == 2
    assert not queue.finish(dead, "dead")
    assert not queue.heartbeat(dead, "dead")
    assert queue.finish(again, "w")


def claimed_within(queue: Queue, worker: str, seconds: float):  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        job = queue.claim(worker)
        if job is not None:
            return job
        time.sleep(0.1)
    return None


def test_a_job_that_fails_is_tried_a_few_times(queue: Queue) -> None:
    add(queue, "a/b#1", "d1")
    for attempt in (1, 2, 3):
        job = queue.claim("w")
        assert job is not None and job.attempts == attempt
        queue.retry(job, "w", 0.0, "boom")
    assert queue.claim("w") is None
    assert queue.depth()["failed"] == 1
    add(queue, "a/b#1", "d2")
    assert queue.depth() == {"waiting": 1, "running": 0, "failed": 0}
    job = queue.claim("w")
    assert job is not None and job.attempts == 1


def test_what_is_put_off_costs_no_attempt_and_waits(queue: Queue) -> None:
    add(queue, "a/b#1", "d1")
    for _ in range(5):
        job = queue.claim("w")
        assert job is not None and job.attempts == 1
        queue.postpone(job, "w", 0.0, "limits")
    job = queue.claim("w")
    assert job is not None
    queue.postpone(job, "w", 60.0, "limits")
    assert queue.claim("w") is None
    assert queue.depth()["waiting"] == 1


def test_a_newer_one_waits_while_the_older_fails(queue: Queue) -> None:
    add(queue, "a/b#1", "d1", b"old")
    job = queue.claim("w")
    assert job is not None
    add(queue, "a/b#1", "d2", b"new")
    queue.retry(job, "w", 0.0, "boom")
    following = claimed_within(queue, "w", 2.0)
    assert following is not None and following.payload == b"new"
    queue.finish(following, "w")
    assert queue.claim("w") is None


def test_an_installation_has_so_many_jobs_at_once_and_others_go_on(queue: Queue) -> None:
    for number in range(4):
        add(queue, f"a/b#{number}", f"d{number}", installation=1)
    add(queue, "c/d#1", "e1", installation=2)
    claimed = [queue.claim(f"w{number}") for number in range(5)]
    assert sorted(job.installation for job in claimed if job is not None) == [1, 1, 2]


def test_urgent_jobs_come_first(queue: Queue) -> None:
    add(queue, "a/b#1", "d1", priority=5)
    add(queue, "a/b#2", "d2", priority=1)
    job = queue.claim("w")
    assert job is not None and job.key == "a/b#2"


def test_what_nobody_waits_for_learns_of_more_urgent_jobs(queue: Queue) -> None:
    add(queue, "a/b@default", "d1", priority=9)
    add(queue, "c/d@default", "d2", priority=9)
    job = queue.claim("w")
    assert job is not None and not queue.has_before(9), "its equals are no reason to stop"
    add(queue, "a/b#1", "d3", priority=5)
    assert queue.has_before(9) and not queue.has_before(5)
    review = queue.claim("v")
    assert review is not None and review.key == "a/b#1" and queue.has_before(9), "it runs"
    queue.postpone(review, "v", 3600.0, "limits")
    assert not queue.has_before(9), "what waits for a time cannot run yet"
    assert queue.claim("v") is not None and queue.finish(job, "w")


def test_many_workers_do_each_newest_job_once(queue: Queue) -> None:
    for number in range(30):
        add(queue, f"r{number % 10}/x#1", f"d{number}", str(number).encode(), installation=number % 10)
    done: list[tuple[str, bytes]] = []

    def work(name: str) -> None:
        while (job := queue.claim(name)) is not None:
            done.append((job.key, job.payload))
            assert queue.finish(job, name)

    threads = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted((f"r{number % 10}/x#1", str(number).encode()) for number in range(20, 30))
