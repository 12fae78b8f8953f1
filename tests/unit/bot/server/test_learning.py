"""The default branch is analysed while nobody waits, and reviews are the faster for it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bot.config import Config
from bot.learning import Turn, learn
from bot.pipeline import Asked, run
from bot.queue.jobs import Job
from bot.reviewing import Means, NoBooks
from bot.server.loop import ToBeContinued, Worker
from bot.server.run import assemble, web
from bot.store import SqliteStore
from tests.fakes.github import FakeGitHub

from .station import Station

MANY = {f"src/part{number}.c": f"int *twice{number}(int *p) {{ return p + {number}; }}\n" for number in range(40)}


@pytest.fixture
def large(github: FakeGitHub, tmp_path: Path) -> Station:
    """A repository of forty files, whose App asks for pushes."""
    station = Station(github, tmp_path)
    github.push(station.repo, "main", dict(MANY), by="ann")
    return station


def reused_by_a_review(station: Station) -> float:
    """How many procedures of the base a review of a small change finds analysed in what the station has kept."""
    github = station.parts.app.repository(station.installation.id, station.repo.id, "acme/pump", lambda: None)
    base = station.repo.bare.refs()["refs/heads/main"]
    station.github.push(station.repo, "small", {"src/part3.c": "int *twice3(int *p) { return p + 4; }\n"}, by="ann")
    head = station.repo.bare.refs()["refs/heads/small"]
    keeping = station.parts.tasks._keeping
    with (
        SqliteStore(keeping.cache_of(station.repo.id)) as store,
        keeping.workspace.change(station.repo.id, github.remote(), base, head) as change,
    ):
        change = msgspec.structs.replace(change, repository="acme/pump")
        return run(change, Config(), Asked(store=store)).stats["procedures reused"]


def test_an_installation_has_its_repositories_analysed(large: Station) -> None:
    large.turn()
    assert reused_by_a_review(large) == 1


def test_without_it_a_review_finds_nothing(large: Station) -> None:
    assert reused_by_a_review(large) == 0


def test_a_push_to_the_default_branch_has_it_analysed_anew_and_no_other(large: Station) -> None:
    large.turn()
    large.github.push(large.repo, "topic", {"src/part1.c": "int f(void) { return 1; }\n"}, by="ann")
    large.deliver()
    assert large.work() == 0, "a branch of somebody"
    large.github.push(large.repo, "main", {"src/part2.c": "int g(void) { return 1; }\n"}, by="ann")
    large.deliver()
    assert large.work() == 1
    assert reused_by_a_review(large) == 1


def test_a_review_asks_for_what_is_missing(station: Station) -> None:
    station.github.hooks.take()  # the delivery of the installation is lost
    station.open()
    station.deliver()
    job = claimed(station)
    assert job.kind == "ReviewWanted"
    station.parts.queue.postpone(job, "looker", 0.0, "looked at")
    station.worker.work()
    assert claimed(station).key == "acme/pump@default"


def claimed(station: Station) -> Job:
    job = station.parts.queue.claim("looker")
    assert job is not None
    return job


def test_who_switched_it_off_gets_nothing(station: Station) -> None:
    station.parts = assemble(msgspec.structs.replace(station.settings, learns=False), station.github.clock, station.github.clock.sleep)
    station.web = web(station.parts)
    station.worker = Worker(station.parts.queue, station.parts.tasks, station.parts.books, "w1")
    station.github.push(station.repo, "main", dict(MANY), by="ann")
    station.deliver()
    kinds = []
    while (job := station.parts.queue.claim("looker")) is not None:
        kinds.append(job.kind)
        station.parts.queue.finish(job, "looker")
    assert "BranchMoved" not in kinds


# --- turns


class Ticks:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_turn_goes_on_for_a_while_even_if_others_wait_and_then_makes_way() -> None:
    clock, busy = Ticks(), [True]
    turn = Turn(lambda: not busy[0], 100.0, 10.0, clock)
    clock.now = 9.0
    assert not turn.is_over()
    clock.now = 11.0
    assert turn.is_over()
    busy[0] = False
    assert turn.is_over(), "what has ended does not begin again"


def test_a_turn_ends_when_its_time_is_up() -> None:
    clock = Ticks()
    turn = Turn(lambda: True, 100.0, 10.0, clock)
    clock.now = 99.0
    assert not turn.is_over()
    clock.now = 100.0
    assert turn.is_over()


def test_work_is_continued_where_a_turn_ended_and_given_up_where_it_gets_nowhere(large: Station) -> None:
    means, github = means_of(large), large.parts.app.repository(large.installation.id, large.repo.id, "acme/pump", lambda: None)
    with means.store as store:  # type: ignore[union-attr]
        assert store is not None
        assert learn(github, "", means, steps(30)) == "to be continued"
        assert learn(github, "", means, steps(0)) == "given up"
        assert learn(github, "", means, Turn(lambda: True, 60.0)) == "learned"
        assert learn(github, "", means, Turn(lambda: True, 60.0)) == "known before"


class steps(Turn):
    """A turn that ends after so many questions."""

    def __init__(self, number: int) -> None:
        self._left = number

    def is_over(self) -> bool:
        self._left -= 1
        return self._left < 0


def means_of(station: Station) -> Means:
    keeping = station.parts.tasks._keeping
    return Means(source=keeping.workspace, books=NoBooks(), store=SqliteStore(keeping.cache_of(station.repo.id)))


def test_a_turn_that_is_to_be_continued_costs_no_attempt(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []

    def go(*_: object) -> str:
        turns.append(1)
        if len(turns) < 9:
            raise ToBeContinued(0.0)
        return "learned"

    monkeypatch.setattr(type(station.parts.tasks), "_learn", go)
    station.turn()
    assert len(turns) == 9 and station.parts.queue.depth() == {"waiting": 0, "running": 0, "failed": 0}


def test_settings_that_cannot_be_read_end_it_quietly(station: Station) -> None:
    station.github.push(station.repo, "main", {".leakmend.toml": "scan = 3\n"}, by="ann")
    station.turn()
    assert station.parts.queue.depth()["failed"] == 0


def test_an_empty_repository_has_nothing_to_be_learned(station: Station) -> None:
    github = station.parts.app.repository(station.installation.id, station.repo.id, "acme/pump", lambda: None)
    station.repo.default_branch = "nowhere"
    with means_of(station).store as store:  # type: ignore[union-attr]
        means = msgspec.structs.replace(means_of(station), store=store)
        assert learn(github, "", means, steps(9)) == "empty"
