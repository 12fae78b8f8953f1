"""From nothing to the first review: the manifest flow, the installation, `leakmend serve` as a process, a pull request."""

from __future__ import annotations

import html
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from bot.github.app import Endpoint
from bot.server.creating import Creation
from tests.conftest import require_tool
from tests.fakes.github import FakeGitHub
from tests.fakes.github.state import App
from tests.unit.bot.code import JAVA


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGitHub]:
    require_tool("git")
    with FakeGitHub(tmp_path / "hub") as fake:
        yield fake
        assert not fake.violations


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def create(github: FakeGitHub, folder: Path, port: int) -> App:
    """What a person does in a browser."""
    creation = Creation(Endpoint(github.url), folder, "mend", "leakmend", f"http://127.0.0.1:{port}/webhook", "acme")
    with creation:
        page = httpx.get(creation.url).text
        target, sent = re.search(r'action="([^"]+)"', page), re.search(r'name="manifest" value="([^"]+)"', page)
        assert target is not None and sent is not None
        httpx.post(html.unescape(target[1]), data={"manifest": html.unescape(sent[1])}, follow_redirects=True)
        assert creation.done.is_set()
    return next(app for app in github.apps.values() if app.slug == "leakmend")


def is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def test_from_nothing_to_the_first_review(github: FakeGitHub, tmp_path: Path) -> None:
    port, folder = free_port(), tmp_path / "state"
    app = create(github, folder, port)
    repo = github.repository("acme/pump", {"README.md": "pump\n"}, writers=["ann"])
    github.install(app, repo)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LEAKMEND_")},
        "LEAKMEND_DATA": str(folder), "LEAKMEND_PORT": str(port), "LEAKMEND_WORKERS": "1", "GITHUB_API_URL": github.url,
    }  # fmt: skip
    log = (tmp_path / "log").open("wb")
    with log, subprocess.Popen([sys.executable, "-m", "bot.cli", "serve"], env=environment, stderr=log) as server:
        try:
            until(lambda: is_up(port))
            github.hooks.start()
            github.push(repo, "topic", {"src/Reader.java": JAVA}, by="ann")
            pull = github.open_pull(repo, "topic", by="ann")
            until(lambda: any(run.status == "completed" for run in repo.checks))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=40)
    assert "```suggestion" in pull.threads[0].comments[0].body
    assert "leakmend is active in this repository" in (repo.checks[0].summary or "")
    text = (tmp_path / "log").read_text()
    assert "Traceback" not in text
    assert not any(token in text for token in github.tokens)
