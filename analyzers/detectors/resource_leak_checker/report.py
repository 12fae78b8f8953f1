"""Findings of the checker, with the key of the paper's tool as detail."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker.obligations import Loss
from analyzers.finding import (
    FORGOTTEN,
    HALF_BEGUN,
    KEPT_OPEN,
    LEFT_OPEN,
    NOT_CALLED,
    OVERRIDDEN,
    PROVED,
    Confidence,
    Finding,
    Role,
    Rule,
    Step,
)
from analyzers.handles.runs import Departure
from analyzers.queries import Linked, Queries
from analyzers.rules import CONTRADICTED_ANNOTATION, UNCLOSED_RESOURCE
from analyzers.source import Span

NAME = "resource-leak-checker"


MAX_TEXT = 60


class Reporter:
    """Makes the findings of one procedure."""

    def __init__(self, linked: Linked, queries: Queries) -> None:
        self._linked = linked
        self._queries = queries

    def lost(self, losses: Iterable[Loss], at: Span | None = None) -> Finding:
        """One obligation that some paths do not meet; `at`: where it is declared, if not at its node."""
        ordered = sorted(losses, key=lambda each: (each.exit == "throw", self._lost_span(each)))
        first = ordered[0]
        obligation = first.obligation
        is_overwrite = obligation.kind == "field"
        acquired = at or self._span(first.node if is_overwrite else obligation.node)
        text = self._text(acquired)
        lost = self._lost_span(first)
        methods = " and ".join(f"`{name}()`" for name in sorted(first.remaining))
        subject = f"`{_shown(obligation.place, text)}`"
        if is_overwrite:
            message = f"{subject} may be overwritten before {methods} is called on what it holds."
        else:
            message = f"{methods} may not have been called on {subject} {self._when(first)}."
        found = self._finding(UNCLOSED_RESOURCE, NOT_CALLED, obligation.type, acquired, lost, text, message,
                              tuple(sorted({self._lost_span(each) for each in ordered})),
                              _variable(obligation.place))  # fmt: skip
        return msgspec.structs.replace(found, methods=tuple(sorted(first.remaining)))

    def kept_open(self, name: str, losses: Iterable[Loss], use: int) -> Finding:
        """An owned field that a destructor leaves open on its way out by an exception; `use`: where it touches it."""
        ordered = sorted(losses, key=self._lost_span)
        first = ordered[0]
        acquired, lost = self._span(use), self._lost_span(first)
        verb = "closed" if first.remaining == {"close"} else "released"
        message = f"`{name}` is not {verb} {self._thrown(lost)}."
        exits = tuple(sorted({self._lost_span(each) for each in ordered}))
        return self._finding(UNCLOSED_RESOURCE, KEPT_OPEN, first.obligation.type, acquired, lost, name, message, exits, name)

    def skipped(self, end: int, nodes: Iterable[int], owner: str) -> Finding:
        """The end of the class above, at a node of a method that ends an object, to which it does not come when one of these nodes throws."""
        exits = tuple(sorted({self._span(each) for each in nodes}))
        acquired = self._span(end)
        message = f"`{self._text(acquired)}` is not called {self._thrown(exits[0])}."
        return self._finding(UNCLOSED_RESOURCE, KEPT_OPEN, owner, acquired, exits[0], self._text(acquired), message, exits, "")

    def half_begun(self, made: int, name: str, flag: str, nodes: Iterable[int], resource: str) -> Finding:
        """A field that is full when one of these nodes throws, and that nobody closes unless a flag is set, which is not yet."""
        exits = tuple(sorted({self._span(each) for each in nodes}))
        acquired = self._span(made)
        message = f"`{name}` is closed only where `{flag}` is set, which it is not yet {self._thrown(exits[0])}."
        return self._finding(UNCLOSED_RESOURCE, HALF_BEGUN, resource, acquired, exits[0], self._text(acquired), message, exits, name)

    def left_open(self, name: str, departures: Iterable[Departure], methods: frozenset[str], *, is_meant: bool) -> Finding:
        """A parameter that the procedure closes when it returns, or says that it closes (`is_meant`), and leaves open on these ways out."""
        variable = next(each for each in self._linked.body.variables if each.name == name)
        acquired = self.span_of(variable.declared, variable.declared + len(ir.source_name(name).encode()))
        ways = {self._span(each.node): each.exit for each in departures}
        exits = tuple(sorted(ways))
        verb = "closed" if methods == {"close"} else "released"
        way = self._thrown(exits[0]) if ways[exits[0]] == "throw" else self._left(exits[0])
        message = f"`{ir.source_name(name)}` is not {verb} {way}, as {'its method promises' if is_meant else 'it is else'}."
        found = self._finding(
            UNCLOSED_RESOURCE, LEFT_OPEN, self._linked.types.get(name, ""), acquired, exits[0], self._text(acquired), message,
            exits, ir.source_name(name),
        )
        return msgspec.structs.replace(found, methods=tuple(sorted(methods)))

    def forgotten(self, resource: str, acquired: Span, lost: Span, message: str, field: str) -> Finding:
        """A resource in a field that the method `lost` ends without releasing."""
        text = self._text(acquired) or field
        return self._finding(UNCLOSED_RESOURCE, FORGOTTEN, resource, acquired, lost, text, message, (lost,), field)

    def overwritten(self, name: str, kind: str, node: int, methods: tuple[str, ...]) -> Finding:
        """A field that is filled at a node while it holds something open."""
        at = self._span(node)
        ends = " and ".join(f"`{each}()`" for each in methods)
        message = f"`{name}` may be overwritten before {ends} is called on what it holds."
        found = self._finding(UNCLOSED_RESOURCE, NOT_CALLED, kind, at, at, self._text(at), message, (at,), "")
        return msgspec.structs.replace(found, methods=methods)

    def overridden(self, resource: str, acquired: Span, lost: Span, message: str, field: str) -> Finding:
        """An inherited field that a method which overrides its release leaves open."""
        return self._finding(UNCLOSED_RESOURCE, OVERRIDDEN, resource, acquired, lost, field, message, (lost,), field)

    def declared(self, rule: Rule, detail: str, at: Span, message: str, resource: str = "", variable: str = "") -> Finding:
        """Something that is wrong with a declaration."""
        return self._finding(rule, detail, resource, at, at, self._text(at), message, (at,), variable)

    def proved(self, node: int) -> Finding:
        """That what a call hands out is released."""
        return self.declared(UNCLOSED_RESOURCE, PROVED, self._span(node), "Every obligation is met.")

    def contradiction(self, detail: str, at: Span, message: str) -> Finding:
        """An annotation that the code, or another annotation, contradicts."""
        return self.declared(CONTRADICTED_ANNOTATION, detail, at, message)

    def _finding(
        self, rule: Rule, detail: str, resource: str, acquired: Span, lost: Span, text: str, message: str,
        exits: tuple[Span, ...], variable: str,
    ) -> Finding:  # fmt: skip
        steps = (Step(Role.ACQUIRE, acquired, f"`{text}`"), Step(Role.EXIT, lost, message))
        return Finding(
            rule=rule.id, cwe=rule.cwe, language="java", detectors=(NAME,), confidence=Confidence.ASSUMED,
            path=self._linked.key.path, procedure=self._linked.key.name, resource=resource or "java.lang.Object",
            variable=variable, message=message, witness=steps, acquired=acquired, lost=lost, exits=exits, text=text,
            detail=detail,
        )  # fmt: skip

    # --- places

    def span_of(self, start: int, end: int) -> Span:
        """A place in the procedure."""
        origin = self._linked.body.start
        return Span(self._linked.key.path, origin + start, origin + end)

    def _span(self, node: int) -> Span:
        instruction = self._linked.body.nodes[node]
        return self.span_of(instruction.start, instruction.end)

    def node_span(self, node: int) -> Span:
        """The place of an instruction."""
        return self._span(node)

    def header(self) -> Span:
        """The declaration of the procedure without annotations and body."""
        body = self._linked.body
        entry = body.nodes[ir.ENTRY]
        source = self._queries.source_of(self._linked.key)
        whole, _, last = body.name.partition("(")[0].rpartition(".")
        name = (whole.rpartition(".")[2] if last == "<init>" else last).rpartition("$")[2].encode()
        found = source.find(name + b"(", entry.start, max(body.header_end - body.start, entry.end))
        return self.span_of(found, found + len(name)) if found >= 0 else self.span_of(entry.start, entry.start + 1)

    def _lost_span(self, loss: Loss) -> Span:
        return self._span(loss.node)

    def _thrown(self, lost: Span) -> str:
        """On which way out: named after what throws, if that is no end of a `finally`."""
        text = self._shortened(lost)
        return f"when `{text}` throws" if text != "}" else "when an exception leaves the method"

    def _left(self, lost: Span) -> str:
        """On which return: by its text, if it is no end of a body."""
        text = self._shortened(lost)
        return f"on the path to `{text}`" if text.startswith("return") else "at the end of the procedure"

    def _text(self, at: Span) -> str:
        origin = self._linked.body.start
        inside = at.path == self._linked.key.path and at.start >= origin and at.end <= self._linked.body.end
        text = self._queries.text(self._linked.key, at.start - origin, at.end - origin) if inside else ""
        return " ".join(text.split())

    def _shortened(self, at: Span) -> str:
        text = self._text(at)
        return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"

    def _when(self, loss: Loss) -> str:
        match loss.exit:
            case "throw":
                return "when the procedure ends by an exception"
            case "scope":
                return "when it goes out of scope"
            case "overwrite":
                return "before its last name is overwritten"
            case _:
                return "at the end of the procedure"


def _shown(place: tuple[str, ...], text: str) -> str:
    names = [ir.source_name(each) for each in place if each]
    if not names or ir.is_temporary(place[0]):
        return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    return ".".join(names)


def _variable(place: tuple[str, ...]) -> str:
    return ir.source_name(place[0]) if len(place) == 1 and not ir.is_temporary(place[0]) else ""
