"""Pace of writes to GitHub, shared by all processes of one database: one at a time per installation, at least
a second after the last, at most 80 a minute and 500 an hour; none at all where GitHub said to wait.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from bot.database import Database, Transaction
from bot.github.errors import RateLimited

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS pace (installation BIGINT PRIMARY KEY, holder TEXT NOT NULL DEFAULT '',"
    " held_until DOUBLE PRECISION NOT NULL DEFAULT 0, free_at DOUBLE PRECISION NOT NULL DEFAULT 0,"
    " blocked_until DOUBLE PRECISION NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS written (installation BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL)",
    "CREATE INDEX IF NOT EXISTS written_at ON written (installation, at)",
)


class Pace(Protocol):
    """When the next request may go out."""

    def writing(self) -> contextlib.AbstractContextManager[None]:
        """Hold the one place for a write. RateLimited where it is too long to wait for."""

    def settle(self) -> None:
        """Wait until the write that is under way now, whosever it is, has ended."""

    def reading(self) -> None:
        """RateLimited where GitHub said to wait."""

    def block(self, seconds: float) -> None:
        """GitHub said to wait so long."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How fast. `patience` is how long one write waits before its job is put off."""

    gap: float = 1.0
    a_minute: int = 80
    an_hour: int = 500
    patience: float = 45.0
    lease: float = 90.0


class SharedPace:
    """Implements `Pace` for one installation over a database."""

    def __init__(
        self,
        database: Database,
        installation: int,
        limits: Limits,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._database, self._installation, self._limits = database, installation, limits
        self._clock, self._sleep = clock, sleep
        self._name = uuid.uuid4().hex
        self._asked = 0.0

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """See `Pace`."""
        waited = 0.0
        while (wait := self._take()) > 0:
            waited += wait
            if waited > self._limits.patience:
                raise RateLimited(wait)
            self._sleep(wait)
        try:
            yield
        finally:
            with self._database.transaction("pace") as database:
                database.rows(
                    "UPDATE pace SET holder = '', held_until = 0, free_at = ? WHERE installation = ? AND holder = ?",
                    (self._clock() + self._limits.gap, self._installation, self._name),
                )

    def _take(self) -> float:
        """Seconds to wait, or 0 where the place was taken."""
        with self._database.transaction("pace") as database:
            now = self._clock()
            database.rows("INSERT INTO pace (installation) VALUES (?) ON CONFLICT DO NOTHING", (self._installation,))
            ((held_until, free_at, blocked),) = database.rows(
                "SELECT held_until, free_at, blocked_until FROM pace WHERE installation = ?", (self._installation,)
            )
            wait = max(_number(free_at) - now, _number(blocked) - now, self._window(database, now))
            if wait <= 0 and _number(held_until) > now:
                wait = min(0.05, _number(held_until) - now)
            if wait > 0:
                return wait
            database.rows(
                "UPDATE pace SET holder = ?, held_until = ? WHERE installation = ?",
                (self._name, now + self._limits.lease, self._installation),
            )
            database.rows("INSERT INTO written (installation, at) VALUES (?, ?)", (self._installation, now))
        return 0.0

    def _window(self, database: Transaction, now: float) -> float:
        """Seconds until the last minute and the last hour hold fewer writes than they may."""
        database.rows("DELETE FROM written WHERE installation = ? AND at < ?", (self._installation, now - 3600))
        wait = 0.0
        for seconds, most in ((60.0, self._limits.a_minute), (3600.0, self._limits.an_hour)):
            found = database.rows(
                "SELECT at FROM written WHERE installation = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
                (self._installation, now - seconds, most - 1),
            )
            if found:
                wait = max(wait, _number(found[0][0]) + seconds - now)
        return wait

    def settle(self) -> None:
        """See `Pace`. Who holds the place and is gone does so for `Limits.lease` seconds at most."""
        first = ""
        while True:
            with self._database.transaction("pace") as database:
                found = database.rows("SELECT holder, held_until FROM pace WHERE installation = ?", (self._installation,))
            holder = str(found[0][0]) if found and _number(found[0][1]) > self._clock() else ""
            if not holder or (first and holder != first):
                return
            first = holder
            self._sleep(0.05)

    def reading(self) -> None:
        """See `Pace`. Asks the database once a second at most."""
        if self._clock() - self._asked < 1.0:
            return
        self._asked = self._clock()
        with self._database.transaction("pace") as database:
            found = database.rows("SELECT blocked_until FROM pace WHERE installation = ?", (self._installation,))
        wait = _number(found[0][0]) - self._clock() if found else 0.0
        if wait > 0:
            if wait > self._limits.patience:
                raise RateLimited(wait)
            self._sleep(wait)

    def block(self, seconds: float) -> None:
        """See `Pace`."""
        self._asked = 0.0
        with self._database.transaction("pace") as database:
            database.rows("INSERT INTO pace (installation) VALUES (?) ON CONFLICT DO NOTHING", (self._installation,))
            database.rows(
                "UPDATE pace SET blocked_until = ? WHERE installation = ? AND blocked_until < ?",
                (self._clock() + seconds, self._installation, self._clock() + seconds),
            )


class LocalPace:
    """Implements `Pace` for one process alone: the Action."""

    def __init__(
        self, gap: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._gap, self._clock, self._sleep = gap, clock, sleep
        self._free_at = self._blocked_until = 0.0

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """See `Pace`."""
        self.reading()
        wait = self._free_at - self._clock()
        if wait > 0:
            self._sleep(wait)
        try:
            yield
        finally:
            self._free_at = self._clock() + self._gap

    def settle(self) -> None:
        """See `Pace`: nobody else is there."""

    def reading(self) -> None:
        """See `Pace`."""
        wait = self._blocked_until - self._clock()
        if wait > 0:
            self._sleep(wait)

    def block(self, seconds: float) -> None:
        """See `Pace`. A job of a workflow cannot be put off: it waits, though not for ever."""
        if seconds > 300:
            raise RateLimited(seconds)
        self._blocked_until = max(self._blocked_until, self._clock() + seconds)


def create_tables(database: Database) -> None:
    """What `SharedPace` needs."""
    with database.transaction("schema") as transaction:
        for statement in _SCHEMA:
            transaction.rows(statement)


def state(database: Database, clock: Callable[[], float] = time.time) -> list[tuple[int, int, int, float]]:
    """Per installation: its id, writes in the last minute and hour, seconds that it is blocked for."""
    now = clock()
    with database.transaction("pace") as transaction:
        found = transaction.rows(
            "SELECT installation, blocked_until, (SELECT COUNT(*) FROM written w WHERE w.installation = p.installation"
            " AND w.at > ?), (SELECT COUNT(*) FROM written w WHERE w.installation = p.installation AND w.at > ?)"
            " FROM pace p ORDER BY installation",
            (now - 60, now - 3600),
        )
    return [
        (int(_number(row[0])), int(_number(row[2])), int(_number(row[3])), max(_number(row[1]) - now, 0.0))
        for row in found
    ]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
