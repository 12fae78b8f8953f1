"""The fake's clock: real time that can be pushed on, or one that stands until somebody moves it."""

from __future__ import annotations

import datetime
import threading
import time


class Clock:
    """Seconds since the epoch. Given a start it stands still; `sleep` then moves it instead of waiting."""

    def __init__(self, start: float | None = None) -> None:
        self._start = start
        self._ahead = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return (time.time() if self._start is None else self._start) + self._ahead

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        with self._lock:
            self._ahead += max(seconds, 0.0)

    def sleep(self, seconds: float) -> None:
        """What code under test calls instead of `time.sleep`."""
        if self._start is None:
            time.sleep(seconds)
        else:
            self.advance(seconds)

    def stamp(self, seconds: float | None = None) -> str:
        """A time as GitHub writes it."""
        moment = datetime.datetime.fromtimestamp(self() if seconds is None else seconds, datetime.UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
