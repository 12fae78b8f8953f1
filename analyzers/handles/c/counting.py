"""Reference counts of C: who counts an object down gives up what he holds of it, who counts it up shares it.

`if (--p->refs == 0) free(p);` releases p for its caller whatever the count is; `p->refs++` in a procedure that was
passed p is a share of its own, so that p stays with the caller, and what keeps the share keeps nothing of his. A procedure that counts up what it has
itself acquired is out of sight from there on. Counting down is known by its shape, counting up by the name of the member. Reports too much never for that; misses
shares that nobody gives up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from analyzers import ir
from analyzers.domains.access_path import Paths
from analyzers.domains.obligation import RELEASED, RETAINED, SETTLED, Fact
from analyzers.handles.c.counters import is_counter
from analyzers.handles.callees import CallSites
from analyzers.handles.flows import After, Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_releaser, words_of

Direction = Literal["up", "down"]

_UP = frozenset(("add", "inc", "increment"))
_DOWN = frozenset(("dec", "decrement", "sub"))


def counts(scene: Scene, sites: CallSites) -> Mapping[int, tuple[str, Direction]]:
    """The nodes that count an object up or down, with the variable that points to it."""
    if scene.is_java:
        return {}
    steps = [*_stores(scene), *_atomics(scene)]
    released = _released(scene, sites) if any(way == "down" for *_, way in steps) else frozenset()
    found: dict[int, tuple[str, Direction]] = {}
    for node, base, field, way in steps:
        variable = _variable(scene, base)
        is_end = way == "down" and variable in released and _is_tested(scene, node, base, field)
        if is_end or (way == "up" and is_counter(field)):
            found[node] = (variable, way)
    return found


def counted_flow(flows: Flows, node: int, variable: str, way: Direction, plain: Flow | None) -> Flow:
    """The flow function of a node that counts an object."""
    flows.notice(node, [(variable,)])

    def flow(fact: Fact) -> Sequence[tuple[int, Fact]]:
        paths, environment, marks = fact
        if paths & flows.table.starting_with((variable,)) and not marks & SETTLED:
            own = _as_passed(flows, paths) if way == "up" and flows.is_entry else 0
            if own:
                flows.leave(node, "return", (own, environment, marks))
                return ()
            fact = (0, environment, marks | (RELEASED if way == "down" else RETAINED))
        if plain is not None:
            return plain(fact)
        after: After = []
        flows.go(node, fact, fact[0], after)
        return after

    return flow


def _as_passed(flows: Flows, paths: Paths) -> Paths:
    """Those of the paths that are the one by which the caller passed the handle."""
    own = 0
    for path in flows.table.list(paths):
        if flows.scene.exported(path) == flows.obligation.entry:
            own |= flows.table.single(path)
    return own


_Step = tuple[int, str, str, Direction]


def _stores(scene: Scene) -> Iterator[_Step]:
    """`p->n = p->n + 1`, however it is written."""
    made = {node.dst: node for node in scene.nodes if isinstance(node, ir.Op | ir.Load)}
    for number, node in enumerate(scene.nodes):
        if not isinstance(node, ir.Store) or not node.base:
            continue
        step = made.get(node.src)
        if not isinstance(step, ir.Op) or len(step.operands) != 2 or step.operands[1] != "=1" or step.operator not in ("+", "-"):
            continue
        before = made.get(step.operands[0])
        if isinstance(before, ir.Load) and (before.field, before.base) == (node.field, node.base):
            yield number, node.base, node.field, "up" if step.operator == "+" else "down"


def _atomics(scene: Scene) -> Iterator[_Step]:
    """`atomic_fetch_sub(&p->n, 1)` and its like, `atomic_add(&p->n, -1)` too."""
    places = {node.dst: node for node in scene.nodes if isinstance(node, ir.AddressOf) and node.base and node.field}
    for number, node in enumerate(scene.nodes):
        if not isinstance(node, ir.Call):
            continue
        place = next((places[each] for each in node.args if each in places), None)
        words = frozenset(words_of(node.name))
        if place is None or _UP.isdisjoint(words) == _DOWN.isdisjoint(words):
            continue
        is_down = _UP.isdisjoint(words) != ("=-1" in node.args)
        yield number, place.base, place.field, "down" if is_down else "up"


def _variable(scene: Scene, base: str) -> str:
    place = scene.loads.get(base, ()) if ir.is_temporary(base) else ()
    return place[0] if len(place) == 1 else base


def _released(scene: Scene, sites: CallSites) -> frozenset[str]:
    """The variables that point to what the procedure may release."""
    found = set()
    for site in sites.sites.values():
        names = [move.entry[0] for move in site.moves if len(move.entry) == 1 and any(end.fate == "released" for end in move.outcomes)]
        if site.effects is None and is_releaser(site.call.name):
            names += site.call.args[:1]
        found |= {_variable(scene, name) for name in names}
    return frozenset(found)


def _is_tested(scene: Scene, node: int, base: str, field: str) -> bool:
    """Whether the procedure asks whether the count has come to its end."""
    instruction = scene.nodes[node]
    read = {each.dst for each in scene.nodes if isinstance(each, ir.Load) and (each.base, each.field) == (base, field)}
    names = read | {instruction.src if isinstance(instruction, ir.Store) else getattr(instruction, "dst", "")}
    for each in scene.nodes:
        if isinstance(each, ir.Copy) and each.src in names:
            names.add(each.dst)
        if isinstance(each, ir.Op) and each.operator in ("cast", "-", "!", "==") and each.operands and each.operands[0] in names:
            names.add(each.dst)
    return any(
        isinstance(each, ir.Branch) and each.left in names and (each.right in ("", "=0", "=1", "=null") or not each.right)
        for each in scene.nodes
    )
