"""The status page in a real browser: it fits, in both colour schemes and on a phone, and leaves a picture."""

from __future__ import annotations

import pathlib
import subprocess
import time

import pytest

from bot.books import DatabaseBooks
from bot.database import SqliteDatabase
from bot.github import limits
from bot.publishing.publisher import Published
from bot.queue.sqlite import SqliteQueue
from bot.server.web import Receiver
from tests.conftest import require_tool

ARTIFACTS = pathlib.Path(__file__).parents[3] / "artifacts"


def page(folder: pathlib.Path) -> str:
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


@pytest.mark.parametrize(("width", "scheme"), [(1100, "light"), (400, "light"), (1100, "dark")])
def test_the_status_page_fits(tmp_path: pathlib.Path, width: int, scheme: str) -> None:
    chromium = require_tool("chromium")
    text = page(tmp_path)
    assert "<script" not in text
    file = tmp_path / "status.html"
    file.write_text(text)
    ARTIFACTS.mkdir(exist_ok=True)
    picture = ARTIFACTS / f"status-{width}-{scheme}.png"
    flags = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *flags,
         f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={max(width, 500)},1200", f"--screenshot={picture}", file.as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    assert picture.stat().st_size > 10_000
