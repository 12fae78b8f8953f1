"""Loops of C that free the elements of an array: on their way out, none is left.

`for (i = 0; i < n; i++) free(all[i]); free(all);` frees what `all` holds, however many there are: the path on which
the loop does not turn while an element is held is not one of the program. Misses a loop that frees some elements only.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.obligation import RELEASED, SETTLED, Fact
from analyzers.graphs.dominators import dominates, dominators
from analyzers.graphs.loops import natural_loop
from analyzers.handles.callees import CallSites
from analyzers.handles.flows import After, Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

Edge = tuple[int, int]


def freed_at(scene: Scene, sites: CallSites) -> dict[Edge, tuple[AccessPath, ...]]:
    """Per edge on which a loop ends by its test, the elements that its turns free."""
    freed = {node: paths for node in sites.sites if (paths := _freed(scene, sites, node))}
    if not freed:
        return {}
    found: dict[Edge, dict[AccessPath, None]] = {}
    tree = dominators(scene.cfg)
    for loop in _loops(scene):
        for node in sorted(loop.intersection(freed)):
            for test in sorted(loop):
                if isinstance(scene.nodes[test], ir.Branch) and dominates(tree, test, node):
                    for successor in scene.cfg.normal[test]:
                        if successor not in loop:
                            found.setdefault((test, successor), {}).update(dict.fromkeys(freed[node]))
    return {edge: tuple(paths) for edge, paths in found.items()}


def ending(flows: Flows, flow: Flow, freed: dict[int, tuple[AccessPath, ...]]) -> Flow:
    """The flow function of a loop's test: elements that the loop frees (per successor) are gone behind it."""
    table = flows.table

    def turned(fact: Fact) -> After:
        after: After = []
        for successor, (paths, environment, marks) in flow(fact):
            gone = 0
            for path in freed.get(successor, ()):
                gone |= table.exact(path)
            if not paths & gone or marks & SETTLED:
                after.append((successor, (paths, environment, marks)))
            elif flows.is_entry:
                after.append((successor, (0, environment, marks | RELEASED)))
        return after

    return turned


def _freed(scene: Scene, sites: CallSites, node: int) -> tuple[AccessPath, ...]:
    """The elements that a call frees, by all their names."""
    return tuple(
        name
        for move in sites.sites[node].moves
        if any(outcome.fate == "released" for outcome in move.outcomes)
        for name in _names(scene, move.entry)
        if name[-1] == "[]"
    )


def _names(scene: Scene, path: AccessPath) -> list[AccessPath]:
    """A path, and the places that its root is loaded from."""
    names = [scene.normalise(path)]
    while names[-1][0] in scene.loads and len(names) < 4:
        last = names[-1]
        names.append(scene.normalise(scene.loads[last[0]] + last[1:]))
    return names


def _loops(scene: Scene) -> list[frozenset[int]]:
    position = scene.cfg.position
    headers = {
        successor for node in scene.cfg.order for successor in scene.cfg.successors[node]
        if position[successor] <= position[node]
    }
    return [natural_loop(scene.linked.next, scene.linked.raises, header) for header in sorted(headers)]
