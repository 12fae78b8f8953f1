"""What can go wrong between the bot and GitHub, switched on by tests."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from tests.fakes.github.refused import Answer


class Fault(msgspec.Struct, kw_only=True):
    """Something that befalls the next `times` requests whose `METHOD /template` (or GraphQL field) matches.

    before   runs before the request is looked at (to move a head, to advance the clock)
    answer   is sent instead of the real one
    is_after_write   the request takes effect all the same
    skip     so many matching requests pass first
    """

    operation: str
    before: Callable[[], None] | None = None
    answer: Answer | None = None
    is_after_write: bool = False
    times: int = 1
    skip: int = 0

    def befalls(self, operation: str) -> bool:
        """Whether it is this request's turn. Counts."""
        if self.times <= 0 or not re.search(self.operation, operation):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.times -= 1
        return True


def bad_gateway_after(operation: str, times: int = 1, skip: int = 0) -> Fault:
    """502 although the write was done."""
    return Fault(operation=operation, answer=_error(502, "Server Error"), is_after_write=True, times=times, skip=skip)


def bad_gateway(operation: str, times: int = 1, skip: int = 0) -> Fault:
    """502 and nothing was done."""
    return Fault(operation=operation, answer=_error(502, "Server Error"), times=times, skip=skip)


def too_many(operation: str, retry_after: int | None, times: int = 1) -> Fault:
    """429, with or without saying how long to wait."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Fault(operation=operation, answer=_error(429, "You have exceeded a secondary rate limit.", headers), times=times)


def secondary(operation: str, retry_after: int | None, times: int = 1) -> Fault:
    """403 of the secondary limit."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Fault(operation=operation, answer=_error(403, "You have exceeded a secondary rate limit.", headers), times=times)


def unauthorized(operation: str, times: int = 1) -> Fault:
    """401 for a fresh token that has not reached every replica."""
    return Fault(operation=operation, answer=_error(401, "Bad credentials"), times=times)


def meanwhile(operation: str, happens: Callable[[], None], times: int = 1, skip: int = 0) -> Fault:
    """Something happens just before a request arrives: the head moves, say."""
    return Fault(operation=operation, before=happens, times=times, skip=skip)


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
    return Answer(status, {"message": message, "documentation_url": "https://docs.github.com/rest"}, headers or {})
