"""A small world: a repository, a pull request, an App installed on it, and a client with its token."""

from __future__ import annotations

import pathlib
import time
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import pytest

from tests.conftest import require_tool
from tests.fakes.github import FakeGitHub
from tests.fakes.github.state import App, Installation, Pull, Repo

BASE = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = BASE.replace("line 10\n", "line ten\nand a half\n").replace("line 30\n", "")


class Scene:
    """What the tests of the fake play with."""

    def __init__(self, github: FakeGitHub) -> None:
        self.github = github
        self.repo: Repo = github.repository("acme/pump", {"a.txt": BASE, "b.txt": "b\n"}, writers=["ann"], readers=["rob"])
        self.app: App = github.app()
        self.installation: Installation = github.install(self.app, self.repo)
        github.push(self.repo, "feature", {"a.txt": CHANGED}, by="ann")
        self.pull: Pull = github.open_pull(self.repo, "feature", by="ann")
        self.token = self.new_token()

    def jwt(self, **claims: Any) -> str:
        now = int(self.github.clock())
        return jwt.encode({"iat": now - 60, "exp": now + 500, "iss": str(self.app.id), **claims}, self.app.private_key, "RS256")

    def new_token(self, **body: Any) -> str:
        answer = self.call("POST", f"/app/installations/{self.installation.id}/access_tokens", body, self.jwt())
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    def call(self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> httpx.Response:
        authorization = {"Authorization": f"Bearer {self.token if token is None else token}"}
        return httpx.request(method, self.github.url + path, json=body, headers={**authorization, **headers})

    def on(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """A call below the repository."""
        return self.call(method, f"/repos/acme/pump{path}", body)

    def ask(self, query: str, **variables: Any) -> Any:
        """A GraphQL request."""
        answer = self.call("POST", "/graphql", {"query": query, "variables": variables})
        assert answer.status_code == 200
        return answer.json()


@pytest.fixture
def scene(tmp_path: pathlib.Path) -> Iterator[Scene]:
    require_tool("git")
    with FakeGitHub(tmp_path / "hub") as github:
        scene = Scene(github)
        yield scene
        assert not github.violations


def wait_for(condition: Any, seconds: float = 10) -> None:
    """Until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
