"""Forked processes for the cold run: each inherits all that its parent has at hand, and sends back bytes.

Fork, not spawn: nothing is copied or sent before the work begins. A process that dies costs its task; the others go on.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pickle
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from typing import Generic, NoReturn, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_LOG = logging.getLogger(__name__)


class Processes:
    """Runs the same work on many tasks, `jobs` at a time: see `analyzers.means.Workers`."""

    def __init__(self, jobs: int) -> None:
        self.jobs = max(1, jobs)

    def map(self, work: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R | None]:
        """The results in the order of the tasks; None for a task whose process died."""
        done: dict[int, R | None] = {}
        results = self.share(lambda number, _: (work(tasks[number]), b""), [range(len(tasks))])
        with contextlib.closing(results):
            for number in range(len(tasks)):
                while number not in done:
                    finished, result = next(results)
                    done[finished] = result
                yield done.pop(number)

    def share(
        self, work: Callable[[T, Sequence[bytes]], tuple[R, bytes]], lanes: Sequence[Sequence[T]]
    ) -> Generator[tuple[T, R | None], None, None]:
        """See `Workers`."""
        return _Pool(work, lanes).run(self.jobs)


class _Child:
    """A forked process: its lane, the task that it works on, and how much of the news it knows."""

    __slots__ = ("connection", "heard", "lane", "process", "task")

    def __init__(self, process: int, connection: Connection, lane: int) -> None:
        self.process = process
        self.connection = connection
        self.lane = lane
        self.task = -1
        self.heard = 0


class _Pool(Generic[T, R]):
    def __init__(
        self, work: Callable[[T, Sequence[bytes]], tuple[R, bytes]], lanes: Sequence[Sequence[T]]
    ) -> None:
        self._work = work
        self._tasks: list[T] = []
        self._waiting: list[list[int]] = []
        for lane in lanes:
            numbers = range(len(self._tasks), len(self._tasks) + len(lane))
            self._waiting.append(list(reversed(numbers)))
            self._tasks += lane
        self._children: list[_Child] = []
        self._news: list[tuple[int, bytes]] = []

    def run(self, jobs: int) -> Generator[tuple[T, R | None], None, None]:
        """See `Workers.share`."""
        is_collecting = gc.isenabled()
        gc.disable()
        gc.freeze()
        try:
            for number in range(min(jobs, len(self._tasks))):
                self._start(number % len(self._waiting))
            left = len(self._tasks)
            while left:
                for number, result in self._receive():
                    left -= 1
                    yield self._tasks[number], result
        finally:
            for child in self._children:
                _end(child)
            gc.unfreeze()
            if is_collecting:
                gc.enable()

    def _start(self, lane: int) -> None:
        ours, theirs = Pipe()
        process = os.fork()
        if process == 0:
            ours.close()
            for child in self._children:
                child.connection.close()
            self._serve(theirs)
        theirs.close()
        child = _Child(process, ours, lane)
        child.heard = len(self._news)
        self._children.append(child)
        self._give(child)

    def _serve(self, connection: Connection) -> NoReturn:
        """The life of a child: tasks in, results out, no clean-up of what belongs to the parent."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        status = 1
        try:
            while True:
                number, news = connection.recv()
                if number < 0:
                    break
                connection.send_bytes(pickle.dumps(self._work(self._tasks[number], news), pickle.HIGHEST_PROTOCOL))
            status = 0
        except (EOFError, OSError):
            status = 0
        except BaseException:
            _LOG.exception("a worker failed")
        finally:
            os._exit(status)

    def _give(self, child: _Child) -> None:
        lane = self._waiting[child.lane] or max(self._waiting, key=len)
        child.task = lane.pop() if lane else -1
        news = [text for process, text in self._news[child.heard :] if process != child.process]
        child.heard = len(self._news)
        with contextlib.suppress(OSError):
            child.connection.send((child.task, news))

    def _receive(self) -> list[tuple[int, R | None]]:
        """Take what the next children have to say."""
        busy = {child.connection: child for child in self._children if child.task >= 0}
        done: list[tuple[int, R | None]] = []
        for ready in wait(list(busy)):
            child = next(each for connection, each in busy.items() if connection is ready)
            try:
                result, news = pickle.loads(child.connection.recv_bytes())
            except (EOFError, OSError, pickle.UnpicklingError):
                done.append((child.task, None))
                self._children.remove(child)
                _end(child)
                if any(self._waiting):
                    self._start(child.lane)
                continue
            done.append((child.task, result))
            if news:
                self._news.append((child.process, news))
            self._give(child)
        return done


def _end(child: _Child) -> None:
    child.connection.close()
    with contextlib.suppress(OSError):
        os.kill(child.process, signal.SIGKILL)
        os.waitpid(child.process, 0)
