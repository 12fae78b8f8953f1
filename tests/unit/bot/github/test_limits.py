from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bot.database import SqliteDatabase
from bot.github.errors import RateLimited
from bot.github.limits import Limits, SharedPace, create_tables, state


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def paces(folder: Path, clock: Clock, limits: Limits, number: int = 2) -> list[SharedPace]:
    database = SqliteDatabase(folder / "queue.sqlite")
    create_tables(database)
    return [SharedPace(database, 1, limits, clock, clock.sleep) for _ in range(number)]


def test_writes_of_two_processes_are_a_second_apart(tmp_path: Path) -> None:
    clock = Clock()
    one, other = paces(tmp_path, clock, Limits())
    times = []
    for pace in (one, other, one, one, other):
        with pace.writing():
            times.append(clock.now)
            clock.now += 0.3
    assert all(later - earlier >= 1.3 for earlier, later in itertools.pairwise(times))


def test_a_minute_and_an_hour_hold_so_many_writes(tmp_path: Path) -> None:
    assert (Limits().gap, Limits().a_minute, Limits().an_hour) == (1.0, 80, 500)
    clock = Clock()
    (pace,) = paces(tmp_path, clock, Limits(gap=0.0, a_minute=8, an_hour=50, patience=1e9), 1)
    times = []
    for _ in range(62):
        with pace.writing():
            times.append(clock.now)
    assert all(times[index + 8] - times[index] >= 60 for index in range(54))
    assert times[50] - times[0] >= 3600


def test_a_wait_that_is_too_long_puts_the_job_off(tmp_path: Path) -> None:
    clock = Clock()
    one, other = paces(tmp_path, clock, Limits())
    one.block(300.0)
    with pytest.raises(RateLimited) as caught, other.writing():
        pass
    assert 290 < caught.value.delay <= 300
    with pytest.raises(RateLimited):
        other.reading()


def test_a_process_that_died_while_writing_holds_the_place_only_for_a_while(tmp_path: Path) -> None:
    clock = Clock()
    one, other = paces(tmp_path, clock, Limits(lease=20.0))
    dead = one.writing()
    dead.__enter__()
    start = clock.now
    with other.writing():
        assert 19 < clock.now - start < 22


def test_the_state_counts_what_was_written(tmp_path: Path) -> None:
    clock = Clock()
    (pace,) = paces(tmp_path, clock, Limits(), 1)
    for _ in range(3):
        with pace.writing():
            pass
    assert state(SqliteDatabase(tmp_path / "queue.sqlite"), clock) == [(1, 3, 3, 0.0)]
