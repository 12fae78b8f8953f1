"""Forked processes: order, inheritance, death."""

from __future__ import annotations

import os
import time

import pytest

from bot.processes import Processes


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    def work(number: int) -> tuple[int, bytes]:
        time.sleep(0.01 * (5 - number % 5))
        return number, b"x" * number

    tasks = list(range(12))
    assert list(Processes(jobs).map(work, tasks)) == [(number, b"x" * number) for number in tasks]


def test_no_tasks_need_no_process() -> None:
    assert list(Processes(4).map(lambda task: task, [])) == []


def test_a_process_that_dies_costs_its_task_only() -> None:
    def work(number: int) -> int:
        if number == 3:
            os._exit(9)
        if number == 4:
            raise ValueError("a fault")
        return number

    assert list(Processes(2).map(work, list(range(8)))) == [0, 1, 2, None, None, 5, 6, 7]


def test_work_is_done_elsewhere() -> None:
    found = list(Processes(2).map(lambda _: os.getpid(), [1, 2, 3]))
    assert os.getpid() not in found


def test_an_abandoned_run_ends_its_processes() -> None:
    results = Processes(2).map(lambda _: os.getpid(), [1, 2, 3])
    process = next(results)
    assert process is not None
    results.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
