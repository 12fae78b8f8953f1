"""What becomes of something in the new version of a procedure of C, from where the old one released it.

From the instructions before the release, as far as both versions have them, every way of the new one is gone: lost is what the
procedure forgets, replaces, or cannot reach any more because it frees what it lies in. Whatever looks at it on the way, or may
take it, counts for an end. Says nothing where the way there was rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.handles.sides import NOTHING
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_release, is_releaser
from analyzers.withdrawn.matching import Matching
from analyzers.withdrawn.places import (
    ELEMENT,
    Place,
    is_filled_by,
    is_prefix,
    is_whole_end,
    place_of,
    reads,
    released_by,
    stored_to,
)


class Fate(msgspec.Struct, frozen=True):
    """What becomes of it: where each kind of end lies.

    starts      the first instructions behind where the release was
    replaced    instructions that put something else there
    orphaned    calls that free what it lies in
    leaves      whether the procedure may end with it
    """

    starts: tuple[int, ...]
    replaced: tuple[int, ...] = ()
    orphaned: tuple[int, ...] = ()
    leaves: bool = False


def starts(old: Scene, new: Scene, matching: Matching, release: int, place: Place) -> tuple[tuple[int, int], ...] | None:
    """The ways of the new version on which the old one came to a release: the last instruction before it, and the one that this leads to now;
    None where one of them is not to be found."""
    found: dict[tuple[int, int], None] = {}
    seen = {release}
    waiting = [(before, release) for before in old.cfg.predecessors[release]]
    while waiting:
        node, after = waiting.pop()
        partner = matching.kept.get(node)
        if partner is None:
            if not _is_slight(old, node, place):
                return None
            if node not in seen:
                seen.add(node)
                waiting += [(before, node) for before in old.cfg.predecessors[node]]
            continue
        ways, others = old.cfg.normal[node], new.cfg.normal[partner]
        if len(ways) != len(others) or after not in ways:
            return None
        found[partner, others[ways.index(after)]] = None
    return tuple(found)


def _is_slight(scene: Scene, at: int, place: Place) -> bool:
    """Whether what a change takes out with a release decides nothing else: a test of what is released, of what that lies in, or whether there is
    anything, a further release."""
    match scene.nodes[at]:
        case ir.Call(name=name):
            return is_release(name) or is_releaser(name)
        case ir.Branch(operator=operator, left=left, right=right):
            asked = place_of(scene, left), place_of(scene, right)
            return right in NOTHING or left in NOTHING or place in asked or (operator == "true" and is_prefix(asked[0], place))
        case ir.Store(src=src):
            return src in NOTHING
        case _:
            return not isinstance(scene.nodes[at], ir.Return)


def fate_of(scene: Scene, sites: Mapping[int, CallSite], place: Place, begin: Iterable[int]) -> Fate | None:
    """What becomes of what lies at a place from some instructions on; None where anybody may take it, or looks at it again."""
    first = tuple(begin)
    replaced, orphaned, leaves = [], [], False
    seen: set[int] = set()
    waiting = list(first)
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if at == ir.EXIT:
            leaves = True
            continue
        node = scene.nodes[at]
        if at in sites:
            ended = [path for path, _ in released_by(scene, sites[at])]
            if place in ended or any(is_prefix(place, path) for path in ended):
                return None
            if any(is_prefix(path, place) for path in ended):
                if is_whole_end(sites[at]):
                    return None
                orphaned.append(at)
                continue
            if len(place) > 1 and is_filled_by(scene, sites[at], place):
                replaced.append(at)
                continue
            if _is_handed_on(scene, sites[at], place):
                return None
        target = stored_to(scene, node)
        if target == place and not reads(scene, node, place):
            replaced.append(at)
            continue
        # Other elements of an array are looked at before their turn.
        if (ELEMENT not in place and reads(scene, node, place)) or _is_kept(scene, node, place):
            return None
        if target and is_prefix(target, place):
            leaves = True
            continue
        waiting += scene.cfg.successors[at]
    return Fate(first, tuple(sorted(replaced)), tuple(sorted(orphaned)), leaves)


def _is_handed_on(scene: Scene, site: CallSite, place: Place) -> bool:
    """Whether a call may keep or move what lies at a place."""
    for move in site.moves:
        path = (*place_of(scene, move.entry[0]), *move.entry[1:])
        if path == place and any(each.fate != "lost" for each in move.outcomes):
            return True
    return False


def _is_kept(scene: Scene, node: ir.Instruction, place: Place) -> bool:
    """Whether the procedure goes on with another name for what lies at a place (`return object` where it lies in that)."""
    return isinstance(node, ir.Return) and len(place) > 1 and place_of(scene, node.src) == place
