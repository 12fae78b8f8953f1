"""Loops that release the elements of an array or a collection, or give them away: on their way out, none is left.

`for (i = 0; i < n; i++) free(all[i]); free(all);` frees what `all` holds, however many there are: the path on which
the loop does not turn while an element is held is not one of the program. So do an iterator whose elements are closed
and a queue that is emptied. Misses a loop that releases some elements only.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH, WRAPPED, Paths, PathTable
from analyzers.graphs.dominators import NONE, dominates
from analyzers.graphs.loops import natural_loop
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Move
from analyzers.handles.unknown import Policy
from analyzers.summaries import BELOW, AccessPath, Outcome

Edge = tuple[int, int]

_LISTS = frozenset(("GList*", "GSList*"))
_HELD_BY_A_CELL = "data"
_NEXT = frozenset(("next", "prev"))

_FEW_STEPS = 4
"""Steps between a block and a pointer to one of its elements."""

MAX_NAMES = 8
"""Names of an element that are looked for."""


def freed_at(scene: Scene, sites: CallSites, owners: frozenset[str]) -> dict[Edge, tuple[AccessPath, ...]]:
    """Per edge on which a loop ends by its test, the elements that its turns free."""
    freed = {node: paths for node in sites.sites if (paths := _freed(scene, sites, node))}
    freed |= {node: paths for node, src in _stored(scene) if (paths := _elements(scene, sites, (src,)))}
    freed |= {node: ((whole,),) for node, whole in _shared_out(scene, sites)}
    given = {node: paths for node in sites.sites if scene.is_java and owners and (paths := _given(scene, sites, node, owners))}
    if not freed and not given:
        return {}
    found: dict[Edge, dict[AccessPath, None]] = {}
    tree = scene.dominators
    for loop in _loops(scene):
        outside = {node: tuple(path for path in paths if _is_from_outside(scene, path, loop)) for node, paths in given.items() if node in loop}
        for node in sorted(loop.intersection(freed).union(outside)):
            for test in sorted(loop):
                if isinstance(scene.nodes[test], ir.Branch) and dominates(tree, test, node):
                    for successor in scene.cfg.normal[test]:
                        if successor not in loop:
                            found.setdefault((test, successor), {}).update(dict.fromkeys((*freed.get(node, ()), *outside.get(node, ()))))
            for edge in _passing_by(scene, loop) if node in freed else ():
                found.setdefault(edge, {}).update(dict.fromkeys(freed[node]))
    return {edge: tuple(paths) for edge, paths in found.items()}


def is_none_left(table: PathTable, paths: Paths, emptied: tuple[AccessPath, ...], *, is_entry: bool) -> bool:
    """Whether a handle is an element of what an edge leaves empty. What a caller of C has given, and others get, is not released by that."""
    is_given = not is_entry and any(table.starting_with(path[:-1]) & paths for path in emptied if path[-1] == BELOW)
    return is_given or any(paths & table.exact(path) for path in emptied)


def _passing_by(scene: Scene, loop: frozenset[int]) -> Iterator[Edge]:
    """The edge past a loop of C that tests at its end how often it turns, and before it whether at all: `if (n) do … while (++i < n);`."""
    if scene.is_java:
        return
    bounds = {
        _place(scene, branch.right) for node in loop
        if isinstance(branch := scene.nodes[node], ir.Branch) and any(each not in loop for each in scene.cfg.normal[node])
    }
    tree = scene.dominators
    above = min(loop, key=lambda node: scene.cfg.position[node])
    while tree[above] not in (above, NONE):
        above = tree[above]
        guard = scene.nodes[above]
        if above not in loop and isinstance(guard, ir.Branch) and guard.operator == "true" and _place(scene, guard.left) in bounds - {()}:
            yield above, scene.cfg.normal[above][-1]
            return


def _place(scene: Scene, operand: str) -> AccessPath:
    """What an operand is loaded from, or the variable that it is; nothing for literals."""
    return scene.loads.get(operand, ()) if ir.is_temporary(operand) else () if not operand or ir.is_literal(operand) else (operand,)


def _given(scene: Scene, sites: CallSites, node: int, owners: frozenset[str]) -> tuple[AccessPath, ...]:
    """The variables whose handle a library call puts into a container of somebody else's: `for (key : keys) map.put(key, in)`."""
    site = sites.sites[node]
    holders = [
        (move.entry, site.actuals.get(path[0], ""))
        for move in site.moves if len(move.entry) == 1 and site.is_library and move.entry[0] in owners
        for outcome in move.outcomes if outcome.fate == "held"
        for path in outcome.paths if len(path) > 1
    ]
    return tuple(entry for entry, holder in holders if holder and holder != entry[0] and not scene.is_fresh(holder))


def _is_from_outside(scene: Scene, path: AccessPath, loop: frozenset[int]) -> bool:
    """Whether a variable has its value before a loop begins."""
    nodes = scene.definitions.get(path[0], ())
    return bool(nodes) and loop.isdisjoint(nodes)


def _freed(scene: Scene, sites: CallSites, node: int) -> tuple[AccessPath, ...]:
    """The elements that a call frees or gives away, by all their names; what C gives away goes with all that it holds (`BELOW`)."""
    site = sites.sites[node]
    entries = [move.entry for move in site.moves if any(each.fate == "released" or _is_away(scene, move, each) for each in move.outcomes)]
    given = [each.path for each in site.exposures if each.policy is Policy.ESCAPE]
    entries += given if scene.is_java else []
    away = [] if scene.is_java else [(*name, BELOW) for entry in given for name in _elements(scene, sites, entry)]
    return (*(name for entry in entries for name in _elements(scene, sites, entry)), *away)


def _stored(scene: Scene) -> Iterator[tuple[int, str]]:
    """What Java stores into objects: into fields, and as what a lambda captures."""
    for node in scene.cfg.order if scene.is_java else ():
        match scene.nodes[node]:
            case ir.Store(src=src) | ir.StoreElement(src=src):
                yield node, src


def _shared_out(scene: Scene, sites: CallSites) -> Iterator[tuple[int, str]]:
    """Where C stores a pointer to an element of a block, or to the rest of it, and which block that is."""
    for node in scene.cfg.order if not scene.is_java else ():
        match scene.nodes[node]:
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if not ir.is_literal(src):
                whole = _block(scene, sites, src)
                if whole and whole not in (base, _block(scene, sites, base)):
                    yield node, whole
            case _:
                pass


def _block(scene: Scene, sites: CallSites, name: str, depth: int = _FEW_STEPS) -> str:
    """The block in which a pointer points to one of many elements; empty where it is not known to. What a call gives back that it was
    passed (`memcpy(copy, text, size)`) is that."""
    for node in scene.definitions.get(name, ()) if depth else ():
        match scene.nodes[node]:
            case ir.AddressOf(base=base, field="[]") if base:
                return base
            case ir.Op(operator="[]+", operands=(base, index)) if not ir.is_literal(base) and (base == name or index in scene.variables):
                return base
            case ir.AddressOf(base=base, field=field) if base and field and base in scene.definitions and ir.is_temporary(base):
                return _block(scene, sites, base, depth - 1)
            case ir.Call() if node in sites.sites and sites.sites[node].aliases:
                return _block(scene, sites, sites.sites[node].aliases[0][0], depth - 1)
            case _:
                pass
    return ""


def _elements(scene: Scene, sites: CallSites, path: AccessPath) -> tuple[AccessPath, ...]:
    """The names of a path as an element of something, or as a member of an element (`free(all[i].text)`); of Java with what an element wraps."""
    names = [name for name in _names(scene, sites, path) if "[]" in name]
    return tuple(names) + tuple((*name, WRAPPED) for name in names if scene.is_java and name[-1] == "[]")


def _is_away(scene: Scene, move: Move, outcome: Outcome) -> bool:
    """Whether a call of Java puts a handle somewhere else: into another collection, or into what is made of it."""
    if not scene.is_java or len(move.entry) > 1:
        return False
    return outcome.fate == "retained" or (outcome.fate == "held" and any(len(path) > 1 and path[-1] != CLOSED_WITH for path in outcome.paths))


def _names(scene: Scene, sites: CallSites, path: AccessPath) -> list[AccessPath]:
    """A path, and the places that its root is loaded from, or that a library call takes it from (`iterator.next()`)."""
    names = [scene.normalise(path)]
    for last in names:
        if len(names) >= MAX_NAMES:
            break
        if last[0] in scene.loads:
            names.append(scene.normalise(scene.loads[last[0]] + last[1:]))
        else:
            names += (name for name in _sources(scene, sites, last) if name not in names)
        names += (name for name in _cells(scene, last) if name not in names)
    return names


def _cells(scene: Scene, path: AccessPath) -> Iterator[AccessPath]:
    """What a cell of a list of GLib holds, as an element of the list: `for (l = all; l; l = l->next) free(l->data);`. A list is its first
    cell, and what walks along it was a copy of that."""
    if scene.is_java or path[1:2] != (_HELD_BY_A_CELL,) or "".join(scene.type_of(path[0]).split()) not in _LISTS:
        return
    yield (path[0], "[]", *path[2:])
    for node in scene.definitions.get(path[0], ()):
        match scene.nodes[node]:
            case ir.Copy(src=src) if not ir.is_literal(src) and (whole := _place(scene, src)) and whole[-1] not in _NEXT:
                yield scene.normalise((*whole, "[]", *path[2:]))
            case ir.Load(base=base, field=field) if base and field not in _NEXT:
                yield scene.normalise((base, field, "[]", *path[2:]))


def _sources(scene: Scene, sites: CallSites, path: AccessPath) -> Iterator[AccessPath]:
    """The places from which calls take what they answer at a path."""
    for node in scene.definitions.get(path[0], ()):
        instruction = scene.nodes[node]
        if isinstance(instruction, ir.Copy) and not scene.is_java and ir.is_temporary(instruction.src):
            yield (instruction.src, *path[1:])  # what a list of C is asked for its first element
        if isinstance(instruction, ir.LoadElement) and scene.is_java:  # of which a `finally` has several copies
            yield scene.normalise((instruction.base, "[]", *path[1:]))
        if not scene.is_java and path[1:2] == ("*",) and isinstance(instruction, ir.Op) and instruction.operator == "[]+":
            yield scene.normalise((instruction.operands[0], "[]", *path[2:]))
        site = sites.sites.get(node)
        if site is None or (scene.is_java and not site.is_library):
            continue
        for move in site.moves:
            inside = not scene.is_java and len(move.entry) > 1 and path[1:2] == ("*",)
            if not site.is_library and move.entry[-1] != "[]" and not inside:
                continue
            for outcome in move.outcomes:
                for target in outcome.paths:
                    if inside and target == ("$ret",) and move.entry[-1] != "[]":  # the callee answers the address of an element
                        yield scene.normalise((*move.entry, "[]", *path[2:]))
                    elif target[0] == "$ret" and path[1 : len(target)] == target[1:]:
                        yield scene.normalise(move.entry + path[len(target) :])


def _loops(scene: Scene) -> list[frozenset[int]]:
    position = scene.cfg.position
    headers = {
        successor for node in scene.cfg.order for successor in scene.cfg.successors[node]
        if position[successor] <= position[node]
    }
    return [natural_loop(scene.linked.next, scene.linked.raises, header) for header in sorted(headers)]
