"""Code without annotations: what inference is sure of, and nobody else looks at.

A method that releases an owned field on every return has to release it when it throws, too: after it, nobody else will
(`contracts.exceptional.postcondition` of annotated code). Reports too much when a caller tries again; misses fields
that are released by methods of other names.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker.consistency import Consistency
from analyzers.detectors.resource_leak_checker.declarations import Declarations
from analyzers.detectors.resource_leak_checker.inference import Inference
from analyzers.detectors.resource_leak_checker.obligations import Loss, Obligation
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.detectors.resource_leak_checker.scene import Scene
from analyzers.finding import Finding
from analyzers.queries import Linked, ProcedureKey

DESTRUCTORS = frozenset((
    "close", "dispose", "shutdown", "shutDown", "destroy", "release", "cleanup", "cleanUp", "terminate", "disconnect",
    "finish", "stop",
))  # fmt: skip
"""Methods that end the life of their object by name; others may be called again."""

_UNCHECKED = ("java.lang.RuntimeException", "java.lang.Error")


def is_destructor(key: ProcedureKey) -> bool:
    """Whether a method is one of those, without parameters."""
    return key.name.endswith("()") and key.name[:-2].rpartition(".")[2] in DESTRUCTORS


def unreleased(linked: Linked, declarations: Declarations) -> Iterator[Finding]:
    """The owned fields that a destructor does not release when something before it throws."""
    owner = linked.body.owner
    facts = Inference(declarations).facts(owner)
    released = facts.ensured.get(linked.key.name, ())
    if not released:
        return
    scene = Scene(linked, declarations, None)
    types = {each.declaration.name: each.type for each in declarations.fields(owner)}
    obligations = [
        Obligation("ensured", ir.ENTRY, ("this", name), frozenset(declarations.must_call(types[name])), types[name])
        for name in released
    ]
    outcome = Consistency(scene, obligations).solve()
    by_field: dict[str, list[Loss]] = {}
    for loss in outcome.losses:
        if loss.exit == "throw" and _is_declared(loss.node, scene):
            by_field.setdefault(loss.obligation.place[1], []).append(loss)
    if outcome.is_complete:
        reporter = Reporter(linked, declarations.queries)
        for name in sorted(by_field):
            yield reporter.kept_open(name, by_field[name], _use(name, scene))


def _is_declared(node: int, scene: Scene) -> bool:
    """Whether a node throws what somebody has to expect: a statement says so, or some exception is
    checked and known to be thrown."""
    if isinstance(scene.nodes[node], ir.Throw):
        return True
    if node in scene.linked.believed:
        return False
    queries = scene.declarations.queries
    return any(
        all(queries.is_subtype(name, each) is False for each in _UNCHECKED) for name in scene.linked.thrown.get(node, ())
    )


def _use(name: str, scene: Scene) -> int:
    """Where the method first touches the field."""
    for node in scene.cfg.order:
        load = scene.nodes[node]
        if isinstance(load, ir.Load) and (load.base, load.field) == ("this", name):
            return node
    return ir.ENTRY
