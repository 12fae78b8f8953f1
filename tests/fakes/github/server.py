"""The fake over real HTTP: REST, GraphQL, git, and the pages of the manifest flow. `FakeGitHub` is the door for tests."""

from __future__ import annotations

import json
import pathlib
import socket
import threading
import time
from types import TracebackType
from urllib.parse import parse_qs, quote, unquote

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route as HttpRoute

from tests.fakes.github.calls import Request
from tests.fakes.github.clock import Clock
from tests.fakes.github.faults import Fault
from tests.fakes.github.git_http import GitHttp
from tests.fakes.github.graphql import GraphQL
from tests.fakes.github.refused import Answer
from tests.fakes.github.rest import Rest
from tests.fakes.github.world import World


class FakeGitHub(World):
    """The whole of it. `with FakeGitHub(folder) as github:` serves at `github.url`; `answer` works without a server.

    Set PyGithub's base_url (or GITHUB_API_URL) to `url`, GITHUB_SERVER_URL, too. `url + "/api/v3"` works as well.
    """

    def __init__(self, folder: pathlib.Path, clock: Clock | None = None) -> None:
        super().__init__(folder, clock)
        self.rest = Rest(self)
        self.graphql = GraphQL(self.rest)
        self._git = GitHttp(self.rest)
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return self.shapes.url

    @property
    def violations(self) -> list[str]:
        """Where somebody left GitHub's description. A test ends with none."""
        return self.rest.violations

    def fail(self, fault: Fault) -> None:
        """Let something go wrong; see `faults`."""
        self.rest.faults.append(fault)

    def answer(self, request: Request) -> Answer:
        """One REST or GraphQL request, without HTTP."""
        if request.path in ("/graphql", "/api/graphql"):
            return self.graphql.answer(request)
        return self.rest.answer(request)

    # --- over HTTP

    def __enter__(self) -> FakeGitHub:
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        self.shapes.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        app = Starlette(routes=[
            HttpRoute("/settings/apps/new", self._new_app, methods=["POST"]),
            HttpRoute("/organizations/{organization}/settings/apps/new", self._new_app, methods=["POST"]),
            HttpRoute("/apps/{slug}/installations/new", self._install_page),
            HttpRoute("/{path:path}", self._any, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
        ])  # fmt: skip
        config = uvicorn.Config(app, log_config=None, lifespan="off", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, name="fake-github", daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.hooks.stop()
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(timeout=10)

    async def _any(self, request: HttpRequest) -> Response:
        body = await request.body()
        path = request.url.path
        if self._git.is_meant(path, request.url.query):
            return await run_in_threadpool(self._git.answer, request.method, path, request.url.query, dict(request.headers), body)
        raw = request.scope.get("raw_path", b"").decode().partition("?")[0]
        asked = Request(request.method, _unquoted(raw or path), dict(request.query_params), dict(request.headers), body)
        answer = await run_in_threadpool(self.answer, asked)
        content = b"" if answer.value is None or answer.status in (204, 304) else json.dumps(answer.value).encode()
        return Response(content, answer.status, {**answer.headers, "content-type": "application/json; charset=utf-8"})

    # --- pages

    async def _new_app(self, request: HttpRequest) -> Response:
        """«Create GitHub App from manifest»: the person agrees at once and is sent back with a code."""
        form = parse_qs((await request.body()).decode())
        manifest = json.loads(form["manifest"][0])
        slug = manifest["name"].lower().replace(" ", "-")
        hook = manifest.get("hook_attributes", {})
        owner = request.path_params.get("organization", "acme")
        app = self.app(slug, manifest["default_permissions"], hook.get("url", ""), f"secret-{self.number()}",
                       manifest.get("default_events", ()), owner)  # fmt: skip
        app.name = manifest["name"]
        del self.apps[app.id]
        code = f"code{self.number()}"
        self.manifests[code] = app
        state = request.query_params.get("state") or form.get("state", [""])[0]
        target = manifest["redirect_url"]
        joint = "&" if "?" in target else "?"
        return RedirectResponse(f"{target}{joint}code={code}&state={quote(state)}", 302)

    async def _install_page(self, request: HttpRequest) -> Response:
        return HTMLResponse(f"Install {request.path_params['slug']}")


def _unquoted(path: str) -> str:
    """A path with its escapes undone."""
    return unquote(path)
