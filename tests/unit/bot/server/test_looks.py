"""What people look at, in a real browser: the status page and every kind of comment, light and dark, desk and phone."""

from __future__ import annotations

import pathlib
import time

import pytest

from bot.books import DatabaseBooks
from bot.database import SqliteDatabase
from bot.github import limits
from bot.publishing.markers import fingerprint_of
from bot.publishing.publisher import Published
from bot.queue.sqlite import SqliteQueue
from bot.server.web import Receiver
from tests.browser import looked_at
from tests.conftest import require_tool
from tests.fakes.github import FakeGitHub
from tests.fakes.github.clock import Clock
from tests.fakes.github.state import Pull
from tests.rendered import page, rendered
from tests.unit.bot.code import CLEAN_C, JAVA, C

from .station import Station

LOOKS = [(1280, "light"), (390, "light"), (1280, "dark"), (390, "dark")]
HOSTILE = "src/`@ann` <img src=x onerror=y> #1 [x](javascript:evil) </details> a-rather-long-name-without-any-place-to-break-it.c"


def status_page(folder: pathlib.Path) -> str:
    database = SqliteDatabase(folder / "db.sqlite")
    limits.create_tables(database)
    books = DatabaseBooks(database)
    for number, rule in enumerate(("unclosed-resource", "unreleased-memory", "retained-by-loop") * 4):
        name = f"{number:016x}"
        books.record(7, "acme/pump", number, Published(((name, rule),), (), (name,) if number % 3 else (), ((name, 1),)))
        books.ran(7, "acme/" + "a-rather-long-name-" * 3, number, "published", 2.5)
    with limits.SharedPace(database, 1, limits.Limits()).writing():
        pass
    queue = SqliteQueue(folder / "db.sqlite")
    queue.enqueue("acme/<script>alert(1)</script>#1", "ReviewWanted", b"", "d", 1, 5)
    receiver = Receiver(secret=b"x", queue=queue, books=books, database=database, status_token="x", started=time.time() - 9000)
    return receiver._page()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_status_page_fits(tmp_path: pathlib.Path, width: int, scheme: str) -> None:
    text = status_page(tmp_path)
    assert "<script" not in text
    assert looked_at(tmp_path, text, width, scheme, "status")["overflow"] <= 0


@pytest.fixture(scope="module")
def comments(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """One of each kind, as the fake GitHub holds them after a busy day."""
    require_tool("git")
    folder = tmp_path_factory.mktemp("looks")
    with FakeGitHub(folder / "hub", Clock(time.time())) as github:
        return _busy_day(Station(github, folder), github)


def _busy_day(station: Station, github: FakeGitHub) -> list[tuple[str, str]]:
    long = C.replace("    int byte;", "    int byte; /* " + "and so on " * 30 + "*/")
    pull = station.open({"src/Reader.java": JAVA, HOSTILE: long, "src/io.c": CLEAN_C + "/* leakmend: ignore[unreleased-memory] no */"})
    station.turn()
    found = [(f"on {thread.path}", thread.comments[0].body) for thread in pull.threads]
    found += [("the review", pull.reviews[0].body), ("the first check", station.repo.checks[-1].summary or "")]
    id = fingerprint_of(pull.threads[0].comments[0].body)[:8]
    for by, text in (
        ("ann", f"/leakcheck explain {id}"), ("ann", "/leakcheck help"), ("rob", "/leakcheck fix"), ("ann", "/leakcheck frobnicate"),
        ("ann", f"/leakcheck ignore {id} closed by @the pool <b> `x` --> | and more"), ("ann", "/leakcheck fix --pull-request"),
        ("ann", "/leakcheck pause"), ("ann", "/leakcheck fix"),
    ):  # fmt: skip
        found += _said(station, pull, by, text)
    summary = next(comment for comment in pull.comments if "leakmend:summary" in comment.body)
    mended = next((each.body for each in station.repo.pulls.values() if each is not pull), "")
    fork = github.fork(station.repo, "stranger")
    github.push(fork, "topic", {"src/Reader.java": JAVA}, by="stranger")
    other = github.open_pull(station.repo, "topic", by="stranger", from_repo=fork)
    station.turn()
    return [("the summary", summary.body), *found, ("the auto-fix pull request", mended), *_said(station, other, "ann", "/leakcheck fix")]


def _said(station: Station, pull: Pull, by: str, text: str) -> list[tuple[str, str]]:
    before = {comment.id for comment in pull.comments}
    station.github.comment(pull, by, text)
    station.turn()
    return [(text, comment.body) for comment in station.ours(pull) if comment.id not in before]


def test_every_comment_says_what_it_is_and_lets_no_stranger_speak(comments: list[tuple[str, str]]) -> None:
    assert len(comments) >= 12 and all(body for _, body in comments)
    for title, body in comments:
        shown = rendered(body)
        assert "bot" in shown, title
        assert "<img" not in shown and "javascript:" not in shown.replace("](javascript:evil)", ""), title
        outside = "".join(part.rpartition("</code>")[2] if "</code>" in part else part for part in shown.split("<code"))
        assert "@ann" not in outside and "@the" not in outside and "&lt;/details" not in outside, title


def test_a_comment_is_short_before_it_is_unfolded(comments: list[tuple[str, str]]) -> None:
    for title, body in comments:
        if title.startswith("on "):
            folded = "".join(part.rpartition("</details>")[2] for part in rendered(body).split("<details>"))
            assert folded.count("\n") <= 24, title


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_comments_fit(comments: list[tuple[str, str]], tmp_path: pathlib.Path, width: int, scheme: str) -> None:
    assert looked_at(tmp_path, page(comments), width, scheme, "comments")["overflow"] <= 0
