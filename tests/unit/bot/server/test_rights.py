"""Who lost a job must not write any more, and who takes it over waits for what is on its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.database import SqliteDatabase
from bot.github.limits import Limits, SharedPace, create_tables
from bot.queue.sqlite import SqliteQueue
from bot.reviewing import Superseded
from bot.server.loop import Lease
from tests.fakes.github.clock import Clock


def test_a_lease_that_went_to_somebody_else_ends_the_right_to_write(tmp_path: Path) -> None:
    clock = Clock(1000.0)
    queue = SqliteQueue(tmp_path / "q.sqlite", clock=clock, lease=60)
    queue.enqueue("a/b#1", "review", b"", "d1", 1, 5)
    job = queue.claim("hung")
    assert job is not None
    lease = Lease(queue, job, "hung", clock)
    queue.enqueue("a/b#1", "review", b"", "d2", 1, 5)
    clock.advance(61)
    lease.still_ours()  # overtaken, but nobody else has it
    taken = queue.claim("other")
    assert taken is not None and taken.attempts == 2
    lease.still_ours()  # asked within the last second
    clock.advance(2)
    with pytest.raises(Superseded):
        lease.still_ours()


def test_who_takes_over_waits_for_a_write_under_way(tmp_path: Path) -> None:
    clock = Clock(1000.0)
    database = SqliteDatabase(tmp_path / "p.sqlite")
    create_tables(database)
    hung = SharedPace(database, 1, Limits(), clock, clock.sleep)
    landed: list[float] = []

    def sleep(seconds: float) -> None:
        clock.advance(seconds)
        if not landed and clock() > 1010:
            landed.append(clock())
            place.__exit__(None, None, None)

    other = SharedPace(database, 1, Limits(), clock, sleep)
    place = hung.writing()
    place.__enter__()
    other.settle()
    assert landed
    other.settle()  # nobody writes: no waiting
    assert clock() == landed[0]
