"""What can come of a request to GitHub that did not simply succeed."""

from __future__ import annotations


class GitHubError(Exception):
    """GitHub did not do what it was asked. The message is one line."""


class NotFound(GitHubError):
    """404 or 410: not there, or not for us to see."""


class Forbidden(GitHubError):
    """403 (or GraphQL's FORBIDDEN): the App has no such permission, or the repository is archived."""


class Unauthorized(GitHubError):
    """401 also with a fresh token: the App was uninstalled, suspended, or its key is wrong."""


class Unprocessable(GitHubError):
    """422: the request is well-formed and refused; nothing was written."""


class Conflict(GitHubError):
    """409, or a head that moved: somebody else was faster."""


class RateLimited(GitHubError):
    """Come back after `delay` seconds; carrying on may get the App banned."""

    def __init__(self, delay: float) -> None:
        super().__init__(f"rate limited for {delay:.0f} s")
        self.delay = delay


class Unavailable(GitHubError):
    """No answer, or 5xx. After a write nobody knows whether it happened: look before repeating it."""
