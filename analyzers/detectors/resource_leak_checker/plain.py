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
from analyzers.handles.unknown import words_of
from analyzers.queries import Linked, ProcedureKey, Queries

DESTRUCTORS = frozenset((
    "close", "dispose", "shutdown", "shutDown", "destroy", "release", "cleanup", "cleanUp", "terminate", "disconnect",
    "finish", "stop",
))  # fmt: skip
"""Methods that end the life of their object by name; others may be called again."""

_ASKING = ("get", "compareAndSet", "getAndSet")
"""Methods of atomic flags."""

_GUARDS = ("assert", "check", "ensure", "validate", "verify")

_STEPS = 12
"""Instructions at the beginning of a destructor among which its test may stand."""

_UNCHECKED = ("java.lang.RuntimeException", "java.lang.Error")


def is_destructor(key: ProcedureKey) -> bool:
    """Whether a method is one of those, without parameters."""
    return key.name.endswith("()") and simple_name(key) in DESTRUCTORS


def simple_name(key: ProcedureKey) -> str:
    """The simple name of a method."""
    return key.name.partition("(")[0].rpartition(".")[2]


def unreleased(linked: Linked, declarations: Declarations) -> Iterator[Finding]:
    """The owned fields that a destructor does not release when something before it throws."""
    owner, name = linked.body.owner, simple_name(linked.key)
    if "private" in linked.body.attributes:
        return
    owned = Inference(declarations).released_by(owner, name)
    if not owned:
        return
    scene = Scene(linked, declarations, None)
    types = {each.declaration.name: each.type for each in declarations.fields(owner)}
    first = first_work(scene)
    obligations = [
        Obligation("ensured", ir.ENTRY, ("this", each), frozenset(declarations.must_call(types[each])), types[each], first)
        for each in owned
    ]
    outcome = Consistency(scene, obligations).solve()
    by_field: dict[str, list[Loss]] = {}
    kept = {loss.obligation.place[1] for loss in outcome.losses if loss.exit != "throw"}
    for loss in outcome.losses:
        is_asking = is_guard(scene.nodes[loss.node]) or _is_refusal(loss.node, scene, linked, declarations.queries)
        is_asking = is_asking or is_making(loss.node, loss.obligation.place[1], linked, declarations.queries)
        if loss.obligation.place[1] not in kept and not is_asking and is_expected(loss.node, linked, declarations.queries):
            by_field.setdefault(loss.obligation.place[1], []).append(loss)
    if outcome.is_complete:
        reporter = Reporter(linked, declarations.queries)
        for each in sorted(by_field):
            yield reporter.kept_open(each, by_field[each], _use(each, scene))


def first_work(scene: Scene) -> int:
    """Where a destructor begins its work: past the question whether it was done before (`if (!closed)`)."""
    node, tested = ir.ENTRY, {""}
    for _ in range(_STEPS):
        following = scene.cfg.normal[node]
        if len(following) == 2 and isinstance(branch := scene.nodes[node], ir.Branch) and branch.left in tested:
            sides = [side for side in following if _is_working(side, scene)]
            return sides[0] if len(sides) == 1 else -1
        if len(following) != 1:
            return -1
        node = following[0]
        match scene.nodes[node]:
            case ir.Load(base="this", dst=dst) | ir.Op(dst=dst, operator="!"):
                tested.add(dst)
            case ir.Call(receiver=receiver, dst=dst, name=name) if receiver in tested and name in _ASKING:
                tested.add(dst)
            case ir.Call() if not scene.cfg.raised[node]:
                continue
            case ir.Call() | ir.Store():
                return -1
            case _:
                continue
    return -1


def is_guard(node: ir.Instruction) -> bool:
    """Whether a node only asks whether the object may still be used (`checkOpen()`)."""
    return isinstance(node, ir.Call) and node.receiver == "this" and words_of(node.name)[:1] in [(each,) for each in _GUARDS]


def _is_refusal(node: int, scene: Scene, linked: Linked, queries: Queries) -> bool:
    """Whether a method throws an unchecked exception before it has called anything: its object must not be used so (`if (closed) throw …`)."""
    thrown = scene.nodes[node]
    if not isinstance(thrown, ir.Throw) or queries.is_subtype(linked.types.get(thrown.src, ""), _UNCHECKED[0]) is not True:
        return False
    return is_at_once(node, scene)


def is_at_once(node: int, scene: Scene) -> bool:
    """Whether a method throws at a node before it has called anything: its object must not be used so."""
    before = (scene.nodes[each] for each in scene.cfg.reaching(node))
    return isinstance(scene.nodes[node], ir.Throw) and all(each.kind in ("new", "special") for each in before if isinstance(each, ir.Call))


def is_making(node: int, field: str, linked: Linked, queries: Queries) -> bool:
    """Whether a node calls a method of the object that gives the field its value: what is opened late is mostly not there yet where that throws."""
    call, target = linked.body.nodes[node], linked.targets.get(node)
    if not isinstance(call, ir.Call) or call.receiver != "this" or target is None:
        return False
    bodies = [found.body for key in target.procedures if (found := queries.linked(key)) is not None]
    stores = (each for body in bodies for each in body.nodes if isinstance(each, ir.Store) and (each.base, each.field) == ("this", field))
    return any(not ir.is_literal(each.src) for each in stores)


def _is_working(node: int, scene: Scene) -> bool:
    """Whether anything is called after a node before the procedure returns."""
    return any(isinstance(scene.nodes[each], ir.Call) for each in scene.cfg.reachable_from(node) | {node})


def is_expected(node: int, linked: Linked, queries: Queries) -> bool:
    """Whether a node throws what somebody has to expect: a statement says so, or some exception is
    checked and known to be thrown."""
    if isinstance(linked.body.nodes[node], ir.Throw):
        return True
    if node in linked.believed:
        return False
    return any(
        all(queries.is_subtype(name, each) is False for each in _UNCHECKED) for name in linked.thrown.get(node, ())
    )


def _use(name: str, scene: Scene) -> int:
    """Where the method first touches the field."""
    for node in scene.cfg.order:
        load = scene.nodes[node]
        if isinstance(load, ir.Load) and (load.base, load.field) == ("this", name):
            return node
    return ir.ENTRY
