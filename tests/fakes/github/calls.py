"""One request on its way through the fake: who calls, for which repository, with what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from tests.fakes.github.refused import Answer, Refused, forbidden, not_found
from tests.fakes.github.state import Account, App, Installation, Pull, Repo, Token
from tests.fakes.github.world import World

MOST_CHARACTERS = 65_536
Needs = tuple[tuple[str, str], ...]
"""Permissions of which one is enough."""


class Request(msgspec.Struct, frozen=True):
    """What came over the wire."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes = b""


class Call(msgspec.Struct, kw_only=True, eq=False):
    """A request that was understood and may be answered. `app` for calls with an App's own JWT."""

    world: World
    path: dict[str, str]
    query: dict[str, str]
    body: Any = None
    token: Token | None = None
    app: App | None = None
    repository: Repo | None = None
    url: str = ""

    @property
    def repo(self) -> Repo:
        """The repository in the path."""
        assert self.repository is not None
        return self.repository

    @property
    def actor(self) -> Account:
        """Who did it, for the world to see."""
        assert self.token is not None
        return self.token.actor

    @property
    def pull(self) -> Pull:
        """The pull request in the path."""
        number = self.path.get("pull_number") or self.path["issue_number"]
        found = self.repo.pulls.get(int(number)) if number.isdigit() else None
        if found is None:
            raise not_found()
        return found

    def installation(self) -> Installation:
        """The installation in the path, which must be the App's own."""
        found = self.world.installations.get(int(self.path["installation_id"]))
        if found is None or found.app is not self.app or found.is_removed:
            raise not_found()
        return found

    def pages(self, things: list[Any], key: str = "", shape: Callable[[Any], object] = lambda each: each) -> Answer:
        """One page of a list, with its Link header."""
        size = int(self.query.get("per_page", 30))
        page = int(self.query.get("page", 1))
        start = (page - 1) * size
        shown = [shape(each) for each in things[start : start + size]]
        last = max(-(-len(things) // size), 1)
        links = {"next": page + 1, "last": last} if page < last else {}
        links |= {"prev": page - 1, "first": 1} if page > 1 else {}
        rest = "".join(f"&{name}={value}" for name, value in self.query.items() if name not in ("page", "per_page"))
        link = ", ".join(f'<{self.url}?per_page={size}&page={number}{rest}>; rel="{name}"' for name, number in links.items())
        headers = {"link": link} if link else {}
        return Answer(200, {"total_count": len(things), key: shown} if key else shown, headers)

    def text(self, field: str = "body") -> str:
        """A text of the body that GitHub would take."""
        text = str(self.body.get(field) or "")
        check_text(text)
        return text


Handler = Callable[[Call], Answer]


class Route(msgspec.Struct, frozen=True):
    """How one operation is answered, and which permission it needs. `is_app` for those of an App's JWT."""

    operation: str
    answer: Handler
    needs: Needs = ()
    is_content: bool = False
    is_app: bool = False


def check_text(text: str) -> None:
    """GitHub takes no longer text."""
    if len(text) > MOST_CHARACTERS:
        message = f"body is too long (maximum is {MOST_CHARACTERS} characters)"
        raise Refused(422, "Validation Failed", [{"resource": "IssueComment", "field": "body", "code": "custom", "message": message}])


def check_permission(token: Token, repo: Repo, needs: Needs, method: str) -> None:
    """404 for what a token does not see, 403 for what it may not do."""
    is_reading = method == "GET" and all(level == "read" for _, level in needs)
    if not sees(token, repo) and not (not repo.is_private and is_reading):
        raise not_found()
    if needs and not any(token.may(*need) for need in needs) and not (not repo.is_private and is_reading):
        raise forbidden()
    if repo.is_archived and method != "GET":
        raise Refused(403, "Repository was archived so is read-only.")


def sees(token: Token, repo: Repo) -> bool:
    """Whether a token was made for a repository."""
    if token.kind == "user":
        return repo.role(token.actor.login) != "none"
    if token.installation is not None and repo not in token.installation.repos:
        return False
    return token.repos is None or repo in token.repos
