"""Seconds per layer: each moment counts for the innermost layer that is at work."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

Clock = Callable[[], float]


def no_clock() -> float:
    """The clock of a run that nobody measures."""
    return 0.0


class Stopwatch:
    """Adds up seconds by layer, as a clock that is handed in tells them."""

    def __init__(self, clock: Clock) -> None:
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._layers: list[str] = []
        self._since = 0.0

    @contextlib.contextmanager
    def layer(self, name: str) -> Iterator[None]:
        """What happens inside counts for this layer."""
        self._count()
        self._layers.append(name)
        try:
            yield
        finally:
            self._count()
            self._layers.pop()

    def add(self, seconds: Mapping[str, float]) -> None:
        """Take over what another process measured."""
        for name, count in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + count

    def _count(self) -> None:
        now = self._clock()
        if self._layers:
            layer = self._layers[-1]
            self.seconds[layer] = self.seconds.get(layer, 0.0) + now - self._since
        self._since = now
