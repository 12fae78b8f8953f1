"""The receiver: checks the signature, puts the work on the queue, answers. Nothing else happens in a request."""

from __future__ import annotations

import contextlib
import hmac
import logging
import time
from collections.abc import AsyncIterator, Callable

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import templates
from bot.books import DatabaseBooks
from bot.database import Database
from bot.dispatch import LEAST_URGENT, wanted
from bot.github import limits
from bot.queue.jobs import Queue
from bot.server.metrics import exposition
from bot.webhook.events import LARGEST_PAYLOAD, is_signed, parse

_LOG = logging.getLogger(__name__)
_LOCAL = ("127.0.0.1", "::1", "testclient")


class Receiver(msgspec.Struct, frozen=True, kw_only=True):
    """What requests are answered from."""

    secret: bytes
    queue: Queue
    books: DatabaseBooks
    database: Database
    status_token: str = ""
    learns: bool = True
    started: float = 0.0

    # --- webhooks

    async def webhook(self, request: Request) -> Response:
        """A delivery. 202 where it leads to work, 200 where not."""
        body = await _body(request)
        if body is None:
            return JSONResponse({"error": "too large"}, 413)
        if not is_signed(self.secret, body, request.headers.get("x-hub-signature-256", "")):
            return JSONResponse({"error": "the signature does not fit"}, 401)
        event = request.headers.get("x-github-event", "")
        delivery = request.headers.get("x-github-delivery", "")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return JSONResponse({"error": "set the webhook's content type to application/json"}, 415)
        return await run_in_threadpool(self._accept, event, delivery, body)

    def _accept(self, event: str, delivery: str, body: bytes) -> Response:
        try:
            job = wanted(parse(event, body), delivery)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        if job is None or (job.priority == LEAST_URGENT and not self.learns):
            return JSONResponse({"result": "pong" if event == "ping" else "nothing to do"})
        is_new = self.queue.enqueue(job.key, job.kind, job.payload, delivery, job.installation, job.priority)
        return JSONResponse({"result": "queued" if is_new else "done before", "job": job.key}, 202 if is_new else 200)

    # --- looking in

    async def health(self, request: Request) -> Response:
        """Whether the queue answers."""
        try:
            depth = await run_in_threadpool(self.queue.depth)
        except Exception:
            _LOG.exception("the queue does not answer")
            return JSONResponse({"status": "the queue does not answer"}, 503)
        return JSONResponse({"status": "ok", "queue": depth})

    async def metrics(self, request: Request) -> Response:
        """For Prometheus. Counts only: no names of repositories."""
        text = await run_in_threadpool(exposition, self.queue, self.books, self.database)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def status(self, request: Request) -> Response:
        """The page for operators. Repositories are named only to who knows the token: a proxy makes everybody local."""
        if not self._may_look(request):
            return PlainTextResponse(
                "The status page needs the token of LEAKMEND_STATUS_TOKEN as the password of basic authentication.\n",
                401,
                {"WWW-Authenticate": 'Basic realm="leakmend", charset="UTF-8"'},
            )
        return HTMLResponse(await run_in_threadpool(self._page), headers=_HEADERS)

    def _may_look(self, request: Request) -> bool:
        if not self.status_token:
            is_forwarded = "x-forwarded-for" in request.headers or "forwarded" in request.headers
            return request.client is not None and request.client.host in _LOCAL and not is_forwarded
        scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
        given = credentials if scheme.lower() == "bearer" else _password(credentials)
        return hmac.compare_digest(given.encode(), self.status_token.encode())

    def _page(self) -> str:
        return templates.render(
            "server/status.html",
            depth=self.queue.depth(),
            pulls=self.books.pulls(50) if self.status_token else [],
            has_names=bool(self.status_token),
            rules=self.books.rules(),
            limits=limits.state(self.database),
            most=limits.Limits(),
            now=time.time(),
            started=self.started,
        )


_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def application(receiver: Receiver, start: Callable[[], None], stop: Callable[[], None]) -> Starlette:
    """The ASGI application; `start` and `stop` frame its life."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        start()
        try:
            yield
        finally:
            await run_in_threadpool(stop)

    return Starlette(
        routes=[
            Route("/webhook", receiver.webhook, methods=["POST"]),
            Route("/healthz", receiver.health),
            Route("/metrics", receiver.metrics),
            Route("/", receiver.status),
        ],
        lifespan=lifespan,
    )


async def _body(request: Request) -> bytes | None:
    """The raw body; None where it is longer than any delivery."""
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > LARGEST_PAYLOAD:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_PAYLOAD:
            return None
        parts.append(part)
    return b"".join(parts)


def _password(credentials: str) -> str:
    import base64
    import binascii

    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
