"""git over smart HTTP: `git http-backend` behind the fake's tokens."""

from __future__ import annotations

import base64
import os
import subprocess
from urllib.parse import parse_qs

from starlette.responses import Response

from tests.fakes.github.calls import sees
from tests.fakes.github.git import environment
from tests.fakes.github.refused import Refused
from tests.fakes.github.rest import Entry, Rest, key_of
from tests.fakes.github.state import Repo, Token

_SERVICES = ("/info/refs", "/git-upload-pack", "/git-receive-pack")


class GitHttp:
    """Serves every repository at `/owner/name` and `/owner/name.git`."""

    def __init__(self, rest: Rest) -> None:
        self._rest, self._world = rest, rest.world

    def is_meant(self, path: str, query: str) -> bool:
        """Whether a request is one of git's."""
        return path.endswith(_SERVICES) and (not path.endswith("/info/refs") or "service=" in query)

    def answer(self, method: str, path: str, query: str, headers: dict[str, str], body: bytes) -> Response:
        """One request of git's."""
        service = next(each for each in _SERVICES if path.endswith(each))
        name = path.removesuffix(service).strip("/").removesuffix(".git")
        is_push = service == "/git-receive-pack" or parse_qs(query).get("service") == ["git-receive-pack"]
        operation = f"GIT {'push' if is_push else 'fetch'} {service}"
        fault = self._rest.fault(operation)
        if fault and fault.before:
            fault.before()
        if fault and fault.answer and not fault.is_after_write:
            return Response("fault", fault.answer.status, fault.answer.headers)
        answer, who = self._checked(name, service, method, query, headers, body, is_push)
        entry = Entry(self._world.clock(), operation, path, answer.status_code, who, headers.get("authorization", ""))
        self._rest.log.append(entry)
        return Response("fault", fault.answer.status) if fault and fault.answer else answer

    def _checked(
        self, name: str, service: str, method: str, query: str, headers: dict[str, str], body: bytes, is_push: bool
    ) -> tuple[Response, str]:
        repo = self._world.repos.get(name)
        asks = {"www-authenticate": 'Basic realm="GitHub"'}
        try:
            token = self._rest.caller(headers.get("authorization", ""))
        except Refused as refused:
            return Response(refused.message, 401, asks), ""
        who = key_of(token)
        if not isinstance(token, Token) and (repo is None or repo.is_private or is_push):
            return Response("Authentication required", 401, asks), who
        if repo is None or (repo.is_private and isinstance(token, Token) and not sees(token, repo)):
            return Response("Repository not found.", 404), who
        if isinstance(token, Token):
            if is_push and not (token.may("contents", "write") and (sees(token, repo) or self._lent(token, repo))):
                return Response(f"Permission to {name}.git denied to {token.actor.login}.", 403), who
            if not is_push and repo.is_private and not token.may("contents", "read"):
                return Response("Write access to repository not granted.", 403), who
        if is_push and repo.is_archived:
            return Response("This repository was archived so it is read-only.", 403), who
        return self._backend(repo, service, method, query, headers, body, token if isinstance(token, Token) else None), who

    def _lent(self, token: Token, fork: Repo) -> list[str]:
        """Branches of a person's fork whose pull requests let maintainers of the base push."""
        if fork.owner.type != "User":
            return []
        pulls = (pull for repo in self._world.repos.values() if sees(token, repo) for pull in repo.pulls.values())
        return [
            f"refs/heads/{pull.head_ref}" for pull in pulls
            if pull.head_repo is fork and pull.state == "open" and pull.maintainer_can_modify
        ]  # fmt: skip

    def _backend(
        self, repo: Repo, service: str, method: str, query: str, headers: dict[str, str], body: bytes, token: Token | None
    ) -> Response:
        variables = {
            **environment(),
            "GIT_PROJECT_ROOT": os.fspath(repo.bare.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": service,
            "QUERY_STRING": query,
            "REQUEST_METHOD": method,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "REMOTE_USER": token.actor.login if token else "",
            "REMOTE_ADDR": "127.0.0.1",
        }
        if "git-protocol" in headers:
            variables["GIT_PROTOCOL"] = headers["git-protocol"]
        if "content-encoding" in headers:
            variables["HTTP_CONTENT_ENCODING"] = headers["content-encoding"]
        if token is not None and token.may("workflows", "write"):
            variables["FAKE_MAY_WRITE_WORKFLOWS"] = "1"
        is_push = service == "/git-receive-pack"
        if token is not None and not sees(token, repo):
            variables["FAKE_ONLY_REFS"] = " ".join(self._lent(token, repo))
        before = repo.bare.refs() if is_push else {}
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, check=False, env=variables)
        if is_push and token is not None:
            self._world.after_push(repo, before, token.actor)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        status, answered = 200, {}
        for line in head.decode().split("\r\n"):
            key, _, value = line.partition(": ")
            if key.lower() == "status":
                status = int(value.split()[0])
            elif key:
                answered[key] = value
        return Response(content, status, answered)


def basic(token: str) -> str:
    """The Authorization header that git sends for a token."""
    return "Basic " + base64.b64encode(f"x-access-token:{token}".encode()).decode()
