"""Whether what the old version of a procedure of C released was its own: what came from a call, and went to nobody before.

The release itself says that it was; a change that takes out a wrong one is told by what surrounds it: the value belongs to
somebody else (a text of the program, what a lookup found, another variable), was handed on, or is released twice.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import reached
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.c.elsewhere import RESULT, given_anywhere
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sides import NOTHING, ways_where_there
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_const_pointer, is_finding, is_maker, is_release, is_taking, words_of
from analyzers.summaries import Certainty, Outcome
from analyzers.withdrawn.places import (
    ELEMENT,
    Place,
    is_emptied_by,
    is_filled_by,
    is_prefix,
    names_of,
    place_of,
    reads,
    released_by,
    stored_to,
)

_SHORTEST = 3
"""Letters that the name of a family has at least."""

_SETTING = frozenset(("init", "open", "set", "setup", "start"))
"""Verbs of methods that do something to the object that they are passed first."""

_UNLINKING = frozenset(("del", "delete", "detach", "pop", "remove", "unlink"))



class Old(msgspec.Struct, frozen=True):
    """The old version, with its calls resolved; `kept` are the instructions that the new version still has."""

    scene: Scene
    sites: Mapping[int, CallSite]
    kept: Container[int] = ()


def is_once(old: Old, place: Place, release: int) -> bool:
    """Whether what lies at a place was released once, and looked at by nobody afterwards."""
    scene = old.scene
    ended = {
        at: [path for path, _ in released_by(scene, site, is_sure=True)] for at, site in old.sites.items() if at != release
    }
    behind = _until_replaced(scene, old.sites, place, release)
    if any(reads(scene, scene.nodes[at], place) for at in behind):
        return False
    if any(path == place or is_prefix(place, path) for at in behind for path in ended.get(at, ())):
        return False
    emptying = _emptying(scene, old.sites, place, (release,))
    return not any(
        place in paths and at not in emptying and release in _until_replaced(scene, old.sites, place, at) for at, paths in ended.items()
    )


def is_ended_before(scene: Scene, sites: Mapping[int, CallSite], place: Place, befores: Sequence[int]) -> bool:
    """Whether the new version has ended what lies at a place, or what that lies in, by the time it has run some instructions."""
    ended = [at for at, site in sites.items() if any(path == place or is_prefix(path, place) for path, _ in released_by(scene, site, is_sure=True))]
    emptying = _emptying(scene, sites, place, befores)
    return any(at not in emptying and (at in befores or not _until_replaced(scene, sites, place, at).isdisjoint(befores)) for at in ended)


def _emptying(scene: Scene, sites: Mapping[int, CallSite], place: Place, goals: Sequence[int]) -> frozenset[int]:
    """The calls that end what lies at a place and write there themselves (`box_clear(box)`): what lies there behind them is something else.
    None where no way leads to one of the goals but by them: then nothing is there any more."""
    found = frozenset(at for at, site in sites.items() if is_emptied_by(scene, site, place))
    if not found:
        return found
    around = reached([() if at in found else following for at, following in enumerate(scene.cfg.successors)], scene.cfg.order[0])
    return found if not (around - found).isdisjoint(goals) else frozenset()


def _until_replaced(scene: Scene, sites: Mapping[int, CallSite], place: Place, start: int) -> set[int]:
    """The nodes behind one that are reached before the place, or what leads there, is given a new content."""
    seen: set[int] = set()
    waiting = list(scene.cfg.successors[start])
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        target = stored_to(scene, scene.nodes[at])
        if target and (target == place or is_prefix(target, place)):
            if reads(scene, scene.nodes[at], place):
                continue
            seen.discard(at)
            continue
        if len(place) > 1 and at in sites and is_filled_by(scene, sites[at], place):
            seen.discard(at)
            continue
        waiting += scene.cfg.successors[at]
    return seen


def made_in(old: Old, name: str, release: int) -> tuple[int, ...] | None:
    """The instructions that give a local variable what is released; None where that may be somebody else's, or was handed on."""
    scene = old.scene
    variable = scene.variables.get(name)
    if variable is None or scene.is_scoped(name):
        return None
    reaching = scene.cfg.reaching(release)
    made: list[int] = []
    is_apart = _is_taken_apart(old, name, release)
    for at in scene.definitions.get(name, ()):
        if at not in reaching:
            continue
        origin = _origin(old, at, set(), is_apart=is_apart)
        if origin is None:
            return None
        made += origin
    if variable.is_address_taken and not made:
        filling = [at for at in old.sites if at in reaching and _is_filled_by(scene, at, name)]
        if any(_is_on_one_side(scene, at, release) and not _is_used(scene, name, at, release) for at in filling):
            return None
        made += filling
    made = [at for at in made if _may_come(scene, name, at, release)]
    if not made or _is_handed_on(old, name, made, release):
        return None
    return tuple(sorted(made)) if all(_is_shown(old, name, at, release) for at in made) else None


def _is_taken_apart(old: Old, name: str, release: int) -> bool:
    """Whether what a variable holds is released with what lies in it, part by part, so that the struct is what is left: whoever was looked up
    there ends with it."""
    reaching = old.scene.cfg.reaching(release)
    return any(
        at in reaching and at in old.kept and is_prefix((name,), place)
        for at, site in old.sites.items() if at != release for place, _ in released_by(old.scene, site)
    )


def _is_filled_by(scene: Scene, at: int, name: str) -> bool:
    node = scene.nodes[at]
    return isinstance(node, ir.Call) and any(scene.addresses.get(each) == (name,) for each in node.args)


def _is_on_one_side(scene: Scene, at: int, release: int) -> bool:
    """Whether what a call answers decides about a release: on the way on which it failed there may be nothing."""
    dst = getattr(scene.nodes[at], "dst", "")
    names = {dst, *(each for each in scene.definitions if any(identity(scene.nodes[node]) == dst for node in scene.definitions[each]))} if dst else set()
    reaching = scene.cfg.reaching(release)
    return any(
        isinstance(node := scene.nodes[each], ir.Branch) and not names.isdisjoint((node.left, node.right))
        and not reaching.issuperset(scene.cfg.normal[each]) for each in reaching
    )


def _is_used(scene: Scene, name: str, filling: int, release: int) -> bool:
    """Whether anybody looks at what a call has left in a variable before it is released: then something is there."""
    between = scene.cfg.reachable_from(filling) & scene.cfg.reaching(release) - {filling, release}
    return any(reads(scene, scene.nodes[at], (name,)) for at in between)


def _may_come(scene: Scene, name: str, start: int, release: int) -> bool:
    """Whether anything but nothing may come from where a variable is set to a release of it."""
    names = names_of(scene, (name,))
    seen: set[int] = set()
    waiting = list(scene.cfg.normal[start])
    while waiting:
        at = waiting.pop()
        if at == release:
            return True
        if at in seen:
            continue
        seen.add(at)
        waiting += ways_where_there(scene, at, names)
    return False


def may_be_there(old: Old, place: Place, release: int) -> bool:
    """Whether anything lies at a place on some way to its release, by the tests for nothing on that way (`if (p == NULL) { if (p != NULL) free(p); }`)."""
    scene = old.scene
    names = names_of(scene, place)
    seen: set[tuple[int, int]] = set()
    waiting = [(each, release) for each in scene.cfg.predecessors[release]]
    while waiting:
        at, after = waiting.pop()
        if (at, after) in seen:
            continue
        seen.add((at, after))
        node = scene.nodes[at]
        if at == ir.ENTRY:
            return True
        target = stored_to(scene, node)
        if target and (target == place or is_prefix(target, place)):
            if getattr(node, "src", "") in NOTHING:
                continue
            return True
        if after in scene.cfg.normal[at] and after not in ways_where_there(scene, at, names):
            continue
        waiting += [(each, at) for each in scene.cfg.predecessors[at]]
    return False


def _is_shown(old: Old, name: str, at: int, release: int) -> bool:
    """Whether more than one release says that what an instruction gives is the procedure's own: the name of its maker or what is known of
    it, another release in the procedure, or releases of others. What is only loaded has been taken
    out of where it was, or is taken apart with that, or itself."""
    scene, node = old.scene, old.scene.nodes[at]
    again = any(
        place == (name,) or is_prefix((name,), place)
        for each, site in old.sites.items() if each != release for place, _ in released_by(scene, site)
    )
    if again:
        return True
    if not isinstance(node, ir.Call):
        if is_release(scene.linked.key.name):
            return True
        names = names_of(scene, (name,))
        return any(
            not names.isdisjoint(site.call.args) and not _UNLINKING.isdisjoint(words_of(site.call.name)) for site in old.sites.values()
        )
    site = old.sites[at]
    if site.acquired and (site.effects is not None or site.is_declared):
        return True
    if is_const_pointer(scene.type_of(name)):
        return False
    if is_maker(node.name):
        return True
    position = next((number for number, each in enumerate(node.args) if scene.addresses.get(each) == (name,)), RESULT)
    return given_anywhere(scene.queries, scene.linked.key, node.name, position)


def _origin(old: Old, at: int, seen: set[int], *, is_apart: bool) -> list[int] | None:
    """What makes the value that an instruction assigns; nothing for none at all, None for what is another's, unless the procedure
    takes it apart."""
    scene, node = old.scene, old.scene.nodes[at]
    if at in seen:
        return []
    seen.add(at)
    match node:
        case ir.Call():
            return [at] if may_give(old.sites[at]) or (is_apart and not old.sites[at].aliases) else None
        case ir.Copy(src=src) if ir.is_literal(src):
            return [] if src in NOTHING else None
        case ir.Load(base=base) | ir.LoadElement(base=base):
            return [at] if base else None
        case ir.Op(operator="zero"):
            return []
        case _:
            source = identity(node)
    if not ir.is_temporary(source):
        return None
    found: list[int] = []
    for each in scene.definitions.get(source, ()):
        made = _origin(old, each, seen, is_apart=is_apart)
        if made is None:
            return None
        found += made
    return found


def may_give(site: CallSite) -> bool:
    """Whether a call may give away what it returns."""
    if site.acquired:
        return True
    return not (site.is_library or site.aliases or is_finding(site.call.name))


def _is_handed_on(old: Old, name: str, made: list[int], release: int) -> bool:
    """Whether what a variable holds has got another owner, or another name, on the way to its release."""
    scene = old.scene
    names = names_of(scene, (name,))
    on_way = {each for at in made for each in scene.cfg.reachable_from(at)} & scene.cfg.reaching(release) - {release}
    for at in on_way:
        node = scene.nodes[at]
        match node:
            case ir.Store(src=src) | ir.StoreElement(src=src) if src in names:
                return True
            case ir.Copy(dst=dst) | ir.Op(dst=dst) if not ir.is_temporary(dst) and identity(node) in names and dst != name:
                return True
            case ir.Call(args=args) if not names.isdisjoint(args) and _takes(scene, at, old.sites[at], names):
                if not _is_lent(old, at, name, release):
                    return True
            case _:
                continue
    return False


def _takes(scene: Scene, at: int, site: CallSite, names: frozenset[str]) -> bool:
    """Whether a call takes what it is passed for itself: surely, where its body is known, or by its name. What a library keeps on some ways only
    (a lock on a descriptor, unless it is let go) the old text has released behind it."""
    is_known = site.effects is not None and site.effects.is_known
    roots = [(f"${number}",) for number, each in enumerate(site.call.args) if each in names]
    for move in site.moves:
        if len(move.entry) != 1 or move.entry[0] not in names:
            continue
        if not site.is_library and any(each.fate == "released" for each in move.outcomes):
            return True
        is_given_back = site.is_library and any(each.fate == "held" and any(root in each.paths for root in roots) for each in move.outcomes)
        if is_known and not is_given_back and any(_is_kept(scene, site, each, roots) for each in move.outcomes):
            return True
    target = scene.linked.targets.get(at)
    parameters = target.parameters if target is not None else ()
    numbers = [number for number, each in enumerate(site.call.args) if each in names]
    if all(number < len(parameters) and is_const_pointer(parameters[number]) for number in numbers):
        return False
    return not is_known and is_taking(site.call.name)


def _is_lent(old: Old, at: int, name: str, release: int) -> bool:
    """Whether a call that is only named like one that takes what it is passed gives it back: a release behind it stands in both versions, or it
    is a method of the family that the release belongs to, and gets its own object first (`pen_set_ink(pen, 3)` before `pen_free(pen)`)."""
    scene, site = old.scene, old.sites[at]
    if site.effects is not None and site.effects.is_known:
        return False
    behind = _until_replaced(scene, old.sites, (name,), at)
    if any(
        each in old.kept and each in behind and any(place == (name,) for place, _ in released_by(scene, other))
        for each, other in old.sites.items() if each != release
    ):
        return True
    call, family = site.call, old.sites[release].call.name.rpartition("_")[0]
    if len(family) < _SHORTEST or not call.name.startswith(f"{family}_") or _SETTING.isdisjoint(words_of(call.name[len(family) :])):
        return False
    return len(call.args) > 1 and [place_of(scene, each) == (name,) for each in call.args] == [True] + [False] * (len(call.args) - 1)


def _is_kept(scene: Scene, site: CallSite, outcome: Outcome, roots: Sequence[Place]) -> bool:
    """Whether somebody else than a struct of the procedure's own has it behind a call."""
    elsewhere = [path for path in outcome.paths if path not in roots and path[0] != "$ret" and not _is_own(scene, site, path[0])]
    is_elsewhere = outcome.fate == "held" and (bool(elsewhere) or not any(each in outcome.paths for each in roots))
    return outcome.certainty is Certainty.MUST and (is_elsewhere or outcome.fate == "retained")


def _is_own(scene: Scene, site: CallSite, root: str) -> bool:
    place = scene.addresses.get(site.actuals.get(root, ""), ())
    return len(place) == 1 and scene.is_aggregate(place[0]) and scene.variables[place[0]].kind == "local"


def aliases(scene: Scene, place: Place, until: Container[int] | None = None) -> frozenset[str]:
    """The variables that are given what lies at a place, or that it is given; with `until` by one of these instructions only."""
    found: set[str] = set()
    for at, node in enumerate(scene.nodes):
        if until is not None and at not in until:
            continue
        names = assigned(node)
        if len(names) == 1 and not ir.is_temporary(names[0]) and (isinstance(node, ir.Load | ir.LoadElement) or identity(node)) and _value(scene, node) == place:
            found.add(names[0])
        if isinstance(node, ir.Store) and stored_to(scene, node) == place:
            other = place_of(scene, node.src)
            found.update(other[:1] if len(other) == 1 else ())
    return frozenset(found) - {place[0]}


def before_it(scene: Scene, place: Place, begin: Iterable[int]) -> set[int]:
    """The instructions from which a way leads to some others while the same lies at a place; those that put it there among them."""
    found: set[int] = set()
    waiting = [each for start in begin for each in scene.cfg.predecessors[start]]
    while waiting:
        at = waiting.pop()
        if at in found:
            continue
        found.add(at)
        target = stored_to(scene, scene.nodes[at])
        if not target or (target != place and not is_prefix(target, place)):
            waiting += scene.cfg.predecessors[at]
    return found


def sources(scene: Scene, place: Place) -> tuple[Place, ...]:
    """The places that a variable is read from."""
    nodes = scene.definitions.get(place[0], ()) if len(place) == 1 else ()
    return tuple(dict.fromkeys(found for each in nodes if (found := _value(scene, scene.nodes[each]))))


def _value(scene: Scene, node: ir.Instruction) -> Place:
    """Where what an instruction assigns was read."""
    match node:
        case ir.Load(base="", field=field):
            return (f"::{field}",)
        case ir.Load(base=base, field=field):
            holder = place_of(scene, base)
            return (*holder, *field.split(".")) if holder else ()
        case ir.LoadElement(base=base):
            holder = place_of(scene, base)
            return (*holder, ELEMENT) if holder else ()
        case _:
            return place_of(scene, identity(node))


def mentions(scene: Scene, node: ir.Instruction, place: Place) -> bool:
    """Whether an instruction has to do with a place: with its variable, or its last member."""
    last = place[-1] if place[-1] != ELEMENT else place[-2] if len(place) > 1 else place[0]
    if len(place) == 1 and not place[0].startswith("::"):
        return place[0] in operands(node) or stored_to(scene, node) == place or getattr(node, "base", "") == place[0]
    name = last.removeprefix("::")
    return isinstance(node, ir.Load | ir.Store | ir.AddressOf) and node.field.rpartition(".")[2] == name.rpartition(".")[2]
