"""What a demanding world sends: each case ends with an answer that people understand, and with no job left behind."""

from __future__ import annotations

import logging

import pytest

from bot.marks import marks
from bot.publishing.markers import fingerprint_of
from tests.fakes.github import FakeGitHub
from tests.fakes.github.faults import meanwhile
from tests.fakes.github.state import Pull
from tests.rendered import rendered
from tests.unit.bot.code import JAVA

from .station import Station

IDLE = {"waiting": 0, "running": 0, "failed": 0}


def retried(station: Station) -> None:
    """What failed is tried again now."""
    with station.parts.database.transaction("test") as database:
        database.rows("UPDATE job SET ready = 0")
    station.turn()


def verdict(station: Station, pull: Pull) -> tuple[str | None, str]:
    """Conclusion and text of the newest check on the head."""
    run = [run for run in station.repo.checks if run.suite.head == pull.head][-1]
    return run.conclusion, f"{run.title}\n{run.summary}"


def test_an_empty_repository_waits_for_its_first_pull_request(station: Station, github: FakeGitHub) -> None:
    empty = github.repository("acme/empty", None, writers=["ann"])
    station.installation.repos.append(empty)
    github.hooks.add(station.app, "push", {"repository": {"id": empty.id, "full_name": "acme/empty"}}, station.installation.id, empty.id)
    station.turn()
    assert not empty.checks and station.parts.queue.depth() == IDLE
    first = empty.bare.commit("main", None, {"README.md": "new\n"}, "First", "ann", 1)
    empty.bare.commit("topic", first, {"src/Reader.java": JAVA}, "Second", "ann", 2)
    pull = github.open_pull(empty, "topic", by="ann")
    station.turn()
    assert len(pull.threads) == 1


def test_a_change_that_deletes_everything_is_clean(station: Station, github: FakeGitHub) -> None:
    github.push(station.repo, "main", {"src/Reader.java": JAVA}, by="ann")
    github.push(station.repo, "topic", {"src/Reader.java": None, "src/io.c": None, "README.md": None}, by="ann")
    pull = github.open_pull(station.repo, "topic", by="ann")
    station.turn()
    assert verdict(station, pull)[0] == "success" and not pull.threads and not pull.comments


def test_branches_without_a_common_commit_are_named(station: Station, github: FakeGitHub) -> None:
    station.repo.bare.commit("orphan", None, {"src/Reader.java": JAVA}, "Alone", "ann", 1)
    pull = github.open_pull(station.repo, "orphan", by="ann")
    station.turn()
    conclusion, text = verdict(station, pull)
    assert conclusion == "neutral" and "no common ancestor" in text and "/leakcheck run" in text


def test_an_archived_repository_gets_nothing_and_the_log_says_why(
    station: Station, github: FakeGitHub, caplog: pytest.LogCaptureFixture
) -> None:
    pull = station.open()
    station.repo.is_archived = True
    with caplog.at_level(logging.INFO):
        station.turn()
    assert not station.repo.checks and not pull.threads and not pull.comments
    assert "archived" in caplog.text and station.parts.queue.depth() == IDLE


def test_a_repository_that_is_archived_during_the_run_ends_the_job(station: Station, github: FakeGitHub) -> None:
    pull = station.open()

    def archive() -> None:
        station.repo.is_archived = True

    github.fail(meanwhile("POST .*/reviews$", archive))
    station.turn()
    retried(station)
    assert not pull.threads and station.parts.queue.depth() == IDLE


def test_an_installation_that_is_suspended_during_the_run_ends_the_job_and_comes_back(station: Station, github: FakeGitHub) -> None:
    pull = station.open()
    github.fail(meanwhile("POST .*/reviews$", lambda: github.suspend(station.installation)))
    station.turn()
    retried(station)
    assert not pull.threads and station.parts.queue.depth() == IDLE
    station.installation.suspended = None
    github.push(station.repo, "topic", {"src/Reader.java": JAVA + "// more\n"}, by="ann")
    station.turn()
    assert len(pull.threads) == 1 and verdict(station, pull)[0] == "neutral"


def test_more_files_than_github_tells_are_reviewed(station: Station, github: FakeGitHub) -> None:
    many = {f"docs/{number}.txt": f"{number}\n" for number in range(3100)}
    pull = station.open({**many, "src/Reader.java": JAVA})
    station.turn()
    assert len(pull.threads) == 1 and verdict(station, pull)[0] == "neutral"


def test_a_diff_without_measure_is_bounded(station: Station, github: FakeGitHub) -> None:
    """A file past the limit is left out and named; what we write stays within what GitHub takes."""
    huge = "int x;\n" * (9 * 1024 * 1024 // 7)
    wide = JAVA.replace("if (isEmpty)", "if (isEmpty /* " + "wide " * 20_000 + "*/)")
    pull = station.open({"src/huge.c": huge, "src/Reader.java": wide})
    station.turn()
    conclusion, text = verdict(station, pull)
    assert conclusion == "neutral" and "src/huge.c" in text and "the limit is 8 MB" in text
    assert len(pull.threads) == 1 and all(len(each.body) <= 65_536 for thread in pull.threads for each in thread.comments)


def test_an_answer_that_is_too_long_is_cut_and_still_known_as_ours(station: Station, github: FakeGitHub) -> None:
    pull = station.open({"src/Reader.java": JAVA.replace("        if (isEmpty)", "        //" + 900 * "x " * 40 + "\n        if (isEmpty)")})
    station.turn()
    id = fingerprint_of(pull.threads[0].comments[0].body)
    github.comment(pull, "ann", f"/leakcheck explain {id}")
    station.turn()
    answer = station.ours(pull)[-1].body
    assert len(answer) <= 65_536 and "GitHub takes no more" in answer
    assert [mark for mark in marks(answer) if "reply" in mark]
    assert "<p>… cut" in rendered(answer), "the code block before it is closed"
