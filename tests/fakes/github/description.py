"""GitHub's own description of its REST API: which operation a request means, and whether both sides keep to it.

Stricter than the description in one point: a key of a body that it does not name is a mistake.
"""

from __future__ import annotations

import functools
import gzip
import json
import pathlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

Json = Any
HERE = pathlib.Path(__file__).parent / "descriptions"
_BASE = "urn:github"


NULL_ALL_THE_SAME = tuple(
    (component, field)
    for component in ("pull-request-review-comment", "review-comment")
    for field in ("line", "position")
)
"""Null on outdated comments, though the description does not say so."""


class Operation:
    """One operation of the description."""

    def __init__(self, document: Json, modern: Json, registry: Registry[Json], method: str, template: str) -> None:
        self._document, self._registry = document, registry
        self.method, self.template = method, template
        self.name = f"{method} {template}"
        self._raw = document["paths"][template][method.lower()]
        self._modern = modern["paths"][template][method.lower()]
        # {path} and {ref} go on over slashes, in the middle of a template as at its end.
        pattern = re.sub(r"\\\{(path|ref|basehead|branch)\\\}", r"(?P<\1>.+)", re.escape(template))
        self.pattern = re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", pattern) + r"\Z")

    @functools.cached_property
    def _parameters(self) -> dict[str, Json]:
        resolved = (self._resolve(each) for each in self._raw.get("parameters", ()))
        return {each["name"]: each for each in resolved if each["in"] == "query"}

    def _resolve(self, value: Json) -> Json:
        while "$ref" in value:
            node = self._document
            for word in value["$ref"].split("/")[1:]:
                node = node[word]
            value = node
        return value

    def _schema(self, of: Json, document_part: str) -> Json | None:
        content = of.get("content", {}).get("application/json") if of else None
        return content.get("schema") if content else None

    @functools.cached_property
    def _body_validator(self) -> Draft202012Validator | None:
        schema = self._schema(self._modern.get("requestBody"), "requestBody")
        return None if schema is None else Draft202012Validator(schema, registry=self._registry)

    def problems(self, query: Mapping[str, str], body: Json) -> Iterator[str]:
        """What is wrong with a request."""
        for name, value in query.items():
            parameter = self._parameters.get(name)
            if parameter is None:
                yield f"{self.name}: no query parameter {name!r}"
                continue
            yield from self._wrong_parameter(name, value, self._resolve(parameter["schema"]))
        validator = self._body_validator
        if validator is not None and (body is not None or self._raw["requestBody"].get("required")):
            for error in validator.iter_errors(body):
                yield f"{self.name}: {error.json_path}: {error.message[:300]}"
            schema = self._schema(self._raw["requestBody"], "requestBody")
            for path in self._unknown(schema, body, "$"):
                yield f"{self.name}: {path} is not in the description"
        elif body not in (None, {}) and validator is None:
            yield f"{self.name}: takes no body"

    def _wrong_parameter(self, name: str, value: str, schema: Json) -> Iterator[str]:
        if schema.get("type") == "integer" and not value.lstrip("-").isdigit():
            yield f"{self.name}: {name}={value} is no integer"
        elif "enum" in schema and value not in schema["enum"]:
            yield f"{self.name}: {name}={value} is none of {schema['enum']}"
        elif name == "per_page" and value.isdigit() and int(value) > 100:
            yield f"{self.name}: per_page={value}, the most is 100"

    def _unknown(self, schema: Json, value: Json, path: str) -> Iterator[str]:
        schema = self._resolve(schema)
        if isinstance(value, list) and "items" in schema:
            for number, each in enumerate(value):
                yield from self._unknown(schema["items"], each, f"{path}[{number}]")
        if not isinstance(value, dict) or "properties" not in schema:
            return
        alternatives = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
        names = set(schema["properties"]).union(*(self._resolve(each).get("properties", {}) for each in alternatives))
        for key, each in value.items():
            if key not in names and not schema.get("additionalProperties") and not alternatives:
                yield f"{path}.{key}"
            elif key in schema["properties"]:
                yield from self._unknown(schema["properties"][key], each, f"{path}.{key}")

    # --- answers

    @functools.cache  # noqa: B019 (operations live as long as the description)
    def _answer(self, status: int) -> tuple[Json | None, Draft202012Validator | None]:
        raw, modern = self._raw["responses"].get(str(status)), self._modern["responses"].get(str(status))
        if raw is None:
            return None, None
        schema = self._schema(self._resolve(raw), "responses")
        if schema is None:
            return None, None
        shown = modern if "$ref" not in modern else {"content": {"application/json": {"schema": _modern(schema)}}}
        return schema, Draft202012Validator(self._schema(shown, "responses") or {}, registry=self._registry)

    def completed(self, status: int, value: Json) -> Json:
        """An answer with all that the description requires of it: what we do not model is empty."""
        schema, _ = self._answer(status)
        return value if schema is None else complete(self._document, schema, value)

    def faults(self, status: int, value: Json) -> Iterator[str]:
        """What is wrong with an answer of ours."""
        _, validator = self._answer(status)
        if str(status) not in self._raw["responses"] and status < 400:
            yield f"{self.name}: GitHub never answers {status}"
        if validator is not None:
            for error in validator.iter_errors(value):
                yield f"{self.name} {status}: {error.json_path}: {error.message[:300]}"


class Description:
    """All operations."""

    def __init__(self) -> None:
        self.document = json.loads(gzip.decompress((HERE / "rest.json.gz").read_bytes()))
        for component, field in NULL_ALL_THE_SAME:
            self.document["components"]["schemas"][component]["properties"][field]["nullable"] = True
        modern = _modern(self.document)
        resource = Resource(contents=modern, specification=DRAFT202012)
        registry: Registry[Json] = Registry().with_resource(_BASE, resource)
        self.operations = sorted(
            (Operation(self.document, modern, registry, method.upper(), template)
             for template, item in self.document["paths"].items() for method in item),
            key=lambda each: (each.template.count("{"), -len(each.template), each.name),
        )

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation of a path, fewest parameters first, and what its parameters are."""
        for operation in self.operations:
            if operation.method == method and (found := operation.pattern.match(path)):
                return operation, found.groupdict()
        return None

    def completed(self, component: str, value: Json) -> Json:
        """A value of a named schema, for payloads of webhooks."""
        return complete(self.document, {"$ref": f"#/components/schemas/{component}"}, value)


@functools.cache
def description() -> Description:
    """The one description: reading it takes a moment."""
    return Description()


# --- schemas


def _modern(schema: Json) -> Json:
    """OpenAPI 3.0 as JSON Schema: `nullable` becomes a type, `oneOf` becomes `anyOf` (GitHub's overlap)."""
    if isinstance(schema, list):
        return [_modern(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {("anyOf" if key == "oneOf" else key): _modern(value) for key, value in schema.items() if key != "nullable"}
    if isinstance(result.get("$ref"), str):
        result["$ref"] = _BASE + result["$ref"]
    if schema.get("nullable") is True:
        return {"anyOf": [result, {"type": "null"}]}
    return result


def complete(document: Json, schema: Json, value: Json) -> Json:
    """The value with what is required and missing filled in as emptily as the schema allows."""
    while "$ref" in schema:
        if value is None and schema.get("nullable"):
            return None
        node = document
        for word in schema["$ref"].split("/")[1:]:
            node = node[word]
        schema = node
    if value is None and schema.get("nullable"):
        return None
    for each in schema.get("allOf", ()):
        value = complete(document, each, value)
    options = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    if options and "properties" not in schema:
        return complete(document, _option(document, options, value), value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        filled = {key: complete(document, properties[key], each) if key in properties else each for key, each in value.items()}
        for name in schema.get("required", ()):
            if name not in filled:
                filled[name] = _empty(document, properties.get(name, {}))
        return filled
    if isinstance(value, list) and "items" in schema:
        return [complete(document, schema["items"], each) for each in value]
    return value


def _option(document: Json, options: list[Json], value: Json) -> Json:
    """The alternative of a union that a value means: for an object the one that knows most of its keys."""
    def resolved(option: Json) -> Json:
        while "$ref" in option:
            node = document
            for word in option["$ref"].split("/")[1:]:
                node = node[word]
            option = node
        return option

    if isinstance(value, dict):
        return max(options, key=lambda each: len(value.keys() & resolved(each).get("properties", {}).keys()))
    kind = "array" if isinstance(value, list) else "string" if isinstance(value, str) else "integer"
    return next((each for each in options if resolved(each).get("type") == kind), options[0])


def _empty(document: Json, schema: Json) -> Json:
    if schema.get("nullable"):
        return None
    while "$ref" in schema:
        node = document
        for word in schema["$ref"].split("/")[1:]:
            node = node[word]
        schema = node
        if schema.get("nullable"):
            return None
    if "enum" in schema:
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    options = [*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())]
    if options and "properties" not in schema:
        return _empty(document, options[0])
    match schema.get("type"):
        case "string":
            return _text(schema)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "array":
            return []
    return complete(document, schema, {})


def _text(schema: Json) -> str:
    match schema.get("format"):
        case "date-time":
            return "2026-01-01T00:00:00Z"
        case "uri" | "uri-template":
            return "https://example.invalid/"
    return "x" * schema.get("minLength", 0)
