"""Whatever befalls the workers, a pull request ends with one thread per finding, one summary, one review per head."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Iterator

import jwt
import pytest

from bot import changes, pipeline, reviewing
from bot.books import DatabaseBooks
from bot.config import Config
from bot.database import PostgresDatabase, SqliteDatabase
from bot.github.app import Endpoint
from bot.github.auth import AppKey, Token
from bot.github.transport import Transport
from bot.queue.jobs import Queue
from bot.queue.postgres import ProcrastinateQueue
from bot.queue.sqlite import SqliteQueue
from bot.repository import Repository
from bot.server import loop
from bot.server.run import assemble
from bot.server.settings import Settings
from tests.conftest import require_tool
from tests.e2e.schedules import PATH, QuietLease, Schedule, Shared, StillTasks, known_reports, sender, sleeper
from tests.e2e.stage import LEAKY, READER
from tests.fakes.github import FakeGitHub
from tests.fakes.github.clock import Clock

SEEDS = 1000
"""Over both databases."""

BATCHES = 8
_MOVED = "package shop;\n\nimport java.io.*;\n\nclass Reader {\n    int zero() {\n        return 0;\n    }\n\n"
VERSIONS = (
    LEAKY,
    LEAKY.replace("        return in.read();", "        try (in) {\n            return in.read();\n        }"),
    LEAKY.replace("package shop;\n\nimport java.io.*;\n\nclass Reader {\n", _MOVED),
    LEAKY.replace("    String name()", "    int third(File file) throws IOException {\n        FileReader more = new FileReader(file);\n"
                  "        return more.read();\n    }\n\n    String name()"),
    READER.replace("reader", "The reader"),
)  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    require_tool("git")
    folder = tmp_path_factory.mktemp("shared")
    github = FakeGitHub(folder / "hub", Clock(1_800_000_000.0))
    github.rest.is_checking = False
    github.limits.primary = 10**9
    repo = github.repository("acme/template", {PATH: READER}, writers=["ann"])
    versions = tuple(
        repo.bare.commit(f"v{number}", "refs/heads/main", {PATH: text}, f"Version {number}", "ann", 1_800_000_000)
        for number, text in enumerate(VERSIONS)
    )
    base = repo.bare.rev("main")
    assert base
    reports = {}
    repository = Repository(repo.bare.folder)
    for version in versions:
        with changes.review(repository, base, version) as change:
            reports[version] = pipeline.run(change, Config())
    repository.close()
    assert [len(reports[version].introduced) for version in versions] == [2, 1, 2, 3, 0]
    return Shared(github, repo.bare, base, versions, reports, {}, github.app(hook_url="http://bot.invalid"))


def signed(shared: Shared) -> Token:
    """A token of the App that is good at the fake's time."""
    now = int(shared.github.clock())
    claims = {"iat": now - 60, "exp": now + 500, "iss": str(shared.app.id)}
    return Token(jwt.encode(claims, shared.app.private_key, "RS256"), now + 500.0)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[tuple[str, SqliteDatabase | PostgresDatabase]]:
    if request.param == "sqlite":
        path = tmp_path / "state" / "leakmend.sqlite"
        yield f"sqlite://{path}", SqliteDatabase(path)
        return
    url = request.getfixturevalue("postgres_url")
    database = PostgresDatabase(url)
    yield url, database
    database.close()


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_schedule_ends_well(
    batch: int, shared: Shared, place: tuple[str, SqliteDatabase | PostgresDatabase], tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    url, database = place
    github = shared.github
    chance = [random.Random(0)]
    monkeypatch.setattr(Transport, "_send", sender(github, lambda: chance[0]))
    monkeypatch.setattr(reviewing, "analysed", known_reports(shared.reports))
    monkeypatch.setattr(AppKey, "token", lambda self: signed(shared))  # by the fake's clock
    monkeypatch.setattr(QuietLease, "clock", github.clock, raising=False)
    monkeypatch.setattr(loop, "Lease", QuietLease)
    settings = Settings(
        app_id=str(shared.app.id), private_key=shared.app.private_key.decode(), webhook_secret="hush",
        endpoint=Endpoint("http://github.invalid"), folder=tmp_path / "state", database=url, workers=0,
    )  # fmt: skip
    parts = assemble(settings, github.clock, sleeper(github))
    queue: Queue = (
        SqliteQueue(database.path, clock=github.clock, most_attempts=50) if isinstance(database, SqliteDatabase)
        else ProcrastinateQueue(database, most_attempts=50)
    )  # fmt: skip
    books = DatabaseBooks(database, github.clock)
    monkeypatch.setattr(loop, "MOST_ATTEMPTS", 50)
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
