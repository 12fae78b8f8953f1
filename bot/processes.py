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
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from typing import Generic, NoReturn, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_LOG = logging.getLogger(__name__)


class Processes:
    """Runs the same work on many tasks, `jobs` at a time."""

    def __init__(self, jobs: int) -> None:
        self.jobs = max(1, jobs)

    def map(self, work: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R | None]:
        """The results in the order of the tasks; None for a task whose process died."""
        return _Pool(work, tasks).run(min(self.jobs, len(tasks)))


class _Child:
    """A forked process and the task that it works on."""

    __slots__ = ("connection", "process", "task")

    def __init__(self, process: int, connection: Connection) -> None:
        self.process = process
        self.connection = connection
        self.task = -1


class _Pool(Generic[T, R]):
    def __init__(self, work: Callable[[T], R], tasks: Sequence[T]) -> None:
        self._work = work
        self._tasks = tasks
        self._waiting = list(range(len(tasks) - 1, -1, -1))
        self._children: list[_Child] = []
        self._done: dict[int, R | None] = {}

    def run(self, jobs: int) -> Iterator[R | None]:
        """See `Processes.map`."""
        is_collecting = gc.isenabled()
        gc.disable()
        gc.freeze()
        try:
            for _ in range(jobs):
                self._start()
            for number in range(len(self._tasks)):
                while number not in self._done:
                    self._receive()
                yield self._done.pop(number)
        finally:
            for child in self._children:
                _end(child)
            gc.unfreeze()
            if is_collecting:
                gc.enable()

    def _start(self) -> None:
        ours, theirs = Pipe()
        process = os.fork()
        if process == 0:
            ours.close()
            for child in self._children:
                child.connection.close()
            self._serve(theirs)
        theirs.close()
        child = _Child(process, ours)
        self._children.append(child)
        self._give(child)

    def _serve(self, connection: Connection) -> NoReturn:
        """The life of a child: tasks in, results out, no clean-up of what belongs to the parent."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        status = 1
        try:
            while (number := connection.recv()) >= 0:
                connection.send_bytes(pickle.dumps(self._work(self._tasks[number]), pickle.HIGHEST_PROTOCOL))
            status = 0
        except (EOFError, OSError):
            status = 0
        except BaseException:
            _LOG.exception("a worker failed")
        finally:
            os._exit(status)

    def _give(self, child: _Child) -> None:
        child.task = self._waiting.pop() if self._waiting else -1
        with contextlib.suppress(OSError):
            child.connection.send(child.task)

    def _receive(self) -> None:
        """Take what the next child has to say."""
        busy = {child.connection: child for child in self._children if child.task >= 0}
        for ready in wait(list(busy)):
            child = next(each for connection, each in busy.items() if connection is ready)
            try:
                self._done[child.task] = pickle.loads(child.connection.recv_bytes())
            except (EOFError, OSError, pickle.UnpicklingError):
                self._done[child.task] = None
                self._children.remove(child)
                _end(child)
                if self._waiting:
                    self._start()
                continue
            self._give(child)


def _end(child: _Child) -> None:
    child.connection.close()
    with contextlib.suppress(OSError):
        os.kill(child.process, signal.SIGKILL)
        os.waitpid(child.process, 0)
