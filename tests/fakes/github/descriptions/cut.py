"""Cuts what the fake needs out of GitHub's own descriptions.

    python -m tests.fakes.github.descriptions.cut OPENAPI_PACKAGE GRAPHQL_PACKAGE [WEBHOOKS_PACKAGE]

Each argument is the unpacked folder of an npm package (`npm pack`, `tar xzf`). Writes the cuts and SOURCES.md
beside this file. The same bytes for the same packages.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import sys

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLUnionType,
    build_schema,
    get_named_type,
    print_type,
)

HERE = pathlib.Path(__file__).parent
REST, GRAPHQL, WEBHOOKS = HERE / "rest.json.gz", HERE / "schema.graphql", HERE / "webhooks.json.gz"
_PROSE = frozenset(("description", "summary", "externalDocs", "tags", "title", "example", "examples", "discriminator", "deprecated"))
_NAMES = frozenset(("properties", "schemas", "parameters", "responses", "examples", "headers"))
EVENTS = (
    "check_run", "check_suite", "installation", "installation_repositories", "issue_comment", "pull_request",
    "pull_request_review_comment", "pull_request_review_thread", "ping",
)  # fmt: skip


def main(openapi: pathlib.Path, graphql: pathlib.Path, webhooks: pathlib.Path) -> None:
    """Write all cuts."""
    _write_gz(REST, rest((openapi / "generated" / "api.github.com.json").read_bytes()))
    GRAPHQL.write_text(cut_schema((graphql / "schema.graphql").read_text(encoding="utf-8")), encoding="utf-8")
    index = json.loads((webhooks / "api.github.com" / "index.json").read_bytes())
    _write_gz(WEBHOOKS, {each["name"]: each["examples"] for each in index if each["name"] in EVENTS})
    rows = [
        _source(openapi, "rest.json.gz", "`generated/api.github.com.json`, operations.txt and what they refer to, without prose"),
        _source(graphql, "schema.graphql", "`schema.graphql`, types.txt and their inputs, without prose"),
        _source(webhooks, "webhooks.json.gz", "`api.github.com/index.json`, examples of the events that leakmend reads"),
    ]
    (HERE / "SOURCES.md").write_text(
        "# Where the cuts come from\n\n| File | npm package | Licence | What of it |\n|---|---|---|---|\n"
        + "".join(rows) + "\nMade by `cut.py`. The licence texts of the packages are in LICENCES.txt.\n",
        encoding="utf-8",
    )
    texts = [_licence(folder) for folder in (openapi, graphql, webhooks)]
    (HERE / "LICENCES.txt").write_text("\n\n".join(texts), encoding="utf-8")


def _source(folder: pathlib.Path, cut: str, what: str) -> str:
    package = json.loads((folder / "package.json").read_bytes())
    return f"| {cut} | {package['name']} {package['version']} | {package['license']} | {what} |\n"


def _licence(folder: pathlib.Path) -> str:
    package = json.loads((folder / "package.json").read_bytes())
    text = next((path.read_text(encoding="utf-8") for path in sorted(folder.glob("LICENSE*"))), "")
    return f"== {package['name']} {package['version']}: {package['license']}\n\n{text.strip()}\n"


def _write_gz(target: pathlib.Path, value: object) -> None:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


# --- REST


def rest(content: bytes) -> dict[str, object]:
    """The operations of operations.txt, and every component that they refer to."""
    whole = json.loads(content)
    paths: dict[str, dict[str, object]] = {}
    for line in (HERE / "operations.txt").read_text().split("\n"):
        if line:
            method, _, path = line.partition(" ")
            item = whole["paths"][path]
            operation = item[method.lower()]
            kept = {name: operation[name] for name in ("operationId", "parameters", "requestBody", "responses") if name in operation}
            kept["parameters"] = [*item.get("parameters", ()), *kept.get("parameters", ())]
            paths.setdefault(path, {})[method.lower()] = _bare(kept)
    components: dict[str, dict[str, object]] = {}
    waiting = sorted(_references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/", 3)
        if name not in components.setdefault(kind, {}):
            components[kind][name] = _bare(whole["components"][kind][name])
            waiting += sorted(_references(components[kind][name]))
    components.pop("examples", None)
    return {"openapi": whole["openapi"], "version": whole["info"]["version"], "paths": paths, "components": components}


def _bare(value: object, is_names: bool = False) -> object:
    """Without prose. Under `properties` and the like every key is a name, not a keyword."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _bare(each, is_names=not is_names and key in _NAMES and isinstance(each, dict))
        for key, each in value.items()
        if is_names or (key not in _PROSE and not key.startswith("x-"))
    }


def _references(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_references, value))
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*map(_references, value.values()))


# --- GraphQL


def cut_schema(text: str) -> str:
    """The types of types.txt with the fields whose types are there too, and the inputs that they take."""
    schema = build_schema(text, assume_valid=True)
    wanted: dict[str, tuple[str, ...]] = {}
    for line in (HERE / "types.txt").read_text().split("\n"):
        if line:
            name, _, fields = line.partition(":")
            wanted[name] = tuple(fields.split())
    kept: dict[str, GraphQLNamedType] = {}
    for name, fields in wanted.items():
        _cut(schema.type_map[name], fields, wanted)
        kept[name] = schema.type_map[name]
    waiting: list[GraphQLNamedType] = list(kept.values())
    while waiting:
        for needed in _needs(waiting.pop()):
            if needed.name not in kept:
                kept[needed.name] = needed
                waiting.append(needed)
    built_in = ("String", "Int", "Float", "Boolean", "ID")
    for type_ in kept.values():
        _silence(type_)
    return "\n\n".join(print_type(kept[name]) for name in sorted(kept) if name not in built_in) + "\n"


def _cut(type_: GraphQLNamedType, fields: tuple[str, ...], wanted: dict[str, tuple[str, ...]]) -> None:
    assert isinstance(type_, GraphQLObjectType | GraphQLInterfaceType), type_
    for name, field in list(type_.fields.items()):
        inner = get_named_type(field.type)
        is_leaf = isinstance(inner, GraphQLScalarType | GraphQLEnumType)
        is_known = is_leaf or inner.name in wanted or isinstance(inner, GraphQLUnionType)
        if isinstance(inner, GraphQLUnionType):
            is_known = all(member.name in wanted for member in inner.types)
        if (fields and name not in fields) or not is_known:
            del type_.fields[name]
    type_.interfaces = () if fields else tuple(each for each in type_.interfaces if each.name in wanted)


def _needs(type_: GraphQLNamedType) -> list[GraphQLNamedType]:
    if isinstance(type_, GraphQLInputObjectType):
        return [get_named_type(field.type) for field in type_.fields.values()]
    if isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
        found = [get_named_type(field.type) for field in type_.fields.values()]
        return found + [get_named_type(arg.type) for field in type_.fields.values() for arg in field.args.values()]
    return []


def _silence(type_: GraphQLNamedType) -> None:
    """No descriptions."""
    type_.description = None
    if isinstance(type_, GraphQLEnumType):
        for value in type_.values.values():
            value.description = None
    if isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
        for field in type_.fields.values():
            field.description = field.deprecation_reason = None
            for argument in field.args.values():
                argument.description = None
    if isinstance(type_, GraphQLInputObjectType):
        for each in type_.fields.values():
            each.description = None


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]))
