"""`leakmend app create`: GitHub's manifest flow, from nothing to an App whose key lies in the state folder.

A page on this machine hands the manifest to GitHub; GitHub sends the browser back with a code that is good for an
hour and one use; the code buys the key. The random `state` keeps other pages from doing the same.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import msgspec

import templates
from bot.errors import CannotRun
from bot.github.app import Endpoint
from bot.github.auth import GivenToken
from bot.github.errors import GitHubError
from bot.github.limits import LocalPace
from bot.github.transport import Transport
from bot.server.settings import AppFile, keep

Kind = Literal["comment", "mend"]
Json = Mapping[str, object]

EVENTS = (
    "pull_request", "issue_comment", "pull_request_review_comment", "pull_request_review_thread", "check_run",
    "check_suite", "merge_group", "push",
)  # fmt: skip
_PERMISSIONS = {"metadata": "read", "contents": "read", "pull_requests": "write", "checks": "write", "issues": "write",
                "merge_queues": "read"}  # fmt: skip


class Conversion(msgspec.Struct, frozen=True):
    """What GitHub answers to the code."""

    id: int
    slug: str = ""
    pem: str = ""
    webhook_secret: str | None = None
    html_url: str = ""


def manifest(kind: Kind, name: str, webhook: str, redirect: str) -> Json:
    """The App's description. `mend` may write contents: fix commits, and resolving threads."""
    permissions = {**_PERMISSIONS, "contents": "write"} if kind == "mend" else dict(_PERMISSIONS)
    return {
        "name": name,
        "url": "https://github.com/marketplace",
        "description": templates.render("server/description.txt", kind=kind).strip(),
        "hook_attributes": {"url": webhook, "active": True},
        "redirect_url": redirect,
        "public": False,
        "default_permissions": permissions,
        "default_events": list(EVENTS),
    }


def convert(endpoint: Endpoint, code: str) -> AppFile:
    """Buy the App's key with the code that GitHub gave the browser."""
    if not code or not all(character.isalnum() or character in "-_" for character in code):
        raise CannotRun("GitHub's answer holds no code: start again with `leakmend app create`")
    transport = Transport(endpoint.api_url, GivenToken(""), LocalPace(0.0))
    try:
        answer = transport.write("POST", f"/app-manifests/{code}/conversions")
        found = msgspec.json.decode(answer.body, type=Conversion)
    except (GitHubError, msgspec.MsgspecError) as error:
        raise CannotRun(f"GitHub did not hand out the App ({error}): the code is good once, for an hour") from None
    finally:
        transport.close()
    return AppFile(str(found.id), found.pem, found.webhook_secret or "", found.slug)


class Creation:
    """The page that begins the flow, and the address that ends it; served on this machine only."""

    def __init__(self, endpoint: Endpoint, folder: Path, kind: Kind, name: str, webhook: str, owner: str) -> None:
        self._endpoint, self._folder = endpoint, folder
        self._state = secrets.token_urlsafe(24)
        self.done = threading.Event()
        self.created: AppFile | None = None
        self.error = ""
        creation = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, page = creation.page(self.path, self.headers.get("Host", ""))
                content = page.encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-store")
                self.send_header("Referrer-Policy", "no-referrer")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *words: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._manifest = manifest(kind, name, webhook, f"{self.url}/created")
        place = f"/organizations/{owner}/settings/apps/new" if owner else "/settings/apps/new"
        self._target = f"{endpoint.site}{place}?state={self._state}"

    def __enter__(self) -> Creation:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def page(self, path: str, host: str) -> tuple[int, str]:
        """What a request gets: the form, the ending, or a refusal. `host` keeps away who made a name of theirs mean us."""
        parts = urlsplit(path)
        if host != urlsplit(self.url).netloc:
            return 404, templates.render("server/created.html", error="There is nothing here.", install="")
        if parts.path == "/":
            text = msgspec.json.encode(self._manifest).decode()
            return 200, templates.render("server/create.html", target=self._target, manifest=text)
        if parts.path != "/created":
            return 404, templates.render("server/created.html", error="There is nothing here.", install="")
        asked = parse_qs(parts.query)
        if not hmac.compare_digest(asked.get("state", [""])[0], self._state):
            return 400, templates.render("server/created.html", error="This did not start here.", install="")
        return self._finish(asked.get("code", [""])[0])

    def _finish(self, code: str) -> tuple[int, str]:
        if self.created is None:
            try:
                self.created = convert(self._endpoint, code)
                keep(self._folder, self.created)
            except (CannotRun, OSError) as error:
                self.error = str(error)
                return 502, templates.render("server/created.html", error=self.error, install="")
        install = f"{self._endpoint.site}/apps/{self.created.slug}/installations/new"
        self.done.set()
        return 200, templates.render("server/created.html", error="", install=install)


def create(creation: Creation, say: Callable[[str], None], patience: float) -> AppFile:
    """Serve the page until the App is there."""
    with creation:
        say(f"open {creation.url} in a browser on this machine")
        if not creation.done.wait(patience):
            raise CannotRun(creation.error or "no App was created in time: start again")
    assert creation.created is not None
    return creation.created
