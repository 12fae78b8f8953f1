"""Rate limits of an installation, by the fake's clock: primary, and secondary for what creates content."""

from __future__ import annotations

import math

import msgspec

from tests.fakes.github.clock import Clock
from tests.fakes.github.refused import Refused

PRIMARY, PRIMARY_ACTIONS, HOUR, MINUTE = 5000, 1000, 3600.0, 60.0
CONTENT_PER_MINUTE, CONTENT_PER_HOUR = 80, 500
POINTS_PER_MINUTE = 900


class Write(msgspec.Struct, frozen=True):
    """One request that changed something: when, who, what."""

    time: float
    who: str
    operation: str
    is_content: bool


class Limits:
    """Counts requests per caller."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._windows: dict[str, tuple[float, int]] = {}
        self._points: dict[str, list[tuple[float, int]]] = {}
        self.writes: list[Write] = []
        self.primary = PRIMARY

    def headers(self, who: str) -> dict[str, str]:
        """What every answer says."""
        start, used = self._windows.get(who, (self._clock(), 0))
        return {
            "x-ratelimit-limit": str(self.primary),
            "x-ratelimit-remaining": str(max(self.primary - used, 0)),
            "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str(math.ceil(start + HOUR)),
            "x-ratelimit-resource": "core",
        }

    def spend(self, who: str, operation: str, is_write: bool, is_content: bool) -> None:
        """Count a request; Refused where there were too many."""
        now = self._clock()
        start, used = self._windows.get(who, (now, 0))
        if now >= start + HOUR:
            start, used = now, 0
        if used >= self.primary:
            self._windows[who] = (start, used)
            raise Refused(403, "API rate limit exceeded for installation", headers=self.headers(who))
        self._windows[who] = (start, used + 1)
        recent = [each for each in self._points.get(who, ()) if each[0] > now - MINUTE]
        recent.append((now, 5 if is_write else 1))
        self._points[who] = recent
        if sum(points for _, points in recent) > POINTS_PER_MINUTE:
            raise self._secondary(MINUTE)
        if is_content:
            made = [each.time for each in self.writes if each.who == who and each.is_content and each.time > now - HOUR]
            if sum(time > now - MINUTE for time in made) >= CONTENT_PER_MINUTE:
                raise self._secondary(MINUTE)
            if len(made) >= CONTENT_PER_HOUR:
                raise self._secondary(made[0] + HOUR - now)
        if is_write:
            self.writes.append(Write(now, who, operation, is_content))

    def give_back(self, who: str) -> None:
        """A 304 costs nothing."""
        if who in self._windows:
            start, used = self._windows[who]
            self._windows[who] = (start, used - 1)

    @staticmethod
    def _secondary(wait: float) -> Refused:
        text = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        return Refused(403, text, headers={"retry-after": str(math.ceil(wait))})
