"""Requests to GitHub: PyGithub's connection with our own rules for repeating, pacing and caching.

Reads are repeated where that may help and cost nothing where nothing changed (ETags). A write is sent once: when
nobody knows whether it happened, the caller looks before it writes again (`once`).
"""

from __future__ import annotations

import collections
import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

import github
import msgspec
import requests
from github import Auth

from bot.github.auth import Tokens, redacted
from bot.github.errors import (
    Conflict,
    Forbidden,
    GitHubError,
    NotFound,
    RateLimited,
    Unauthorized,
    Unavailable,
    Unprocessable,
)
from bot.github.limits import Pace

T = TypeVar("T")
Json = Mapping[str, object]

ATTEMPTS = 4
"""How often a request is sent before it counts as failed."""

_SECONDARY = 60.0
"""GitHub's advice where it refuses without saying for how long."""

_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="next"')
_MOST_PAGES = 40
_KEPT_ETAGS = 400
_MAX_KEPT = 200_000


class _Message(msgspec.Struct, frozen=True):
    message: str = ""
    errors: list[object] = []


class _GraphError(msgspec.Struct, frozen=True):
    message: str = ""
    type: str = ""


class _GraphAnswer(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: tuple[_GraphError, ...] = ()


class Etags:
    """Answers that GitHub need not send again while they hold; shared by all that speak as one App."""

    def __init__(self) -> None:
        self._kept: collections.OrderedDict[str, tuple[str, Answer]] = collections.OrderedDict()
        self._lock = threading.Lock()

    def get(self, address: str) -> tuple[str, Answer] | None:
        """The tag and the answer that was kept."""
        with self._lock:
            return self._kept.get(address)

    def keep(self, address: str, answer: Answer) -> None:
        """Remember an answer that has a tag; the oldest go first."""
        tag = answer.headers.get("etag", "")
        if not tag or len(answer.body) > _MAX_KEPT:
            return
        with self._lock:
            self._kept[address] = (tag, answer)
            self._kept.move_to_end(address)
            while len(self._kept) > _KEPT_ETAGS:
                self._kept.popitem(last=False)


class Answer(msgspec.Struct, frozen=True):
    """A response as it came."""

    status: int
    headers: Mapping[str, str]
    body: str


class Transport:
    """Talks to one API as one identity. Not for several threads at once."""

    def __init__(
        self,
        api_url: str,
        tokens: Tokens,
        pace: Pace,
        sleep: Callable[[float], None] = time.sleep,
        timeout: int = 30,
        etags: Etags | None = None,
        guard: Callable[[], None] = lambda: None,
    ) -> None:
        self.api_url = api_url.rstrip("/")
        self.tokens = tokens
        self._pace, self._sleep, self._timeout = pace, sleep, timeout
        self._client: tuple[str, github.Github] | None = None
        self._etags = etags or Etags()
        self._guard = guard

    def close(self) -> None:
        """End the connection."""
        if self._client is not None:
            self._client[1].close()
            self._client = None

    # --- reading

    def get(self, path: str, kind: type[T], query: Mapping[str, str] | None = None) -> T:
        """One value."""
        return _decoded(self._read(path, query or {}).body, kind)

    def pages(self, path: str, kind: type[T], query: Mapping[str, str] | None = None) -> list[T]:
        """All values of a list that comes in pages."""
        return [each for page in self.by_page(path, kind, query) for each in page]

    def by_page(self, path: str, kind: type[T], query: Mapping[str, str] | None = None) -> Iterator[list[T]]:
        """The same page by page, so that one may stop early."""
        asked = {"per_page": "100", **(query or {})}
        for _ in range(_MOST_PAGES):
            answer = self._read(path, asked)
            yield _decoded(answer.body, list[kind])  # type: ignore[valid-type]
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None:
                return
            asked = {**asked, **dict(parse_qsl(urlsplit(following[1]).query))}

    def _read(self, path: str, query: Mapping[str, str]) -> Answer:
        address = path + "?" + "&".join(f"{name}={value}" for name, value in sorted(query.items()))
        kept = self._etags.get(address)
        headers = {"If-None-Match": kept[0]} if kept else {}
        for attempt in range(ATTEMPTS):
            self._pace.reading()
            try:
                answer = self._send("GET", path, query, headers, None)
            except Unavailable:
                if attempt == ATTEMPTS - 1:
                    raise
                self._sleep(0.5 * 2**attempt)
                continue
            if answer.status == 304 and kept:
                return kept[1]
            if self._is_worth_repeating(answer, attempt):
                continue
            _check(answer)
            self._etags.keep(address, answer)
            return answer
        raise Unavailable(f"GitHub does not answer GET {path}")

    # --- writing

    def write(self, verb: str, path: str, body: Json | None = None) -> Answer:
        """Send one write. Unavailable where nobody knows whether it happened; all else did not happen."""
        for attempt in range(ATTEMPTS):
            with self.writing():
                answer = self._send(verb, path, {}, {}, body)
            if answer.status >= 500:
                raise Unavailable(f"GitHub answered {answer.status} to {verb} {path}")
            if self._is_worth_repeating(answer, attempt):
                continue
            _check(answer)
            return answer
        raise Unavailable(f"GitHub does not answer {verb} {path}")

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the one place for a write. Raises where somebody else has the work by now: who lost it must not write."""
        with self._pace.writing():
            self._guard()
            yield

    def let_writes_land(self) -> None:
        """Wait for the write that another process may be in the middle of: what is read after it counts it."""
        self._pace.settle()

    def repeat(self, verb: str, path: str, body: Json | None = None) -> Answer:
        """A write that may happen twice without harm."""
        for attempt in range(ATTEMPTS):
            try:
                return self.write(verb, path, body)
            except Unavailable:
                if attempt == ATTEMPTS - 1:
                    raise
                self._sleep(0.5 * 2**attempt)
        raise Unavailable(f"GitHub does not answer {verb} {path}")

    def once(self, write: Callable[[], T], look: Callable[[], T | None]) -> T:
        """A write that must not happen twice: where its fate is unknown, look for its trace before the next try."""
        for attempt in range(ATTEMPTS):
            try:
                return write()
            except Unavailable:
                if attempt == ATTEMPTS - 1:
                    raise
                self._sleep(0.5 * 2**attempt)
                found = look()
                if found is not None:
                    return found
        raise Unavailable("GitHub does not answer")

    # --- GraphQL

    def query(self, document: str, variables: Json, kind: type[T]) -> T:
        """Ask GraphQL."""
        for attempt in range(ATTEMPTS):
            self._pace.reading()
            try:
                answer = self._send("POST", self._graphql(), {}, {}, {"query": document, "variables": variables})
            except Unavailable:
                answer = Answer(502, {}, "")
            if answer.status >= 500 and attempt < ATTEMPTS - 1:
                self._sleep(0.5 * 2**attempt)
                continue
            if self._is_worth_repeating(answer, attempt):
                continue
            _check(answer)
            return _graph(answer, kind)
        raise Unavailable("GitHub does not answer GraphQL")

    def mutate(self, document: str, variables: Json, kind: type[T]) -> T:
        """Change something by GraphQL; see `write`."""
        return _graph(self.write("POST", self._graphql(), {"query": document, "variables": variables}), kind)

    def _graphql(self) -> str:
        return self._requester().graphql_url

    # --- one request

    def _requester(self) -> github.Requester.Requester:
        token = self.tokens.token().value
        if self._client is None or self._client[0] != token:
            if self._client is not None:
                self._client[1].close()
            self._client = token, github.Github(
                auth=Auth.AppAuthToken(token) if token else None, base_url=self.api_url, timeout=self._timeout, retry=None, per_page=100,
                user_agent="leakmend", seconds_between_requests=None, seconds_between_writes=None,
            )  # fmt: skip
        return self._client[1].requester

    def _send(
        self, verb: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: Json | None
    ) -> Answer:
        try:
            status, received, text = self._requester().requestJson(verb, path, dict(query), dict(headers), body)
        except (requests.RequestException, OSError) as error:
            raise Unavailable(f"no answer to {verb} {path}: {type(error).__name__}") from None
        except RuntimeError as error:  # a redirection to another host
            raise GitHubError(redacted(str(error))) from None
        return Answer(status, {name.lower(): str(value) for name, value in received.items()}, text or "")

    def _is_worth_repeating(self, answer: Answer, attempt: int) -> bool:
        """Whether the same request may go better now: nothing was written. Waits where that is asked for."""
        if answer.status == 401 and attempt == 0 and self.tokens.refused():
            self._sleep(0.2)
            return True
        if answer.status >= 500 and attempt < ATTEMPTS - 1:
            self._sleep(0.5 * 2**attempt)
            return True
        delay = _delay(answer)
        if delay is None:
            if answer.headers.get("x-ratelimit-remaining") == "0":
                self._pace.block(_until_reset(answer))
            return False
        self._pace.block(delay)
        if attempt == ATTEMPTS - 1:
            raise RateLimited(delay)
        return True


def _delay(answer: Answer) -> float | None:
    """How long a refusal for being too fast asks to wait; None where it is no such refusal."""
    if answer.status not in (403, 429):
        return None
    after = answer.headers.get("retry-after", "")
    if after.isdigit():
        return float(after) + 0.5
    if answer.headers.get("x-ratelimit-remaining") == "0":
        return _until_reset(answer)
    if answer.status == 429 or "secondary rate limit" in answer.body.lower() or "abuse detection" in answer.body.lower():
        return _SECONDARY
    return None


def _until_reset(answer: Answer) -> float:
    reset = answer.headers.get("x-ratelimit-reset", "")
    return max(float(reset) - time.time(), 0.0) + 1.0 if reset.isdigit() else _SECONDARY


def _check(answer: Answer) -> None:
    if answer.status < 400:
        return
    said = _said(answer)
    match answer.status:
        case 401:
            raise Unauthorized(said)
        case 403 | 451:
            raise Forbidden(said)
        case 404 | 410:
            raise NotFound(said)
        case 409:
            raise Conflict(said)
        case 400 | 422:
            raise Unprocessable(said)
        case status if status >= 500:
            raise Unavailable(said)
    raise GitHubError(said)


def _said(answer: Answer) -> str:
    try:
        message = msgspec.json.decode(answer.body, type=_Message)
    except msgspec.MsgspecError:
        return f"GitHub answered {answer.status}"
    details = "; ".join(str(error) for error in message.errors[:3])
    said = " ".join(f"{message.message} {details}".split())[:400]
    return redacted(f"GitHub answered {answer.status}: {said}" if said else f"GitHub answered {answer.status}")


def _decoded(body: str, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise GitHubError(f"GitHub answered something unknown: {error}") from None


def _graph(answer: Answer, kind: type[T]) -> T:
    result = _decoded(answer.body, _GraphAnswer)
    for error in result.errors:
        said = redacted(" ".join(error.message.split())[:400])
        match error.type:
            case "FORBIDDEN" | "INSUFFICIENT_SCOPES":
                raise Forbidden(said)
            case "NOT_FOUND":
                raise NotFound(said)
            case "STALE_DATA":
                raise Conflict(said)
            case "RATE_LIMITED":
                raise RateLimited(_SECONDARY)
        if "expected" in said.lower() and "head" in said.lower():
            raise Conflict(said)
        raise Unprocessable(said)
    return _decoded(bytes(result.data).decode(), kind)
