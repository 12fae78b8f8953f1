"""A small analysis for tests of the Program: which functions a call may reach, and who calls `leak`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.engine import StandardEngine
from analyzers.finding import Confidence, Finding, Role, Step
from analyzers.incremental.evaluation import Detector
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.source import Span
from analyzers.summaries import Effects


class ReachEngine(StandardEngine):
    """The Effects of a procedure read (and throw) `::f` for every `f` that it may reach; counts what it is asked to do."""

    def __init__(self) -> None:
        super().__init__()
        self.lowered: list[bytes] = []
        self.linked: list[ProcedureKey] = []
        self.summarised: list[ProcedureKey] = []

    def lower(self, language: str, data: bytes) -> ir.Unit:
        self.lowered.append(data)
        return super().lower(language, data)

    def link(self, key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> Linked:
        self.linked.append(key)
        return super().link(key, unit, procedure, queries)

    def summarise(self, linked: Linked, queries: Queries) -> Effects:
        self.summarised.append(linked.key)
        reached = set()
        for place, target in linked.targets.items():
            call = linked.body.nodes[place]
            assert isinstance(call, ir.Call)
            reached.add(("::" + call.name,))
            for callee in target.procedures:
                reached.update(queries.effects(callee).reads)
        return Effects(reads=tuple(sorted(reached)), throws=tuple(sorted(name for (name,) in reached)))


class ReachDetector:
    """Reports every procedure that may reach `leak`."""

    name = "reach"
    languages = frozenset(("c", "java"))

    def __init__(self) -> None:
        self.asked: list[ProcedureKey] = []

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterator[Finding]:
        for key in keys:
            self.asked.append(key)
            linked = queries.linked(key)
            if linked is None or ("::leak",) not in queries.effects(key).reads:
                continue
            body = linked.body
            for node in body.nodes:
                if isinstance(node, ir.Call) and node.name == "leak":
                    yield _finding(key, Span(key.path, body.start + node.start, body.start + node.end))
            yield _finding(key, Span(key.path, body.start, body.end))


def _finding(key: ProcedureKey, span: Span) -> Finding:
    step = Step(Role.ACQUIRE, span, "here")
    return Finding(
        rule="reach", cwe=401, language="c", detectors=("reach",), confidence=Confidence.WITNESSED, path=key.path,
        procedure=key.name, resource="r", variable="", message="reached", witness=(step,), acquired=span, lost=span,
        text="leak",
    )  # fmt: skip


DETECTORS: tuple[Detector, ...] = (ReachDetector(),)
