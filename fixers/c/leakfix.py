"""Releases memory (or a file, a descriptor …) on the paths that lose it, where it is safe: LeakFix, ICSE 2015.

Beyond the paper: any resource that a spec pairs with its release; releases that need a condition; an initialiser
added so that one release at the shared exit is safe; saved results. Declines where an expression may hold what
must not be released; a handle that unknown callees had is proposed, and its proof says ASSUMED.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.queries import ProcedureKey
from fixers.c.called_into import called_into
from fixers.c.duplicates import made_of
from fixers.c.error_number import asked_behind, set_before
from fixers.c.ground import Choice, Ground, expression
from fixers.c.links import Objects, Place
from fixers.c.lost_owner import lost_owner
from fixers.c.lost_with import is_composed, lost_members, lost_with, takes_members
from fixers.c.patch import Patch, Release
from fixers.c.placement import Placement, Spot, loop_cuts
from fixers.c.pointers import NONE, UNSET, Edge, Pointers
from fixers.c.points import MARK, Points, is_needless
from fixers.c.release import (
    accepts_none,
    put_into,
    release_calls,
    released_names,
)
from fixers.c.style import Style, style_of
from fixers.c.whole import around, whole_releases
from fixers.c.working_ends import is_at_work
from fixers.edits import moved
from fixers.leak import Candidate, Leak, Refusal
from fixers.paths.values import is_number
from fixers.tree import find
from templates import render

_PLAIN: Objects = frozenset((NONE,))
_INITIALISED: Objects = frozenset((NONE, UNSET))
_GUARDED: Objects = frozenset((NONE, "&"))

MAX_PLACES = 3
"""Expressions that are tried."""


MAX_PARTIAL = 2
"""Proposals that leave ways on which somebody unknown may have taken it."""

MAX_TURNS = 2
"""Proposals that take each turn of a loop for itself."""

_STALE = 3
"""As how many insertions more it counts that a variable holds what was released, on some ways only."""

MAX_WHOLE = 3
"""Proposals to release the object that a member is lost with."""


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, the best-looking first."""
    if not leak.releases:
        yield Refusal(f"how {leak.finding.resource} is released is not known")
        return
    if (whole := around(leak)) is not None:
        yield from itertools.islice((each for each in propose(whole) if isinstance(each, Candidate)), MAX_WHOLE)
    ground = _ground(leak)
    if isinstance(ground, Refusal):
        yield ground
        return
    style = style_of(leak)
    choices = sorted(_choices(ground, style), key=lambda choice: _cost(ground, choice))
    if not choices:
        yield from _of_one_turn(ground, style)
        partial = list(_choices(ground, style, is_partial=True))
        for choice in partial[:MAX_PARTIAL]:
            yield from _candidate(ground, _narrowed(ground, choice) or choice, style)
        yield Refusal(_why(ground))
    if len(ground.sites) > 1 and choices:
        yield from _joint(ground, choices, style)
    for choice in choices:
        narrowed = _narrowed(ground, choice)
        if narrowed is not None:
            yield from _candidate(ground, narrowed, style)
        yield from _candidate(ground, choice, style)
        if (focused := _focused(ground, choice)) is not None:
            yield from _candidate(ground, focused, style)


def _of_one_turn(known: Ground, style: Style) -> Iterator[Candidate]:
    """Candidates where a loop has stored what it acquired in other turns, for whoever comes later: what this turn has is its own."""
    leak, body = known.leak, known.facts.linked.body
    at = [body.nodes[known.pointers.sites[each]] for each in known.sites]
    if not any(loop.start <= each.start and each.end <= loop.end for loop in body.loops for each in at):
        return
    ground = _ground(leak, is_each_turn_new=True)
    if isinstance(ground, Refusal) or ground.pointers.cuts == known.pointers.cuts:
        return
    choices = sorted((each for each in _choices(ground, style) if len(each.place) == 1), key=lambda choice: _cost(ground, choice))
    for choice in choices[:MAX_TURNS]:
        yield from _candidate(ground, choice, style)


def _ground(leak: Leak, *, is_each_turn_new: bool = False) -> Ground | Refusal:
    points = Points(leak.path, leak.tree, leak.procedure.result)
    marked = points.marked()
    facts = leak.probe(marked) if marked is not None else None
    if facts is None or facts.linked.body.error is not None:
        return Refusal("statements cannot be put into this function")
    pointers = _solved(leak, facts, {})
    site, same = _sites(leak, points, facts)
    if site < 0:
        return Refusal("the acquisition was not found in the function")
    kind = leak.resource if pointers.sites_of((site,), leak.resource) else ""
    cuts = loop_cuts(facts, pointers, pointers.sites_of(same, kind), is_each_turn_new=is_each_turn_new)
    if cuts:
        pointers = _solved(leak, facts, cuts)
    wanted = tuple(pointers.sites_of(same, kind))
    question = ("placement", leak.enders, leak.nothing, leak.left, _told(cuts), wanted, leak.passing)
    placement = leak.remember(question, lambda: Placement(facts, pointers, wanted, leak.passing))
    nodes = {}
    for node, call in enumerate(facts.linked.body.nodes):
        if isinstance(call, ir.Call) and call.name == MARK:
            nodes[node] = points.found[int(call.args[0][1:])]
    own = pointers.sites_of((site,), kind)
    lost = [each for each in own if placement.still_leaks((), each)]
    delicate = leak.remember(("delicate", leak.enders), lambda: _delicate(leak, facts))
    return Ground(leak, points, facts, pointers, placement, nodes, tuple(lost or own), delicate)


def _delicate(leak: Leak, facts: Facts) -> list[int]:
    return [asked or known for asked, known in zip(asked_behind(facts, leak.callees.facts), set_before(facts), strict=True)]


def _solved(leak: Leak, facts: Facts, cuts: Mapping[Edge, Objects]) -> Pointers:
    """What pointers may hold: the same for all leaks of one kind in a function."""
    question = ("pointers", leak.enders, leak.nothing, leak.left, _told(cuts))
    return leak.remember(question, lambda: Pointers(facts, leak.nothing, cuts, leak.left))


def _told(cuts: Mapping[Edge, Objects]) -> tuple[tuple[Edge, Objects], ...]:
    return tuple(sorted(cuts.items(), key=lambda each: each[0]))


def _sites(leak: Leak, points: Points, facts: Facts) -> tuple[int, list[int]]:
    """The node of the finding's acquisition, and all nodes that acquire the same kind of resource."""
    at = moved(points.edits(), leak.finding.acquired.start)
    body = facts.linked.body
    kinds: dict[int, list[str]] = {}
    for node, call in enumerate(body.nodes):
        if isinstance(call, ir.Call):
            found = [t.resource for e in facts.effects.get(node, ()) for t in e.transfers if not t.entry]
            if found:
                kinds[node] = found
    site = next((node for node in kinds if body.start + body.nodes[node].start == at), -1)
    return site, [node for node in kinds if site >= 0 and _kind(leak, kinds[site]) in kinds[node]]


def _kind(leak: Leak, resources: Sequence[str]) -> str:
    """Which of the resources that a call acquires the finding is about."""
    return leak.resource if leak.resource in resources else resources[0]


# --- which points


def _choices(ground: Ground, style: Style, *, is_partial: bool = False) -> Iterator[Choice]:
    """Places and points that will do. `is_partial`: those, too, behind which somebody unknown may have what they hold elsewhere; the
    proof says whether it is lost there."""
    ending = ground.facts.cfg.reaching(ir.EXIT).union(*(ground.facts.cfg.reaching(ground.pointers.sites[each]) for each in ground.sites))
    usable = {n for n, point in ground.nodes.items() if n in ending and (style.is_mixed or not point.is_early)}
    seen = set()
    proper = {n for n in usable if not ground.asked[n] and not is_needless(ground.nodes[n])}
    for allowed, nodes in itertools.product((_PLAIN, _INITIALISED, _GUARDED), (proper, usable)):
        spots = ground.placement.spots(sorted(nodes), allowed)
        for place in _places(ground, spots):
            found = [spot for spot in spots[place] if _is_visible(ground, spot)]
            visible, late = _plain(ground, found), _behind_values(ground, found)
            ways = (ground.placement.latest(visible), ground.placement.earliest(visible))
            for chosen in (*ways, ground.placement.latest(late)) if late else ways:
                key = (place, tuple(spot.node for spot in chosen))
                is_enough = any(s.objects.intersection(ground.sites) for s in chosen) if is_partial else _suffices(ground, place, chosen)
                if not chosen or key in seen or not is_enough:
                    continue
                seen.add(key)
                yield Choice(tuple(chosen), allowed, tuple(_members(ground, spots, spot) for spot in chosen))


def _narrowed(ground: Ground, choice: Choice) -> Choice | None:
    """A choice without the points behind which no exit lies by which the finding is lost; None where that leaves all."""
    body, finding = ground.facts.linked.body, ground.leak.finding
    edits = ground.points.edits()
    spans = [(moved(edits, each.start), moved(edits, each.end)) for each in (*finding.exits, finding.lost)]
    exits = [
        n for n, each in enumerate(body.nodes)
        if isinstance(each, ir.Return) and any(start <= body.start + each.start < end for start, end in spans)
    ]
    before = {node for each in exits for node in ground.facts.cfg.reaching(each)}
    kept = [n for n, spot in enumerate(choice.spots) if spot.node in before]
    if not exits or not 0 < len(kept) < len(choice.spots):
        return None
    return Choice(tuple(choice.spots[n] for n in kept), choice.allowed, tuple(choice.members[n] for n in kept))


def _focused(ground: Ground, choice: Choice) -> Choice | None:
    """A choice without the points that only other acquisitions reach: of those less may be known. None where that leaves all."""
    kept = [n for n, spot in enumerate(choice.spots) if not spot.objects.isdisjoint(ground.sites)]
    if not 0 < len(kept) < len(choice.spots):
        return None
    return Choice(tuple(choice.spots[n] for n in kept), choice.allowed, tuple(choice.members[n] for n in kept))


def _members(ground: Ground, spots: dict[Place, list[Spot]], spot: Spot) -> tuple[Place, ...]:
    """The members of what a spot releases that are lost with it and can be released there, too."""
    if len(spot.place) > 1:
        return ()
    state = ground.pointers.before[spot.node]
    return tuple(
        place for place in sorted(spots)
        if len(place) == 2 and place[0] == spot.place[0] and place[1] not in ("*", "[]") and not is_composed(ground, state.get(place, frozenset()))
        and any(each.node == spot.node and UNSET not in each.objects for each in spots[place])
        and not any(state.get(other) == state[place] for other in spots if other != place and len(other) == 1)
    )


def _plain(ground: Ground, spots: list[Spot]) -> list[Spot]:
    """Without the points behind the value of a `return` where the point before that statement will do."""
    before = {ground.nodes[spot.node].statement.start for spot in spots if ground.nodes[spot.node].kind in ("before", "branch")}
    return [s for s in spots if ground.nodes[s.node].kind != "value" or ground.nodes[s.node].statement.start not in before]


def _behind_values(ground: Ground, spots: list[Spot]) -> list[Spot]:
    """Without the points before a `return` behind whose value there is one: what the value reads may be known under another name. Empty
    where there are none of both."""
    behind = {ground.nodes[spot.node].statement.start for spot in spots if ground.nodes[spot.node].kind == "value"}
    kept = [s for s in spots if ground.nodes[s.node].kind == "value" or ground.nodes[s.node].statement.start not in behind]
    return kept if len(kept) < len(spots) else []


def _suffices(ground: Ground, place: Place, chosen: list[Spot]) -> bool:
    """Whether nothing that the place holds of the finding's acquisition is lost then."""
    held = {each for spot in chosen for each in spot.objects if each in ground.sites}
    return bool(held) and not any(ground.placement.still_leaks(chosen, site) for site in sorted(held))


def _places(ground: Ground, spots: dict[Place, list[Spot]]) -> list[Place]:
    """The expressions that hold the finding's resource somewhere, those first that the function releases elsewhere, and of them
    the one that it was put into first, or that the finding names. Elements of an array are none: which of them would it be?"""
    named, released = ground.leak.finding.variable, released_names(ground.leak)
    is_pointer, types = ground.leak.nothing == "NULL", ground.facts.linked.types
    first = put_into(ground.facts.linked.body.nodes, (ground.pointers.sites[each] for each in ground.sites))
    found = [
        place for place, here in spots.items()
        if place[-1] != "[]" and not (is_pointer and len(place) == 1 and is_number(types.get(place[0], ""))) and any(spot.objects.intersection(ground.sites) for spot in here)
    ]

    def order(place: Place) -> tuple[bool, bool, bool, int, Place]:
        words = expression(place, ground)
        return words not in released, place[0] not in first or len(place) > 1, words != named, len(place), place

    return sorted(found, key=order)[:MAX_PLACES]


def _is_visible(ground: Ground, spot: Spot) -> bool:
    """Whether the variable can be named where the point is."""
    name = ir.declared_name(spot.place[0])
    point = ground.nodes[spot.node]
    is_behind = point.kind in ("end", "else", "behind")
    at = (point.statement.end if is_behind else point.statement.start) - ground.leak.procedure.start
    for variable in ground.leak.procedure.variables:
        if variable.name == name:
            return variable.kind == "parameter" or variable.start <= at < variable.end
    return not name or name in ground.leak.known_names


def _cost(ground: Ground, choice: Choice) -> tuple[int, ...]:
    """Fewer insertions first, but none (of what may fail) before `errno` is asked; of as many those that need least around them;
    later ones before earlier ones."""
    kinds = [ground.nodes[spot.node].kind for spot in choice.spots]
    extra = (_PLAIN, _GUARDED, _INITIALISED).index(choice.allowed)
    asked = sum(ground.asked[spot.node] for spot in choice.spots)
    awkward = sum((kind == "value") * 2 + (kind == "else") for kind in kinds) + asked
    single = len(choice.spots) == 1
    calls = release_calls(ground.leak, expression(choice.place, ground)) if asked else ()
    harm = 0 if all(each.startswith("free(") for each in calls) else 2 * asked
    stale = _STALE * any(_is_left_stale(ground, spot) for spot in choice.spots)
    return (len(choice.spots) + extra + harm + stale, awkward, not single, -min(spot.node for spot in choice.spots))


def _is_left_stale(ground: Ground, spot: Spot) -> bool:
    """Whether a variable still holds what was released where the function goes different ways, and only some of them assign it: who adds
    another one has to know that."""
    if len(spot.place) > 1:
        return False
    nodes, cfg = ground.facts.linked.body.nodes, ground.facts.cfg
    seen, waiting, ends = {spot.node}, [spot.node], set()
    while waiting:
        node = waiting.pop()
        if spot.place[0] in assigned(nodes[node]) or isinstance(nodes[node], ir.Return | ir.Exit):
            ends.add(isinstance(nodes[node], ir.Return | ir.Exit))
            continue
        new = [each for each in cfg.successors[node] if each not in seen]
        seen.update(new)
        waiting += new
    return len(ends) == 2


# --- text


def _candidate(ground: Ground, choice: Choice, style: Style) -> Iterator[Candidate]:
    target = expression(choice.place, ground)
    everywhere = len(choice.spots)
    for whole in whole_releases(ground.leak, ground.pointers, choice.place, choice.spots):
        bare = Choice(choice.spots, choice.allowed, ((),) * everywhere)
        yield from _written(ground, bare, style, (target, (whole,) * everywhere))
    calls = release_calls(ground.leak, target)
    is_lost = any(choice.members) or any(lost_members(ground, choice, call) for call in calls)
    more = [f"{name}({target})" for name in _destructors(ground) if len(choice.place) == 1 and f"{name}({target})" not in calls]
    for call in (*more, *calls) if is_lost else (*calls, *more):
        yield from _written(ground, choice, style, (target, (call,) * everywhere))
        for mixed in _mixed(ground, choice, call, calls) if takes_members(ground.leak, call) else ():
            yield from _written(ground, choice, style, (target, mixed))


def _destructors(ground: Ground) -> Iterator[str]:
    """The functions of the file that end all of an object, and do nothing else with it."""
    for name in ground.leak.finishers:
        known = ground.leak.callees.facts(ProcedureKey(ground.leak.path, name))
        if known is None or not is_at_work(known):
            yield name


def _mixed(ground: Ground, choice: Choice, whole: str, calls: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A call for each point: the destructor where a member holds something, or else where all were set, the plain release before
    that. None where one of both does for all."""
    plain = next((call for call in calls if not takes_members(ground.leak, call)), "")
    for is_late in (_has_members, _has_all_members):
        found = tuple(whole if is_late(ground, spot) else plain for spot in choice.spots)
        if plain and len(set(found)) == 2:
            yield found


def _has_members(ground: Ground, spot: Spot) -> bool:
    """Whether a member that destructors release may hold something."""
    state = ground.pointers.before.get(spot.node, {})
    held = (state.get((spot.place[0], each)) for each in ground.leak.members)
    return len(spot.place) == 1 and any(objects and not objects <= _INITIALISED for objects in held)


def _has_all_members(ground: Ground, spot: Spot) -> bool:
    """Whether each member that destructors release, and that is set somewhere, was set before a point."""
    nodes, before = ground.facts.linked.body.nodes, ground.facts.cfg.reaching(spot.node)
    own = {n: each.field for n, each in enumerate(nodes) if isinstance(each, ir.Store) and each.base == spot.place[0] and each.field in ground.leak.members}
    return len(spot.place) == 1 and {own[n] for n in own if n in before} == set(own.values())


def _joint(ground: Ground, choices: Sequence[Choice], style: Style) -> Iterator[Candidate]:
    """One patch for all that the acquisition leaves in different places: both ends of a pipe."""
    chosen: list[Choice] = []
    for site in ground.sites:
        found = next((each for each in choices if any(site in spot.objects for spot in each.spots)), None)
        if found is None or any(other is not found and other.place == found.place for other in chosen):
            return
        chosen += [found] if found not in chosen else []
    yield from _as_whole(ground, chosen, style)
    releases: dict[int, list[Release]] = {}
    ended = {each.place[0] for each in chosen if len(each.place) == 1 and takes_members(ground.leak, next(iter(release_calls(ground.leak, expression(each.place, ground))), ""))}
    chosen = [each for each in chosen if len(each.place) == 1 or each.place[0] not in ended]
    for choice in chosen if len(chosen) > 1 else ():
        target = expression(choice.place, ground)
        call = next(iter(release_calls(ground.leak, target)), "")
        for spot in choice.spots:
            releases.setdefault(spot.node, []).append(Release(call, _condition(ground, style, spot, (target, call))))
    patch = Patch(ground.leak, style)
    for node in sorted(releases):
        each = releases[node]
        release = Release(";\n".join(one.call for one in each)) if len(each) > 1 else each[0]
        is_bare = not any(one.condition for one in each) or len(each) == 1
        if not is_bare or not all(one.call for one in each) or not patch.put(ground.nodes[node], release):
            return
    if edits := patch.edits():
        words = " and ".join(expression(each.place, ground) for each in chosen)
        yield Candidate(render("fixes/titles/leakfix", expression=words, count=len(releases)), edits)


def _as_whole(ground: Ground, chosen: Sequence[Choice], style: Style) -> Iterator[Candidate]:
    """The way in which the function ends elsewhere the struct whose members are lost together (`key_wipe(&key)`): it may do more than release them."""
    if len(chosen) < 2 or len({(each.place[0], tuple(spot.node for spot in each.spots)) for each in chosen}) != 1:
        return
    found = [whole_releases(ground.leak, ground.pointers, each.place, each.spots) for each in chosen]
    first = Choice(chosen[0].spots, chosen[0].allowed, ((),) * len(chosen[0].spots))
    for call in found[0]:
        if all(call in each for each in found):
            yield from _written(ground, first, style, (expression(chosen[0].place[:1], ground), (call,) * len(first.spots)))


def _written(ground: Ground, choice: Choice, style: Style, released: tuple[str, Sequence[str]]) -> Iterator[Candidate]:
    wholes = [_together(ground, spot, members) for spot, members in zip(choice.spots, choice.members, strict=True)]
    if any(wholes):
        yield from _written_with(ground, choice, style, released, wholes)
    yield from _written_with(ground, choice, style, released, [""] * len(wholes))


def _together(ground: Ground, spot: Spot, members: tuple[Place, ...]) -> str:
    """The call by which the function ends all the members that are released at a point, and perhaps more of the struct; empty where there is none."""
    found = [whole_releases(ground.leak, ground.pointers, each, [spot]) for each in members]
    return next((call for call in found[0] if all(call in each for each in found)), "") if found else ""


def _written_with(ground: Ground, choice: Choice, style: Style, released: tuple[str, Sequence[str]], wholes: Sequence[str]) -> Iterator[Candidate]:
    """The candidate, if it can be written; `wholes` are what ends the members at each point, empty where each is released by itself."""
    leak = ground.leak
    patch = Patch(leak, style)
    target, calls = released
    if any(each[0] == "&" and not _is_visible(ground, msgspec.structs.replace(spot, place=(each[1:],))) for spot in choice.spots for each in spot.objects):
        return  # The text of a literal has no name that could be compared.
    is_inside = bool(leak.releases) and leak.releases[0].argument == ("$0", "*")
    for spot, members, call, whole in zip(choice.spots, choice.members, calls, wholes, strict=True):
        if is_inside and not spot.objects.isdisjoint(_INITIALISED):
            return
        release = Release(call, _condition(ground, style, spot, (target, call)))
        if members and not takes_members(leak, call) and not release.condition:
            # `free` takes null, but there is no member of it.
            test = "" if spot.objects.isdisjoint(_INITIALISED) else style.test(ir.source_name(spot.place[0]), "NULL")
            release = Release(";\n".join([*([whole] if whole else _first(ground, members)), call]), test)
        if not patch.put(ground.nodes[spot.node], release):
            return
    if any(UNSET in spot.objects for spot in choice.spots):
        at = leak.finding.acquired.start
        if len(choice.place) > 1 or not patch.initialise(ir.source_name(choice.place[0]), leak.nothing or "NULL", at):
            return
    edits = patch.edits()
    if edits:
        title = render("fixes/titles/leakfix", expression=target, count=len(choice.spots))
        assumption = lost_with(ground, choice, calls) or lost_owner(ground, choice, calls) or called_into(ground, choice)
        yield Candidate(title, edits, assumption=assumption)


def _first(ground: Ground, members: tuple[Place, ...]) -> list[str]:
    """The releases of members."""
    found = []
    for place in members:
        calls = release_calls(ground.leak, expression(place, ground))
        chosen = ground.leak.releases[0]
        own = [call for call in calls if call.partition("(")[0] == chosen.call]
        found += own[:1] if chosen.accepts_null else []
    return found


def _condition(ground: Ground, style: Style, spot: Spot, released: tuple[str, str]) -> str:
    """What must hold for the release to be safe at a point."""
    leak = ground.leak
    target, call = released
    storage = sorted(each[1:] for each in spot.objects if each[0] == "&")
    if storage:
        names = [name if _is_array(ground, name) else f"&{name}" for name in storage]
        return " && ".join(f"{target} != {name}" for name in names)
    tests = []
    if NONE in spot.base:
        tests.append(style.test(ir.source_name(spot.place[0]), "NULL"))
    copies = made_of(ground.facts, spot.place[0], spot.node) if leak.resource == "descriptor" and len(spot.place) == 1 else ()
    if any(ir.is_literal(each) for each in copies):
        is_named = any(leak.tree.text(each) == "STDERR_FILENO" for each in find(leak.tree.root, "identifier"))
        tests.append(f"{target} > {'STDERR_FILENO' if is_named else '2'}")
    elif (NONE in spot.objects or UNSET in spot.objects) and not accepts_none(leak, call):
        tests.append(style.test(target, leak.nothing))
    return " && ".join(tests)


def _is_array(ground: Ground, name: str) -> bool:
    return ground.facts.linked.types.get(name, "").endswith("]")


def _why(ground: Ground) -> str:
    """Why no point will do, in words."""
    holders = sorted({place for site in ground.sites for place in ground.pointers.holders.get(site, ())})
    if not holders:
        return "no variable holds it"
    name = expression(holders[0], ground)
    sites = frozenset(ground.sites)
    held = [ground.pointers.before.get(node, {}).get(holders[0], _PLAIN) for node in ground.nodes]
    if any(objects <= sites | _INITIALISED and objects & sites for objects in held):
        return f"wherever `{name}` surely holds it, something may use, keep or release it afterwards"
    return f"`{name}` may hold something else wherever a release could stand"
