"""Answers GraphQL requests against a cut of GitHub's schema."""

from __future__ import annotations

import functools
import json
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import graphql

from tests.fakes.github import mutations
from tests.fakes.github.calls import Request, sees
from tests.fakes.github.nodes import Nodes
from tests.fakes.github.refused import Answer, Refused
from tests.fakes.github.rest import Entry, Rest, key_of
from tests.fakes.github.state import Token

SCHEMA = pathlib.Path(__file__).parent / "descriptions" / "schema.graphql"
_TYPES = {403: "FORBIDDEN", 404: "NOT_FOUND", 422: "UNPROCESSABLE", 409: "STALE_DATA"}


class GraphQL:
    """The GraphQL side of the fake."""

    def __init__(self, rest: Rest) -> None:
        self._rest, self._world = rest, rest.world

    def answer(self, request: Request) -> Answer:
        """The answer to a request; mistakes in it are violations."""
        try:
            body = json.loads(request.body)
            document = _parsed(body["query"])
        except (ValueError, KeyError, graphql.GraphQLError) as error:
            self._rest.violations.append(f"GraphQL: {error}")
            return Answer(400, {"message": "Problems parsing JSON"})
        fields = [node.name.value for definition in document.definitions if isinstance(definition, graphql.OperationDefinitionNode)
                  for node in definition.selection_set.selections if isinstance(node, graphql.FieldNode)]  # fmt: skip
        operation = "GRAPHQL " + " ".join(fields)
        fault = self._rest.fault(operation)
        if fault and fault.before:
            fault.before()
        if fault and fault.answer and not fault.is_after_write:
            return fault.answer
        with self._world.lock:
            answer, who = self._answer(document, body, request, operation)
        shown = fault.answer if fault and fault.answer else answer
        authorization = request.headers.get("authorization", "")
        self._rest.log.append(Entry(self._world.clock(), operation, request.path, shown.status, who, authorization))
        return shown

    def _answer(self, document: graphql.DocumentNode, body: Any, request: Request, operation: str) -> tuple[Answer, str]:
        who = ""
        try:
            token = self._rest.caller(request.headers.get("authorization", ""))
            who = key_of(token)
            if not isinstance(token, Token):
                raise Refused(401, "This endpoint requires you to be authenticated.")
            is_write = any(getattr(each, "operation", None) is graphql.OperationType.MUTATION for each in document.definitions)
            is_content = "addPullRequestReviewThreadReply" in operation
            self._world.limits.spend(who, operation, is_write, is_content)
        except Refused as refused:
            return Answer(refused.status, refused.body(), {**self._world.limits.headers(who), **refused.headers}), who
        if wrong := _mistakes(body["query"]):
            self._rest.violations += [f"GraphQL: {each}" for each in wrong]
            return Answer(200, {"errors": [{"message": each} for each in wrong]}), who
        result = graphql.execute_sync(
            schema(), document, Root(self._rest, token), variable_values=body.get("variables"),
            operation_name=body.get("operationName"), field_resolver=_resolve,
        )  # fmt: skip
        value: dict[str, Any] = {"data": result.data}
        if result.errors:
            value["errors"] = [self._error(each) for each in result.errors]
        return Answer(200, value, self._world.limits.headers(who)), who

    def _error(self, error: graphql.GraphQLError) -> dict[str, Any]:
        original = error.original_error
        shape: dict[str, Any] = {"message": error.message, "path": error.path}
        if isinstance(original, Refused):
            shape["type"] = _TYPES.get(original.status, "UNPROCESSABLE")
        else:
            self._rest.violations.append(f"GraphQL: {error.message}")
        return shape


def _resolve(source: Any, info: graphql.GraphQLResolveInfo, **arguments: Any) -> Any:
    """A field of a dict, or a method of the root."""
    value = source.get(info.field_name) if isinstance(source, dict) else getattr(source, info.field_name)
    return value(**arguments) if callable(value) else value


@functools.cache
def schema() -> graphql.GraphQLSchema:
    """The cut schema; input objects keep GitHub's names."""
    return graphql.build_schema(SCHEMA.read_text(encoding="utf-8"))


@functools.cache  # one client's requests differ in their variables
def _parsed(query: str) -> graphql.DocumentNode:
    return graphql.parse(query)


@functools.cache
def _mistakes(query: str) -> tuple[str, ...]:
    """What the schema does not allow in a request."""
    return tuple(each.message for each in graphql.validate(schema(), _parsed(query)))


class Root:
    """The fields of `Query` and `Mutation` for one caller."""

    def __init__(self, rest: Rest, token: Token) -> None:
        self._world, self._token = rest.world, token
        self._nodes = Nodes(rest.world, token)

    # --- queries

    def viewer(self) -> Any:
        """Who asks."""
        return {**self._nodes.actor(self._token.actor), "__typename": "User"}

    def rateLimit(self, dryRun: object = None) -> Any:
        """What is left."""
        headers = self._world.limits.headers(key_of(self._token))
        return {
            "cost": 1, "limit": int(headers["x-ratelimit-limit"]), "nodeCount": 1,
            "remaining": int(headers["x-ratelimit-remaining"]), "used": int(headers["x-ratelimit-used"]),
            "resetAt": self._world.clock.stamp(float(headers["x-ratelimit-reset"])),
        }  # fmt: skip

    def user(self, login: str) -> Any:
        """A user."""
        account = self._world.accounts.get(login)
        return None if account is None else self._nodes.actor(account)

    def repository(self, owner: str, name: str, followRenames: object = None) -> Any:
        """A repository that the caller may see."""
        repo = self._world.repos.get(f"{owner}/{name}")
        if repo is None or not (sees(self._token, repo) or not repo.is_private):
            raise Refused(404, f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return self._nodes.repository(repo)

    def node(self, id: str) -> Any:
        """Anything by its id."""
        return self._nodes.by_id(id)

    def nodes(self, ids: Sequence[str]) -> Any:
        """Several."""
        return [self._nodes.by_id(each) for each in ids]

    # --- mutations

    def __getattr__(self, name: str) -> Callable[..., Any]:
        mutation = mutations.MUTATIONS[name]
        return lambda input: mutation(self._world, self._token, self._nodes, input)


