"""What each call of a procedure is known to throw, as `exceptions` wants it told."""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.frontends.java.body_types import BodyTypes
from analyzers.frontends.java.callees import Callee
from analyzers.frontends.java.declarations import raised_by_name
from analyzers.frontends.java.exceptions import (
    BODY,
    BROAD,
    LIBRARY,
    NOTHING,
    RUNTIME_EXCEPTION,
    THROWABLE,
    Thrower,
)
from analyzers.frontends.java.overloads import LAMBDA
from analyzers.frontends.java.type_members import JDK
from analyzers.frontends.java.type_text import PRIMITIVES, erase
from analyzers.queries import ProcedureKey

QUIET_TYPES = frozenset(
    (
        "junit.framework.Assert",
        "junit.framework.TestCase",
        "org.apache.commons.logging.Log",
        "org.apache.log4j.Category",
        "org.apache.log4j.Logger",
        "org.apache.logging.log4j.Logger",
        "org.assertj.core.api.Assertions",
        "org.hamcrest.MatcherAssert",
        "org.junit.Assert",
        "org.junit.Assume",
        "org.junit.jupiter.api.Assertions",
        "org.slf4j.Logger",
        "org.testng.Assert",
    )
)
"""Types of libraries that are not there, none of whose methods throws what a handler means: logs, assertions."""

STANDARD_CHARSETS = frozenset(("US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16"))
"""Names that every Java platform knows: a call that passes one throws no `UnsupportedEncodingException`."""

UNSUPPORTED_ENCODING = "java.io.UnsupportedEncodingException"


class Throwers:
    """Reads the throwers off a body whose calls are resolved."""

    def __init__(self, body: BodyTypes, handlers: Mapping[int, tuple[str, ...]]) -> None:
        self._body = body
        self._handlers = handlers
        self._raising: dict[ProcedureKey, tuple[str, ...]] = {}
        self._closeable: dict[str, bool] = {}

    def all(self) -> dict[int, Thrower]:
        """Per call what is known of it."""
        nodes, raises = self._body.procedure.nodes, self._body.procedure.raises
        found = {}
        for position, callee in self._body.callees.items():
            node = nodes[position]
            if raises[position] and isinstance(node, ir.Call):
                raised = self._raised(callee) if self._is_expected(raises[position]) else ()
                found[position] = self._thrower(node, callee, raised)
        return found

    def _is_expected(self, handlers: tuple[int, ...]) -> bool:
        """Whether some handler expects unchecked exceptions."""
        return any(
            name in BROAD or self._body.queries.is_subtype(name, RUNTIME_EXCEPTION) is True
            for handler in handlers
            for name in self._handlers.get(handler, ())
        )

    def _raised(self, callee: Callee) -> tuple[str, ...]:
        """The unchecked exceptions that the bodies of a call throw by name."""
        return tuple(dict.fromkeys(name for key in callee.target.procedures for name in self._raised_by(key)))

    def _raised_by(self, key: ProcedureKey) -> tuple[str, ...]:
        if key not in self._raising:
            queries = self._body.queries
            procedure = queries.procedure(key)
            written = raised_by_name(procedure) if procedure is not None else ()
            owner = procedure.owner if procedure is not None else ""
            names = [queries.resolve_type(key.path, owner, each) for each in written]
            self._raising[key] = tuple(
                name for name in names if name and queries.is_subtype(name, RUNTIME_EXCEPTION) is True
            )
        return self._raising[key]

    def _thrower(self, node: ir.Call, callee: Callee, raised: tuple[str, ...]) -> Thrower:
        declared: dict[str, None] = {}
        rank = BODY if callee.methods else NOTHING
        for method in callee.methods:
            declared.update(dict.fromkeys(name for name in method.throws if name))
            if JDK in method.attributes:
                rank = LIBRARY
        if callee.model is not None and callee.model.throws:
            declared.update(dict.fromkeys(callee.model.throws))
            rank = LIBRARY
        if rank == NOTHING and (callee.target.is_exact or not QUIET_TYPES.isdisjoint(self._types_of(callee))):
            rank = LIBRARY
        if THROWABLE in declared and rank == LIBRARY:
            self._narrow(node, declared)
        if UNSUPPORTED_ENCODING in declared and any(each[2:-1].upper() in STANDARD_CHARSETS for each in node.args):
            del declared[UNSUPPORTED_ENCODING]
        is_handed = rank == NOTHING and self._is_handed(node)
        return Thrower(tuple(declared), raised, rank, is_handed)

    def _types_of(self, callee: Callee) -> tuple[str, ...]:
        name = callee.target.type
        return (name, *self._body.queries.supertypes(name)) if name else ()

    def _narrow(self, node: ir.Call, declared: dict[str, None]) -> None:
        """What a supplier of an exception (`orElseThrow(() -> new X())`) makes stands for Throwable."""
        for each in node.args:
            made = self._body.lambda_result(each)
            if made is not None:
                del declared[THROWABLE]
                if made:
                    declared[made] = None
                return

    def _is_handed(self, node: ir.Call) -> bool:
        operands = node.args if node.kind == "new" else (node.receiver, *node.args)
        return any(self._is_closeable(self._body.type_of(each)) for each in operands if each)

    def _is_closeable(self, text: str) -> bool:
        name = erase(text)
        if not name or name in PRIMITIVES or name.startswith(("java.lang.", LAMBDA)):
            return False
        found = self._closeable.get(name)
        if found is None:
            found = self._closeable[name] = self._body.queries.is_closeable(name) is True
        return found


def explicit_throws(body: BodyTypes) -> tuple[dict[int, str], dict[int, tuple[int, ...]]]:
    """Per Throw the type that it throws by name, or the Catches whose exception it throws again."""
    caught: dict[str, list[int]] = {}
    nodes = body.procedure.nodes
    for position, node in enumerate(nodes):
        if isinstance(node, ir.Catch):
            caught.setdefault(node.dst, []).append(position)
    explicit: dict[int, str] = {}
    rethrows: dict[int, tuple[int, ...]] = {}
    for position, node in enumerate(nodes):
        if not isinstance(node, ir.Throw):
            continue
        catches = caught.get(node.src)
        if catches and body.is_assigned_by(node.src, len(catches)):
            rethrows[position] = tuple(catches)
        else:
            explicit[position] = body.written.name(node.type) or erase(body.type_of(node.src)) or THROWABLE
    return explicit, rethrows


def handlers_of(body: BodyTypes) -> Mapping[int, tuple[str, ...]]:
    """Per Catch the resolved types; as written where a name is not known."""
    found = {}
    for position, node in enumerate(body.procedure.nodes):
        if isinstance(node, ir.Catch):
            found[position] = tuple(
                each if each == ir.ANY_EXCEPTION else body.written.name(each) or each for each in node.types
            )
    return found
