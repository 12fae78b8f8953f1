"""Whatever befalls the workers, a pull request ends with one thread per finding, one summary, one review per head."""

from __future__ import annotations

import functools
import pathlib
import random

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot import reviewing
from bot.books import DatabaseBooks
from bot.database import SqliteDatabase
from bot.github.app import Endpoint
from bot.github.auth import AppKey, Token
from bot.github.transport import Transport
from bot.queue.jobs import Queue
from bot.queue.postgres import ProcrastinateQueue
from bot.queue.sqlite import SqliteQueue
from bot.server import loop
from bot.server.run import assemble
from bot.server.settings import Settings
from tests.e2e.conftest import Place
from tests.e2e.schedules import QuietLease, Schedule, Shared, StillTasks, known_reports, sender, sleeper

SEEDS = 1000
"""Over both databases."""

BATCHES = 8
_ATTEMPTS = 50
"""Schedules kill more workers than a job survives in life."""


def signed(shared: Shared) -> Token:
    """A token of the App that is good at the fake's time."""
    now = int(shared.github.clock())
    claims = {"iat": now - 60, "exp": now + 500, "iss": str(shared.app.id)}
    return Token(jwt.encode(claims, _key(shared.app.private_key), "RS256"), now + 500.0)


@functools.cache  # reading one takes longer than to sign with it
def _key(pem: bytes) -> RSAPrivateKey:
    key = load_pem_private_key(pem, None)
    assert isinstance(key, RSAPrivateKey)
    return key


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_schedule_ends_well(
    batch: int, shared: Shared, place: Place, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, database = place
    github = shared.github
    chance = [random.Random(0)]
    monkeypatch.setattr(Transport, "_send", sender(github, lambda: chance[0]))
    monkeypatch.setattr(reviewing, "analysed", known_reports(shared.reports))
    monkeypatch.setattr(AppKey, "token", lambda self: signed(shared))  # by the fake's clock
    monkeypatch.setattr(QuietLease, "clock", github.clock, raising=False)
    monkeypatch.setattr(loop, "Lease", QuietLease)
    monkeypatch.setattr(loop, "MOST_ATTEMPTS", _ATTEMPTS)
    settings = Settings(
        app_id=str(shared.app.id), private_key=shared.app.private_key.decode(), webhook_secret="hush",
        endpoint=Endpoint("http://github.invalid"), folder=tmp_path / "state", database=url, workers=0,
    )  # fmt: skip
    parts = assemble(settings, github.clock, sleeper(github))
    queue: Queue = (
        SqliteQueue(database.path, clock=github.clock, most_attempts=_ATTEMPTS) if isinstance(database, SqliteDatabase)
        else ProcrastinateQueue(database, most_attempts=_ATTEMPTS)
    )  # fmt: skip
    books = DatabaseBooks(database, github.clock)
    tasks = StillTasks(parts.app, books, shared.reports)
    share = SEEDS // 2 // BATCHES + 1
    for seed in range(batch * share, (batch + 1) * share):
        schedule = Schedule(seed, shared, queue, tasks, books, database)
        chance[0] = schedule.random
        try:
            schedule.run()
        except AssertionError as error:
            told = "\n".join(schedule.happened)
            raise AssertionError(f"seed {seed}: {error}\n{told}") from error
    assert not [each for each in github.violations if "fake" in each]
    for each in (queue, parts.queue):
        if isinstance(each, ProcrastinateQueue):
            each.close()
