"""What a procedure itself has put into a member, or a callee for it, by the time it releases what lies there.

What a struct of the procedure's own holds, and what it put there on every way to a release, is its own for the time being: nobody else can
have released it. Misses members that are filled on some ways only, and structs that are copied as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sides import NOTHING
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_taking
from analyzers.withdrawn.fates import fate_of
from analyzers.withdrawn.owners import Old, may_give
from analyzers.withdrawn.places import Place, is_filled_by, place_of, released_by, stored_to


def of_value(old: Old, place: Place, release: int) -> tuple[int, ...]:
    """The instructions that put what is released into a member of a local struct; none where that may be somebody else's, or was handed on."""
    scene, root = old.scene, place[0]
    if scene.is_scoped(root) or not all(isinstance(node := scene.nodes[each], ir.Op) and node.operator == "zero" for each in scene.definitions.get(root, ())):
        return ()
    made: list[int] = []
    for at in sorted(scene.cfg.reaching(release) - {release}):
        node = scene.nodes[at]
        if stored_to(scene, node) == place:
            if isinstance(node, ir.Store) and node.src in NOTHING:
                continue
            if not (isinstance(node, ir.Store) and _is_made(old, node.src)):
                return ()
            made.append(at)
        elif at in old.sites:
            if is_filled_by(scene, old.sites[at], place):
                made.append(at)
            elif _takes(scene, old.sites[at], place):
                return ()
    return tuple(made)


def _is_made(old: Old, value: str) -> bool:
    """Whether a value is what a call gives away, and has no name."""
    definitions = old.scene.definitions.get(value, ()) if ir.is_temporary(value) else ()
    return bool(definitions) and all(each in old.sites and may_give(old.sites[each]) for each in definitions)


def _takes(scene: Scene, site: CallSite, place: Place) -> bool:
    """Whether a call may take what lies at a place, or the struct that it lies in."""
    passed = [place_of(scene, each) for each in site.call.args]
    if place not in passed and place[:1] not in passed:
        return False
    if site.effects is None or not site.effects.is_known:
        return is_taking(site.call.name)
    moved = [(move, (*place_of(scene, move.entry[0]), *move.entry[1:])) for move in site.moves]
    return any(path == place and any(each.fate in ("released", "retained") for each in move.outcomes) for move, path in moved)


def on_every_way(scene: Scene, sites: Mapping[int, CallSite], place: Place, release: int) -> tuple[int, ...]:
    """The instructions that fill a place on every way from the beginning of a procedure to a release; none where one way has none."""
    found: set[int] = set()
    seen: set[int] = set()
    waiting = list(scene.cfg.predecessors[release])
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if at == ir.ENTRY:
            return ()
        node = scene.nodes[at]
        if stored_to(scene, node) == place:
            if isinstance(node, ir.Store) and node.src in NOTHING:
                continue
            found.add(at)
        elif at in sites and is_filled_by(scene, sites[at], place):
            found.add(at)
        else:
            waiting += scene.cfg.predecessors[at]
    return tuple(sorted(found))


def has_twin(scene: Scene, sites: Mapping[int, CallSite], place: Place, begin: Collection[int], among: Collection[int]) -> bool:
    """Whether a procedure still releases what lies at a place on another way to its end, and leaves it there like that: at one of some
    instructions that neither lead to where a release is gone nor come behind it."""
    behind = {each for start in begin for each in scene.cfg.reachable_from(start)}
    before = {each for start in begin for each in scene.cfg.reaching(start)}
    for at in sorted(set(among) - behind - before):
        if at in sites and any(path == place for path, _ in released_by(scene, sites[at], is_sure=True)):
            fate = fate_of(scene, sites, place, scene.cfg.normal[at])
            if fate is not None and fate.leaves and not fate.replaced and not fate.orphaned:
                return True
    return False


def is_given(scene: Scene, sites: Mapping[int, CallSite], name: str) -> bool:
    """Whether all that a variable ever holds is what calls give away."""
    definitions = scene.definitions.get(name, ())
    return bool(definitions) and name not in scene.formals and all(each in sites and may_give(sites[each]) for each in definitions)
