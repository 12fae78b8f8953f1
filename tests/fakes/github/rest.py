"""Answers REST requests: operation, caller, limits, validation, permission, handler, and its own answer checked."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import jwt
import msgspec

from tests.fakes.github import routes_apps, routes_checks, routes_git, routes_pulls, routes_talk
from tests.fakes.github.calls import Call, Request, Route, check_permission
from tests.fakes.github.description import Operation, description
from tests.fakes.github.faults import Fault
from tests.fakes.github.refused import Answer, Refused, not_found
from tests.fakes.github.state import App, Token
from tests.fakes.github.world import World

ROUTES: tuple[Route, ...] = (
    *routes_apps.ROUTES, *routes_checks.ROUTES, *routes_git.ROUTES, *routes_pulls.ROUTES, *routes_talk.ROUTES
)
_MOST_JWT_SECONDS = 10 * 60


class Entry(msgspec.Struct, frozen=True):
    """One line of the fake's log."""

    time: float
    operation: str
    path: str
    status: int
    who: str
    authorization: str


class Rest:
    """The REST side of the fake.

    violations   where the bot (or the fake) left GitHub's description: tests end with none
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults: list[Fault] = []
        self.violations: list[str] = []
        self.log: list[Entry] = []
        self.is_checking = True
        self._routes = {route.operation: route for route in ROUTES}

    def answer(self, request: Request) -> Answer:
        """The answer to a request; never raises for what the bot does wrong."""
        path = request.path.removeprefix("/api/v3") or "/"
        found = description().find(request.method, path)
        if found is None:
            self.violations.append(f"no such operation: {request.method} {path}")
            return Answer(404, not_found().body())
        operation, parameters = found
        answer, who = self._faulted(operation, parameters, request)
        entry = Entry(self.world.clock(), operation.name, path, answer.status, who, request.headers.get("authorization", ""))
        self.log.append(entry)
        return answer

    def fault(self, operation: str) -> Fault | None:
        """The fault whose turn it is."""
        return next((each for each in self.faults if each.befalls(operation)), None)

    def _faulted(self, operation: Operation, parameters: dict[str, str], request: Request) -> tuple[Answer, str]:
        fault = self.fault(operation.name)
        if fault and fault.before:
            fault.before()
        if fault and fault.answer and not fault.is_after_write:
            return fault.answer, ""
        with self.world.lock:
            answer, who = self._answer(operation, parameters, request)
        if fault and fault.answer:
            return fault.answer, who
        return answer, who

    def _answer(self, operation: Operation, parameters: dict[str, str], request: Request) -> tuple[Answer, str]:
        who = ""
        try:
            caller = self.caller(request.headers.get("authorization", ""))
            who = key_of(caller)
            route = self._routes[operation.name]
            if operation.template != "/rate_limit":
                self.world.limits.spend(who, operation.name, request.method != "GET", route.is_content)
            answer = self._handled(operation, route, parameters, request, caller)
        except Refused as refused:
            headers = {**self.world.limits.headers(who), **refused.headers}
            return Answer(refused.status, refused.body(), headers), who
        except Exception as error:
            self.violations.append(f"the fake failed in {operation.name}: {type(error).__name__}: {error}")
            raise
        return self._finished(operation, answer, request, who), who

    def _handled(
        self, operation: Operation, route: Route, parameters: dict[str, str], request: Request, caller: Token | App | None
    ) -> Answer:
        if route.is_app and not isinstance(caller, App):
            raise Refused(401, "A JSON web token could not be decoded")
        if isinstance(caller, App) and not route.is_app:
            raise Refused(401, "A JSON web token was given where an installation token is needed")
        body = self._body(operation, request)
        repo = None
        if "repo" in parameters:
            repo = self.world.repos.get(f"{parameters['owner']}/{parameters['repo']}")
            if repo is None:
                raise not_found()
        call = Call(
            world=self.world, path=parameters, query=request.query, body=body, repository=repo,
            token=caller if isinstance(caller, Token) else None, app=caller if isinstance(caller, App) else None,
            url=self.world.shapes.url + request.path,
        )  # fmt: skip
        if repo is not None and not route.is_app:
            if not isinstance(caller, Token):
                raise Refused(401, "Requires authentication")
            check_permission(caller, repo, route.needs, request.method)
        return route.answer(call)

    def _body(self, operation: Operation, request: Request) -> Any:
        body = None
        if request.body:
            try:
                body = json.loads(request.body)
            except ValueError:
                raise Refused(400, "Problems parsing JSON") from None
        if self.is_checking:
            wrong = list(operation.problems(request.query, body))
            if wrong:
                self.violations += wrong
                raise Refused(422, "Invalid request.\n\n" + "\n".join(wrong))
        return body if body is not None else {}

    # --- who calls

    def caller(self, authorization: str) -> Token | App | None:
        """Who the Authorization header belongs to; Refused where it is no longer good."""
        scheme, _, secret = authorization.partition(" ")
        if not secret:
            return None
        if scheme.lower() == "basic":
            secret = base64.b64decode(secret).decode().partition(":")[2]
        if secret.count(".") == 2 and not secret.startswith("gh"):
            return self._app(secret)
        token = self.world.tokens.get(secret)
        if token is None or (token.expires is not None and token.expires <= self.world.clock()):
            raise Refused(401, "Bad credentials")
        if token.installation is not None and token.installation.is_removed:
            raise Refused(401, "Bad credentials")
        if token.installation is not None and token.installation.suspended is not None:
            raise Refused(403, "This installation has been suspended")
        return token

    def _app(self, secret: str) -> App:
        bad = Refused(401, "A JSON web token could not be decoded")
        try:
            unverified = jwt.decode(secret, options={"verify_signature": False})
            wanted = str(unverified["iss"])
            app = next(each for each in self.world.apps.values() if wanted in (str(each.id), each.client_id))
            claims = jwt.decode(secret, app.public_key, algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False})
        except (jwt.PyJWTError, KeyError, StopIteration):
            raise bad from None
        now = self.world.clock()
        if claims["exp"] <= now:
            raise Refused(401, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
        if claims["exp"] > now + _MOST_JWT_SECONDS:
            raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
        if claims["iat"] > now + 1:
            raise Refused(401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
        return app

    # --- the answer

    def _finished(self, operation: Operation, answer: Answer, request: Request, who: str) -> Answer:
        value = answer.value
        if value is not None:
            value = operation.completed(answer.status, value)
            if self.is_checking:
                wrong = [f"the fake's answer: {each}" for each in operation.faults(answer.status, value)]
                self.violations += wrong
        headers = {**answer.headers, **self.world.limits.headers(who)}
        if request.method == "GET" and answer.status == 200:
            tag = f'W/"{hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()}"'
            headers["etag"] = tag
            if request.headers.get("if-none-match") == tag:
                self.world.limits.give_back(who)
                return Answer(304, None, {**headers, **self.world.limits.headers(who)})
        return Answer(answer.status, value, headers)


def key_of(caller: Token | App | None) -> str:
    """Whose limits a request counts against."""
    match caller:
        case Token(installation=installation) if installation is not None:
            return f"installation {installation.id}"
        case Token(kind=kind, actor=actor, repos=repos):
            return f"{kind} {repos[0].full_name if kind == 'actions' and repos else actor.login}"
        case App(slug=slug):
            return f"app {slug}"
    return "anonymous"


def redacted(text: str) -> str:
    """A text without tokens, for messages of tests."""
    return re.sub(r"gh[a-z]_[\w.-]+", "gh?_…", text)
