"""The Resource Leak Checker: what must be called is called before an object becomes unreachable.

Kellogg, Shadab, Sridharan, Ernst: Lightweight and Modular Resource Leak Verification (ESEC/FSE 2021): must-call
against called methods (2), ownership (3), resource aliases (4), new obligations (5). In files that use its annotations
they are law, and so are the defaults where one is missing. Reports too much when conditions correlate;
misses what containers keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzers import ir
from analyzers.detectors.resource_leak_checker.consistency import Consistency
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Method
from analyzers.detectors.resource_leak_checker.obligations import Loss, Obligation
from analyzers.detectors.resource_leak_checker.report import NAME, Reporter
from analyzers.detectors.resource_leak_checker.scene import Scene
from analyzers.finding import Finding, Note, NoteKind
from analyzers.queries import Linked, ProcedureKey, Queries
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
            if not declarations.is_written_for(key.path):
                continue
            linked = queries.linked(key)
            if linked is not None:
                yield from _Check(linked, declarations).findings()


class _Check:
    """One procedure of a file that is written for the checker."""

    def __init__(self, linked: Linked, declarations: Declarations) -> None:
        self._linked = linked
        self._declarations = declarations
        self._scene = Scene(linked, declarations, _declaration(linked, declarations))
        self._reporter = Reporter(linked, declarations.queries)

    def findings(self) -> Iterator[Finding | Note]:
        """Leaks first, then what is wrong with annotations."""
        obligations = self._scene.obligations()
        if obligations:
            outcome = Consistency(self._scene, obligations).solve()
            yield from self._lost(outcome.losses)
            if not outcome.is_complete:
                span = Span(self._linked.key.path, self._linked.body.start, self._linked.body.end)
                yield Note(NoteKind.BUDGET, span, f"gave up checking the obligations of {self._linked.key.name}")

    def _lost(self, losses: Iterable[Loss]) -> Iterator[Finding]:
        grouped: dict[object, list[Loss]] = {}
        for loss in losses:
            where: object = loss.obligation
            if loss.obligation.kind == "field":
                where = ("field", loss.node)
            grouped.setdefault(where, []).append(loss)
        for same in grouped.values():
            yield self._reporter.lost(same, self._place(same[0].obligation))

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
