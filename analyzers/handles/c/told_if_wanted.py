"""What a procedure of C tells its caller through a pointer only where there is one: `if (error != NULL) *error = code;`.

Who passes null has no such place, and whatever is said of it is true. So both sides of the test say of the place what is stored there,
and where they meet that is still known. Misses what is stored behind other tests, or together with something else.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains.obligation import Fact
from analyzers.handles.flows import Flow, Flows
from analyzers.handles.scene import Scene


def told_if_wanted(flows: Flows, node: int, branch: ir.Branch, flow: Flow | None) -> Flow | None:
    """The flow function of a test of a formal behind which nothing is done but to store where it points to."""
    found = _told(flows, node, branch)
    if found is None:
        return flow
    subject, store, source, without = found
    value = flows.reader(store, source)

    def told(fact: Fact) -> Sequence[tuple[int, Fact]]:
        known = value(fact[0], fact[1])  # Before the test: behind it, on that side, nobody asks for what is stored.
        after = flow(fact) if flow is not None else [(successor, fact) for successor in flows.scene.cfg.successors[node]]
        return [
            (successor, (paths, flows.environments.assign(environment, subject, known), marks) if successor == without else (paths, environment, marks))
            for successor, (paths, environment, marks) in after
        ]

    return told


def sides_of(scene: Scene, node: int, branch: ir.Branch, formal: str) -> tuple[int, int] | None:
    """Where a test whether a formal of C points anywhere leads to if it does, and if not; None for other tests. Misses a formal
    that is assigned before: that is for the caller to ask."""
    successors = scene.linked.next[node]
    is_test = branch.operator == "true" or (branch.operator in ("==", "!=") and branch.right in ("=null", "=0"))
    if scene.is_java or formal not in scene.formals or not is_test or len(successors) != 2:
        return None
    given, other = successors[::-1] if branch.operator == "==" else successors
    return given, other


def _told(flows: Flows, node: int, branch: ir.Branch) -> tuple[int, int, str, int] | None:
    """The number of the place, the store and what it stores, and where the test leads to if there is no place."""
    scene, formal = flows.scene, branch.left
    place = (formal, "*")
    if place not in flows.subjects.told or formal in scene.assigned_formals:
        return None
    sides = sides_of(scene, node, branch, formal)
    if sides is None:
        return None
    stored, without = sides
    match scene.nodes[stored]:
        case ir.Store(base=base, field="*", src=source) if base == formal and scene.cfg.normal[stored] == (without,):
            return flows.environments.numbers[place], stored, source, without
        case _:
            return None
