"""Who we are to GitHub: an App with its key, an installation narrowed to one repository, or a given token.

Tokens live in memory only: in no URL, argument, log or file. Their length and form say nothing (`ghs_…` may be long).
"""

from __future__ import annotations

import datetime
import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec
from github import Auth

from bot.errors import CannotRun

_EARLY = 300.0
"""Seconds before its end from which a token is not used any more: a job may take as long."""

_SECRET = re.compile(r"(gh[a-z]_|github_pat_)[A-Za-z0-9_.\-]+|(?i:(bearer|basic|token) )[A-Za-z0-9_.=+/\-]{16,}|eyJ[\w.\-]{20,}")


class Token(msgspec.Struct, frozen=True):
    """A token, when it ends (seconds of the clock), and what it may do."""

    value: str
    ends: float
    permissions: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return "Token(…)"


class Tokens(Protocol):
    """Where requests get their token from."""

    def token(self) -> Token:
        """One that is good for a while."""

    def refused(self) -> bool:
        """GitHub answered 401. True where another token may do better."""


class GivenToken:
    """A token that somebody handed in: `GITHUB_TOKEN` of a workflow."""

    def __init__(self, value: str, permissions: Mapping[str, str] | None = None) -> None:
        self._token = Token(value, float("inf"), permissions or {})

    def token(self) -> Token:
        """See `Tokens`."""
        return self._token

    def refused(self) -> bool:
        """See `Tokens`."""
        return False


class AppKey:
    """The App itself: signs its own short-lived tokens (RS256, under ten minutes)."""

    def __init__(self, app_id: str, private_key: str) -> None:
        try:
            self._auth = Auth.AppAuth(app_id, private_key, jwt_expiry=540, jwt_issued_at=-60)
            self.token()
        except Exception as error:
            raise CannotRun(f"the App's private key cannot be used: {type(error).__name__}") from None

    def token(self) -> Token:
        """See `Tokens`."""
        return Token(self._auth.create_jwt(), time.time() + 540)

    def refused(self) -> bool:
        """See `Tokens`."""
        return False


class InstallationTokens:
    """Tokens of one installation for one repository, each asked for when the last is about to end."""

    def __init__(self, ask: Callable[[], Token], clock: Callable[[], float] = time.time) -> None:
        self._ask, self._clock = ask, clock
        self._token: Token | None = None

    def token(self) -> Token:
        """See `Tokens`."""
        if self._token is None or self._token.ends - _EARLY < self._clock():
            self._token = self._ask()
        return self._token

    def refused(self) -> bool:
        """See `Tokens`. A fresh token may be unknown to some server for a moment; an old one may have ended."""
        self._token = None
        return True


def ends(expires_at: str) -> float:
    """`2026-11-20T10:00:00Z` as seconds; an hour from now where it is written otherwise."""
    try:
        return datetime.datetime.fromisoformat(expires_at).timestamp()
    except ValueError:
        return time.time() + 3600


def redacted(text: str) -> str:
    """The text without what looks like a secret."""
    return _SECRET.sub("…", text)


class Redaction(logging.Filter):
    """Keeps secrets out of a log, whoever writes them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        message = record.getMessage()
        clean = redacted(message)
        if clean != message:
            record.msg, record.args = clean, ()
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = redacted(logging.Formatter().formatException(record.exc_info))
        return True
