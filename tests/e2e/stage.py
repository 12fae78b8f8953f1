"""A whole evening: the fake GitHub, a repository, the App's server over real HTTP, and what people do."""

from __future__ import annotations

import pathlib
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType

import uvicorn

from bot.github.app import Endpoint
from bot.server.run import Parts, assemble, web
from bot.server.settings import Settings
from tests.fakes.github import FakeGitHub
from tests.fakes.github.clock import Clock
from tests.fakes.github.state import App, CheckRun, Installation, Pull, Repo, ReviewComment, Thread

PATH = "src/shop/Reader.java"

READER = """\
package shop;

import java.io.*;

class Reader {
    int size(File file) {
        return (int) file.length();
    }

    String name() {
        return "reader";
    }
}
"""

LEAKY = READER.replace(
    """        return (int) file.length();
    }
""",
    """        return (int) file.length();
    }

    int first(String path) throws IOException {
        FileInputStream in = new FileInputStream(path);
        return in.read();
    }

    int second(String path) throws IOException {
        FileReader text = new FileReader(path);
        return text.read();
    }
""",
)
"""Two leaks, each with a safe fix that is one suggestion."""


class Stage:
    """`with Stage(folder) as stage:` there is GitHub with `stage.repo`; `serve()` brings the App to life."""

    def __init__(self, folder: pathlib.Path, database: str = "", clock: Clock | None = None) -> None:
        self.folder, self.database = folder, database
        self.github = FakeGitHub(folder / "hub", clock)
        self.parts: Parts | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Stage:
        self.github.__enter__()
        self.repo: Repo = self.github.repository(
            "acme/pump", {"src/shop/Reader.java": READER, "README.md": "# Pump\n"}, writers=["ann"], readers=["rob"]
        )
        self.app: App = self.github.app()
        self.installation: Installation = self.github.install(self.app, self.repo)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.github.hooks.stop()
        self.close_server()
        self.github.__exit__(kind, error, trace)
        if error is None:
            assert not self.github.violations, "\n".join(self.github.violations)

    # --- the App

    def settings(self, **more: object) -> Settings:
        """What the server is told."""
        known = {
            "app_id": str(self.app.id), "private_key": self.app.private_key.decode(), "webhook_secret": self.app.secret,
            "endpoint": Endpoint(self.github.url), "folder": self.folder / "state", "database": self.database,
            "write_gap": 0.0, "workers": 1,
        }  # fmt: skip
        return Settings(**{**known, **more})  # type: ignore[arg-type]

    def serve(self, **more: object) -> Parts:
        """Start the server and let GitHub know where it is; deliveries flow from now on."""
        self.parts = assemble(self.settings(**more))
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        self.app.hook_url = f"http://127.0.0.1:{listening.getsockname()[1]}/webhook"
        self._server = uvicorn.Server(uvicorn.Config(web(self.parts), log_config=None, access_log=False))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        wait_for(lambda: self._server is not None and self._server.started)
        self.github.hooks.start()
        return self.parts

    def close_server(self) -> None:
        """Stop it."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(timeout=30)
            self._server = None

    def settle(self, seconds: float = 60) -> None:
        """Until every delivery is sent and every job done."""
        assert self.parts is not None
        parts = self.parts

        def is_quiet() -> bool:
            depth = parts.queue.depth()
            return self.github.hooks.is_idle() and not depth["waiting"] and not depth["running"]

        quiet_since = 0.0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not is_quiet():
                quiet_since = 0.0
            elif not quiet_since:
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since > 0.15:
                return
            time.sleep(0.02)
        raise AssertionError(f"not done: {parts.queue.depth()}")

    # --- people

    def propose(self, text: str = LEAKY, branch: str = "feature", by: str = "ann", **more: str) -> Pull:
        """A pull request that changes the reader."""
        self.github.push(self.repo, branch, {"src/shop/Reader.java": text}, by)
        return self.github.open_pull(self.repo, branch, by, **more)

    def change(self, pull: Pull, change: Callable[[str], str], by: str = "ann") -> str:
        """Push another version of the reader."""
        text = self.text(pull)
        return self.github.push(pull.head_repo, pull.head_ref, {"src/shop/Reader.java": change(text)}, by)

    def text(self, pull: Pull) -> str:
        """The reader at the head of a pull request."""
        return (pull.repo.bare.read(pull.head, "src/shop/Reader.java") or b"").decode()

    # --- looking

    def check(self, pull: Pull) -> CheckRun:
        """The newest check on the head."""
        return [run for run in self.repo.checks if run.suite.head == pull.head][-1]


def open_threads(pull: Pull) -> list[Thread]:
    """Our conversations that still ask for something."""
    return [thread for thread in pull.threads if not thread.is_resolved]


def first_comments(pull: Pull) -> list[ReviewComment]:
    """The comments that began a conversation."""
    return [thread.comments[0] for thread in pull.threads]


def summaries(pull: Pull) -> list[str]:
    """The sticky summary: a list of one."""
    return [comment.body for comment in pull.comments if "<!-- leakmend:summary " in comment.body]


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
