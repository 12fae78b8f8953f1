"""What a run is handed from outside: processes, an end, someone who watches. Analyzers open none of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")
R = TypeVar("R")


class Workers(Protocol):
    """Processes that inherit what their parent has at hand when `share` is called."""

    @property
    def jobs(self) -> int:
        """How many work at once."""

    def share(
        self, work: Callable[[T, Sequence[bytes]], tuple[R, bytes]], lanes: Sequence[Sequence[T]]
    ) -> Iterator[tuple[T, R | None]]:
        """The tasks of all lanes with their results, as they come; None for a task whose process died.

        A process takes the tasks of one lane in order, then helps with others. `work` is given the news
        that other processes had since its last task, and returns its own (empty: none) beside the result.
        """


class TimeUp(BaseException):
    """The time was up in the midst of some work: what it was for stays undone."""


def never() -> bool:
    """The end of a run that has all the time it needs."""
    return False


def nobody(stage: str, done: int, total: int) -> None:
    """Whoever watches a run that nobody watches."""


class Means(msgspec.Struct, frozen=True):
    """See the module.

    workers    processes for cold runs; without them, or with one, all is done here
    is_over    whether the time is up: what was not begun by then stays undone
    progress   is told the stage, how much of it is done, and of how much
    """

    workers: Workers | None = None
    is_over: Callable[[], bool] = never
    progress: Callable[[str, int, int], None] = nobody
