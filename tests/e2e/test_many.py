"""Many pull requests over several workers on PostgreSQL: each newest head ends with its review, none with two."""

from __future__ import annotations

import itertools
import pathlib
import random
import threading

import pytest

from bot import reviewing
from bot.books import DatabaseBooks
from bot.database import PostgresDatabase
from bot.dispatch import wanted
from bot.github.app import Endpoint
from bot.github.auth import AppKey
from bot.github.transport import Transport
from bot.publishing.markers import SUMMARY, review_mark
from bot.server import loop
from bot.server.run import assemble
from bot.server.settings import Settings
from bot.webhook.events import parse
from tests.e2e.schedules import Shared, StillBare, StillTasks, known_reports, sender
from tests.e2e.test_exactly_once import signed
from tests.fakes.github.state import Delivery, Pull, Repo

PULLS, WORKERS, INSTALLATIONS = 200, 4, 8


def opened(shared: Shared, chance: random.Random) -> list[Pull]:
    """Pull requests in repositories of several installations."""
    github, pulls = shared.github, []
    for number in range(INSTALLATIONS):
        refs = {"refs/heads/main": shared.base}
        bare = StillBare(shared.bare, shared.kept, refs)
        repo = Repo(id=github.number(), owner=github.organization("many"), name=f"r{number}", bare=bare)  # type: ignore[arg-type]
        github.repos[repo.full_name] = repo
        github.install(shared.app, repo)
        for branch in range(PULLS // INSTALLATIONS):
            bare.set_refs({f"refs/heads/b{branch}": chance.choice(shared.versions)})
            pulls.append(github.open_pull(repo, f"b{branch}", "ann"))
    return pulls


def test_200_pull_requests_over_four_workers(
    shared: Shared, postgres_url: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    github, chance = shared.github, random.Random(7)
    monkeypatch.setattr(Transport, "_send", sender(github, lambda: chance))
    monkeypatch.setattr(reviewing, "analysed", known_reports(shared.reports))
    monkeypatch.setattr(AppKey, "token", lambda self: signed(shared))
    settings = Settings(
        app_id=str(shared.app.id), private_key=shared.app.private_key.decode(), webhook_secret="hush",
        endpoint=Endpoint("http://github.invalid"), folder=tmp_path / "state", database=postgres_url, workers=0,
    )  # fmt: skip
    parts = assemble(settings, github.clock, github.clock.sleep)
    tasks = StillTasks(parts.app, DatabaseBooks(parts.database, github.clock), shared.reports)
    pulls = opened(shared, chance)

    def deliver(deliveries: list[Delivery]) -> None:
        for delivery in deliveries:
            job = wanted(parse(delivery.event, delivery.payload), delivery.guid)
            if job is not None:
                parts.queue.enqueue(job.key, job.kind, job.payload, delivery.guid, job.installation, job.priority)

    deliver(github.hooks.take())
    stop = threading.Event()

    def work(name: str) -> None:
        worker = loop.Worker(parts.queue, tasks, parts.books, name)
        while not stop.is_set():
            if not worker.work():
                stop.wait(0.02)

    threads = [threading.Thread(target=work, args=(f"w{number}",), daemon=True) for number in range(WORKERS)]
    for thread in threads:
        thread.start()
    for pull in chance.sample(pulls, PULLS // 3):  # pushed to while the workers are at it
        before = pull.repo.bare.refs()
        pull.repo.bare.set_refs({f"refs/heads/{pull.head_ref}": chance.choice(shared.versions)})
        github.after_push(pull.repo, before, github.user("ann"))
        deliver(github.hooks.take())
    for _ in range(3000):
        deliver(github.hooks.take())
        depth = parts.queue.depth()
        if not depth["waiting"] and not depth["running"]:
            break
        stop.wait(0.05)
    stop.set()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(parts.queue.depth().values())
    for pull in pulls:
        expected = len(shared.reports[pull.head].introduced)
        assert sum(not thread.is_resolved for thread in pull.threads) == expected
        checks = [run for run in pull.repo.checks if run.suite.head == pull.head and f"pr={pull.number} " in run.external_id]
        assert [run.status for run in checks] == ["completed"]
        assert sum(SUMMARY in comment.body for comment in pull.comments) <= 1
        assert all(sum(review_mark(head) in each.body for each in pull.reviews) <= 1 for head in set(pull.head_history))
    content = [write for write in github.limits.writes if write.operation.startswith(("POST", "PATCH", "GRAPHQL"))]
    for who in {write.who for write in content if write.who.startswith("installation")}:
        times = sorted(write.time for write in content if write.who == who)
        assert all(later - earlier >= 0.999 for earlier, later in itertools.pairwise(times))
        assert all(later - earlier >= 60 for earlier, later in zip(times, times[80:], strict=False))
        assert all(later - earlier >= 3600 for earlier, later in zip(times, times[500:], strict=False))
    if isinstance(parts.database, PostgresDatabase):
        parts.queue.close()  # type: ignore[attr-defined]
        parts.database.close()
