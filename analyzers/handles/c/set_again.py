"""Globals of C that a procedure sets more than once: what it put there first is lost if nobody has looked there in between.

`name = strdup(a); name = strdup(b);` Only a procedure's own stores count, and only to the global itself. Any call that may look at
the global, a pointer to it, and whoever else might (volatile ones) has the handle from there on. Misses what is lost from one call
of the procedure to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import ir
from analyzers.domains.obligation import RETAINED, Fact
from analyzers.graphs.operands import used
from analyzers.handles.c.passing_globals import holding_names
from analyzers.handles.callees import ANY_GLOBAL, CallSites
from analyzers.handles.flows import Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite

_SHARED = frozenset(("volatile", "atomic"))


def set_again(scene: Scene, sites: CallSites) -> frozenset[str]:
    """The globals, as roots of access paths."""
    if scene.body.kind == "initialiser":
        return frozenset()
    stores: dict[str, list[int]] = {}
    for node in scene.cfg.order:
        match scene.nodes[node]:
            case ir.Store(base=base, field=field):
                place = scene.normalise((base, field) if base else (f"::{field}",))
                if len(place) == 1 and place[0][:2] == "::":
                    stores.setdefault(place[0], []).append(node)
    if not stores:
        return frozenset()
    own = holding_names(scene, sites)
    found = [
        name for name, nodes in stores.items()
        if any(scene.loads.get(src := _stored(scene, node), (src,))[0] in own for node in nodes) and _is_again(scene, nodes)
    ]
    ends = _ends_of_lists(scene, stores)
    return frozenset(name for name in found if name not in ends and not _is_shared(scene, name) and not _is_handed_on(scene, name))


def _ends_of_lists(scene: Scene, stores: Mapping[str, Sequence[int]]) -> set[str]:
    """The globals that are ends of lists: what is put there is linked behind what was there (`if (last) last->next = node; last = node;`)."""
    linked: dict[str, set[str]] = {}
    for node in scene.nodes:
        if isinstance(node, ir.Store) and node.base and len(root := scene.loaded_from((node.base,))) == 1 and root[0] in stores:
            linked.setdefault(root[0], set()).add(node.src)
    return {name for name, sources in linked.items() if any(_stored(scene, node) in sources for node in stores[name])}


def _stored(scene: Scene, node: int) -> str:
    store = scene.nodes[node]
    return store.src if isinstance(store, ir.Store) else ""


def _is_again(scene: Scene, nodes: Sequence[int]) -> bool:
    """Whether one of these stores can follow another one, or itself."""
    return any(not scene.cfg.reachable_from(node).isdisjoint(nodes) for node in nodes) if len(nodes) > 1 or scene.cfg.is_cyclic else False


def _is_shared(scene: Scene, name: str) -> bool:
    """Whether somebody else may look at a global at any time."""
    unit = scene.queries.unit(scene.linked.key.path)
    whole = name[2:].partition(".")[0]
    return unit is None or any(each.name == whole and not _SHARED.isdisjoint(each.attributes) for each in unit.globals)


def _is_handed_on(scene: Scene, name: str) -> bool:
    """Whether a pointer to a global, or to what it is a part of, is used for more than to look behind it."""
    whole = name[2:].partition(".")[0]
    pointers = [
        node.dst for node in scene.nodes
        if isinstance(node, ir.AddressOf) and not node.base and node.field.partition(".")[0] == whole
    ]
    return any(
        pointer not in scene.addresses or any(
            pointer in used(node) and not isinstance(node, ir.Load) and not (isinstance(node, ir.Store) and node.src != pointer)
            for node in scene.nodes
        )
        for pointer in pointers
    )


def looked_at(flows: Flows, node: int, site: CallSite, flow: Flow | None) -> Flow | None:
    """The flow function of a call that may look at such globals: what lies there is the callee's affair, too."""
    roots = [(name,) for name in sorted(flows.scene.set_again) if _may_look(site, name)]
    if not roots:
        return flow
    table, successors = flows.table, flows.scene.cfg.successors[node]
    flows.notice(node, roots)

    def looked(fact: Fact) -> Sequence[tuple[int, Fact]]:
        paths, environment, marks = fact
        if paths and any(paths & table.starting_with(root) for root in roots):
            fact = (0, environment, marks | RETAINED)
        return flow(fact) if flow is not None else [(successor, fact) for successor in successors]

    return looked


def _may_look(site: CallSite, name: str) -> bool:
    """Whether a callee may read or write a global. A library knows nothing of the program's, unless it calls the program back."""
    effects = site.effects
    if effects is None or not effects.is_known or effects.invokes:
        return True
    if site.is_library:
        return False
    whole = name.partition(".")[0]
    paths = (*effects.reads, *effects.writes, *effects.retains, *(each.entry for each in effects.transfers if each.entry))
    targets = (path for each in effects.transfers for outcome in each.outcomes for path in outcome.paths)
    return any(path[:1] == ANY_GLOBAL or path[0].partition(".")[0] == whole for path in (*paths, *targets))
