"""The Resource Leak Checker: what must be called is called before an object becomes unreachable.

Kellogg, Shadab, Sridharan, Ernst: Lightweight and Modular Resource Leak Verification (ESEC/FSE 2021): must-call
against called methods (2), ownership (3), resource aliases (4), new obligations (5). In files that use its annotations
they are law, and so are the defaults where one is missing. Reports too much when conditions correlate;
misses what containers keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker.classes import contradictions, unowned_fields
from analyzers.detectors.resource_leak_checker.consistency import Consistency
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Method
from analyzers.detectors.resource_leak_checker.half_begun import half_begun
from analyzers.detectors.resource_leak_checker.holders import forgotten
from analyzers.detectors.resource_leak_checker.obligations import Loss, Obligation
from analyzers.detectors.resource_leak_checker.overridden import unended
from analyzers.detectors.resource_leak_checker.overwritten import overwritten
from analyzers.detectors.resource_leak_checker.parameters import left_open
from analyzers.detectors.resource_leak_checker.plain import is_destructor, unreleased
from analyzers.detectors.resource_leak_checker.promises import (
    DECLARATION,
    Problem,
    broken,
    creations,
    declared,
    promised,
    unprepared,
    untracked,
)
from analyzers.detectors.resource_leak_checker.report import NAME, Reporter
from analyzers.detectors.resource_leak_checker.scene import Scene
from analyzers.detectors.resource_leak_checker.skipped import skipped
from analyzers.detectors.resource_leak_checker.suppressions import is_suppressed
from analyzers.finding import NOT_CALLED, Finding, Note, NoteKind
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNCLOSED_RESOURCE
from analyzers.source import Span

__all__ = ["ResourceLeakChecker"]


class ResourceLeakChecker:
    """The detector."""

    @property
    def name(self) -> str:
        """See `Detector`."""
        return NAME

    @property
    def languages(self) -> frozenset[str]:
        """See `Detector`."""
        return frozenset(("java",))

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterable[Finding | Note]:
        """The findings of these procedures."""
        for key in keys:
            declarations = Declarations(queries)
            is_law = declarations.is_written_for(key.path)
            linked = queries.linked(key) if is_law or is_destructor(key) else None
            if linked is not None:
                yield from _Check(linked, declarations).findings() if is_law else (*unreleased(linked, declarations), *skipped(linked, declarations))
            if not is_law:
                yield from forgotten(key, declarations)
                yield from left_open(key, declarations)
                yield from overwritten(key, declarations)
                yield from half_begun(key, declarations)
                yield from unended(key, declarations)


class _Check:
    """One procedure of a file that is written for the checker."""

    def __init__(self, linked: Linked, declarations: Declarations) -> None:
        self._linked = linked
        self._declarations = declarations
        self._method = _declaration(linked, declarations)
        self._scene = Scene(linked, declarations, self._method)
        self._reporter = Reporter(linked, declarations.queries)

    def findings(self) -> Iterator[Finding | Note]:
        """Leaks first, then what is wrong with annotations."""
        for found in (*self._in_body(), *self._of_declaration(), *self._of_class()):
            if isinstance(found, Note) or not is_suppressed(found.detail, self._attributes()):
                yield found

    def _attributes(self) -> tuple[str, ...]:
        declared = self._declarations.declared(self._linked.body.owner)
        return (*self._linked.body.attributes, *(declared[1].attributes if declared is not None else ()))

    def _in_body(self) -> Iterator[Finding | Note]:
        scene = self._scene
        obligations = [*scene.obligations(), *promised(scene)]
        outcome = Consistency(scene, obligations).solve()
        if created := list(untracked(scene, outcome)):
            outcome = Consistency(scene, [*obligations, *created]).solve()
        if not outcome.is_complete:
            span = Span(self._linked.key.path, self._linked.body.start, self._linked.body.end)
            yield Note(NoteKind.BUDGET, span, f"gave up checking the obligations of {self._linked.key.name}")
        if outcome.is_complete:
            yield from self._proofs({each.obligation.node for each in outcome.losses})
        promises = [each for each in outcome.losses if each.obligation.kind in ("ensured", "alias")]
        yield from self._lost(each for each in outcome.losses if each not in promises)
        for problem in (*broken(promises, scene), *creations(scene, outcome), *unprepared(outcome)):
            yield self._contradiction(problem)

    def _proofs(self, lost: set[int]) -> Iterator[Finding]:
        """What calls hand out that is released, or that annotations say is not theirs to hand out."""
        for node in self._scene.cfg.order:
            call = self._linked.body.nodes[node]
            if isinstance(call, ir.Call) and node not in lost and self._scene.is_settled(node, call):
                yield self._reporter.proved(node)

    def _of_declaration(self) -> Iterator[Finding]:
        if self._method is not None:
            for problem in declared(self._method, self._declarations):
                yield self._contradiction(problem)

    def _contradiction(self, problem: Problem) -> Finding:
        reporter = self._reporter
        span = reporter.header() if problem.node == DECLARATION else reporter.node_span(problem.node)
        return reporter.contradiction(problem.detail, span, problem.message)

    def _of_class(self) -> Iterator[Finding]:
        """The checks of a class, told with its first constructor."""
        method, declarations = self._method, self._declarations
        if method is None or not self._scene.is_constructor:
            return
        first = next(each for each in declarations.methods(method.owner) if each.name == method.name)
        if first.procedure != method.procedure:
            return
        for problem in unowned_fields(method.owner, declarations):
            if not is_suppressed(problem.detail, problem.attributes):
                found = self._reporter.declared(
                    UNCLOSED_RESOURCE, problem.detail, problem.span, problem.message, problem.resource, problem.variable
                )
                yield msgspec.structs.replace(found, methods=problem.methods)
        for problem in contradictions(method.owner, declarations):
            yield self._reporter.contradiction(problem.detail, problem.span, problem.message)

    def _lost(self, losses: Iterable[Loss]) -> Iterator[Finding]:
        grouped: dict[object, list[Loss]] = {}
        for loss in losses:
            where: object = loss.obligation
            if loss.obligation.kind == "field":
                where = ("field", loss.node)
            grouped.setdefault(where, []).append(loss)
        for same in grouped.values():
            if self._is_silenced(same[0].obligation):
                continue
            yield self._reporter.lost(same, self._place(same[0].obligation))

    def _is_silenced(self, obligation: Obligation) -> bool:
        """Whether the variable or field that it is about bears a suppression."""
        names = {obligation.place[-1]} if obligation.place else set()
        call = self._linked.body.nodes[obligation.node]
        made = call.receiver or call.dst if isinstance(call, ir.Call) else ""
        names |= {node.dst for node in self._linked.body.nodes if isinstance(node, ir.Copy) and made and node.src == made}
        variables = (each.attributes for each in self._linked.body.variables if each.name in names)
        return any(is_suppressed(NOT_CALLED, each) for each in variables)

    def _place(self, obligation: Obligation) -> Span | None:
        """Where an obligation is declared that has no instruction of its own."""
        if obligation.kind != "parameter":
            return None
        variable = next(each for each in self._linked.body.variables if each.name == obligation.place[0])
        start = variable.declared
        return self._reporter.span_of(start, start + len(ir.source_name(variable.name).encode()))


def _declaration(linked: Linked, declarations: Declarations) -> Method | None:
    own = declarations.methods(linked.body.owner)
    return next((each for each in own if each.procedure == linked.key.name), None)
