"""Forked processes: all tasks done, news passed on, death survived."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import pytest

from bot.processes import Processes

LANES = [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9]]


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_task_is_done_once(jobs: int) -> None:
    def work(number: int, news: Sequence[bytes]) -> tuple[bytes, bytes]:
        time.sleep(0.01 * (number % 3))
        return b"x" * number, b""

    found = sorted(Processes(jobs).share(work, LANES))
    assert found == [(number, b"x" * number) for number in range(10)]


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    def work(number: int) -> tuple[int, bytes]:
        time.sleep(0.01 * (5 - number % 5))
        return number, b"x" * number

    tasks = list(range(12))
    assert list(Processes(jobs).map(work, tasks)) == [(number, b"x" * number) for number in tasks]


def test_no_tasks_need_no_process() -> None:
    assert list(Processes(4).share(lambda task, news: (task, b""), [[], []])) == []


def test_news_reach_every_other_process_once() -> None:
    def work(number: int, news: Sequence[bytes]) -> tuple[tuple[int, list[bytes]], bytes]:
        time.sleep(0.02)
        return (os.getpid(), list(news)), b"%d" % number

    heard: dict[int, list[bytes]] = {}
    said: dict[int, list[bytes]] = {}
    for number, result in Processes(2).share(work, [list(range(6)), list(range(6, 12))]):
        assert result is not None
        process, news = result
        heard.setdefault(process, []).extend(news)
        said.setdefault(process, []).append(b"%d" % number)
    first, second = said
    assert set(heard[first]) <= set(said[second]) and heard[first]
    assert set(heard[second]) <= set(said[first]) and heard[second]
    assert len(set(heard[first])) == len(heard[first])


def test_a_process_that_dies_costs_its_task_only() -> None:
    def work(number: int, news: Sequence[bytes]) -> tuple[int, bytes]:
        if number == 3:
            os._exit(9)
        if number == 4:
            raise ValueError("a fault")
        return number, b""

    found = dict(Processes(2).share(work, LANES))
    assert found == {number: None if number in (3, 4) else number for number in range(10)}


def test_work_is_done_elsewhere() -> None:
    found = [result for _, result in Processes(2).share(lambda task, news: (os.getpid(), b""), LANES)]
    assert os.getpid() not in found


def test_an_abandoned_run_ends_its_processes() -> None:
    results = Processes(2).share(lambda task, news: (os.getpid(), b""), LANES)
    _, process = next(results)
    assert process is not None
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
