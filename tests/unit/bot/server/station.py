"""The whole App in one process against the fake GitHub: webhooks in, work done, and what then stands on the pull request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from bot.books import DatabaseBooks
from bot.github.app import Endpoint
from bot.server.loop import Worker
from bot.server.run import assemble, web
from bot.server.settings import Settings
from tests.fakes.github import FakeGitHub
from tests.fakes.github.hooks import headers
from tests.fakes.github.state import Delivery, IssueComment, Pull, Repo
from tests.unit.bot.code import CLEAN_C, JAVA

FILES = {"src/io.c": CLEAN_C, "README.md": "pump\n"}


class Station:
    """`deliver` hands over what GitHub has to say, `work` does all jobs, `turn` does both until nothing is left."""

    def __init__(
        self, github: FakeGitHub, folder: Path, database: str = "", permissions: dict[str, str] | None = None, status_token: str = "",
    ) -> None:
        self.github = github
        self.repo: Repo = github.repository("acme/pump", dict(FILES), writers=["ann"], readers=["rob"])
        self.app = github.app(permissions=permissions, hook_url="http://bot.test/webhook")
        self.installation = github.install(self.app, self.repo)
        self.settings = Settings(
            app_id=str(self.app.id),
            private_key=self.app.private_key.decode(),
            webhook_secret=self.app.secret,
            endpoint=Endpoint(github.url),
            folder=folder / "state",
            database=database,
            workers=0,
            status_token=status_token,
        )
        self.parts = assemble(self.settings, github.clock, github.clock.sleep)
        self.web = web(self.parts)
        self.worker = Worker(self.parts.queue, self.parts.tasks, self.parts.books, "w1")

    @property
    def books(self) -> DatabaseBooks:
        return self.parts.books

    def open(self, files: dict[str, str] | None = None, branch: str = "topic", **how: str) -> Pull:
        """A pull request of ann's that adds a leak in Java."""
        self.github.push(self.repo, branch, {"src/Reader.java": JAVA} if files is None else dict(files), by="ann")
        return self.github.open_pull(self.repo, branch, by="ann", **how)

    def post(self, delivery: Delivery) -> int:
        answer = self.request("POST", "/webhook", delivery.payload, headers(delivery))
        delivery.status = answer.status_code
        return answer.status_code

    def request(self, method: str, path: str, content: bytes = b"", head: dict[str, str] | None = None) -> httpx.Response:
        """One request to the server, without a socket."""

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.web, client=("127.0.0.1", 5000))
            async with httpx.AsyncClient(transport=transport, base_url="http://bot.test") as client:
                return await client.request(method, path, content=content, headers=head)

        return asyncio.run(ask())

    def deliver(self) -> list[int]:
        return [self.post(delivery) for delivery in self.github.hooks.take()]

    def work(self, most: int = 20) -> int:
        done = 0
        while done < most and self.worker.work():
            done += 1
        return done

    def turn(self) -> None:
        """Until GitHub has nothing to say and nothing waits."""
        for _ in range(10):
            self.deliver()
            if not self.work():
                return
        raise AssertionError("it does not come to rest")

    # --- what stands there

    def ours(self, pull: Pull) -> list[IssueComment]:
        return [comment for comment in pull.comments if comment.author is self.app.bot]

    def checks(self, head: str) -> list[tuple[str, str | None]]:
        runs = [run for run in self.repo.checks if run.suite.head == head]
        return [(run.status, run.conclusion) for run in runs]

    def text(self, pull: Pull) -> str:
        """All that we wrote on it."""
        said = [comment.body for comment in self.ours(pull)]
        said += [comment.body for thread in pull.threads for comment in thread.comments if comment.author is self.app.bot]
        return "\n".join(said)
