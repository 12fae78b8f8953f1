"""Auto-fix pull requests through their whole life."""

from __future__ import annotations

import pytest

from bot import pull_requests
from tests.fakes.github import FakeGitHub
from tests.fakes.github.state import Pull
from tests.unit.bot.code import JAVA

from .station import Station
from .test_path import MENDED

ON = '[bot]\nautofix = "pull-request"\ncommit-trailers = ["Signed-off-by: Bot <bot@example.org>"]\n'


@pytest.fixture
def always(station: Station, github: FakeGitHub) -> Station:
    github.push(station.repo, "main", {".leakmend.toml": ON}, by="ann")
    return station


def made(station: Station) -> list[Pull]:
    return [pull for pull in station.repo.pulls.values() if pull.head_ref.startswith("leakmend/")]


def test_it_opens_follows_and_closes_when_nothing_is_left(always: Station, github: FakeGitHub) -> None:
    source = always.open()
    always.turn()
    (fix,) = made(always)
    assert (fix.head_ref, fix.base_ref, fix.state) == (f"leakmend/pr-{source.number}", "topic", "open")
    content = always.repo.bare.read(fix.head, "src/Reader.java")
    assert content is not None and b"try (" in content
    first = fix.head
    message = always.repo.bare.git("log", "-1", "--format=%B", first)
    assert "Signed-off-by: Bot <bot@example.org>" in message
    github.push(always.repo, "topic", {"src/Reader.java": JAVA.replace("int first(", "int primary(")}, by="ann")
    always.turn()
    assert fix.head != first and fix.state == "open" and len(made(always)) == 1
    content = always.repo.bare.read(fix.head, "src/Reader.java")
    assert content is not None and b"primary" in content and b"try (" in content
    github.push(always.repo, "topic", {"src/Reader.java": MENDED}, by="ann")
    always.turn()
    assert fix.state == "closed"
    assert always.repo.bare.rev("refs/heads/leakmend/pr-1") is None


def test_it_is_merged_into_the_source_and_the_thread_resolves(always: Station, github: FakeGitHub) -> None:
    source = always.open()
    always.turn()
    (fix,) = made(always)
    github.merge(fix, "ann")
    always.turn()
    assert source.threads[0].is_resolved and len(source.threads) == 1


def test_it_closes_with_its_source(always: Station, github: FakeGitHub) -> None:
    source = always.open()
    always.turn()
    github.close(source, "ann")
    always.turn()
    (fix,) = made(always)
    assert fix.state == "closed"
    assert always.repo.bare.rev("refs/heads/leakmend/pr-1") is None


def test_it_is_left_alone_once_somebody_pushed_to_it(always: Station, github: FakeGitHub) -> None:
    source = always.open()
    always.turn()
    (fix,) = made(always)
    theirs = github.push(always.repo, fix.head_ref, {"notes.txt": "mine now\n"}, by="ann")
    github.push(always.repo, "topic", {"src/Reader.java": JAVA.replace("int first(", "int primary(")}, by="ann")
    always.turn()
    assert fix.head == theirs
    github.close(source, "ann")
    always.turn()
    assert fix.state == "open"


def test_on_command_only_who_asks_gets_one(station: Station, github: FakeGitHub) -> None:
    source = station.open()
    station.turn()
    assert not made(station)
    github.comment(source, "ann", "/leakcheck fix --pull-request")
    station.turn()
    (fix,) = made(station)
    assert f"#{fix.number}" in station.ours(source)[-1].body
    github.comment(source, "ann", "/leakcheck fix --pull-request")
    station.turn()
    assert len(made(station)) == 1


def test_no_more_are_opened_than_a_repository_can_bear(always: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pull_requests.MOST_OPEN == 10
    monkeypatch.setattr(pull_requests, "MOST_OPEN", 2)
    for number in range(3):
        always.open({f"src/R{number}.java": JAVA.replace("Reader", f"R{number}")}, branch=f"topic{number}")
        always.turn()
    assert len([pull for pull in made(always) if pull.state == "open"]) == 2
