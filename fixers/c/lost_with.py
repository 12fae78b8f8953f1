"""What would be lost with what a patch of C releases: members that are not released before it, elements of an array.

Errs towards doubt: what a member holds that the function itself has not set is not asked for.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from analyzers import ir
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.c.types import is_plain_c
from fixers.c.ended_members import hung_in, is_ended
from fixers.c.ground import Choice, Ground, expression
from fixers.c.left_beside import ends, left_beside
from fixers.c.links import Objects
from fixers.c.null_elements import is_null_there
from fixers.c.pointers import NONE
from fixers.c.release import destructors, emptiers, is_made
from fixers.leak import Leak
from fixers.paths.shape import inner

_PLAIN: Objects = frozenset((NONE,))


def lost_with(ground: Ground, choice: Choice, calls: Sequence[str]) -> str:
    """Why the releases of a choice are not all; empty where nothing else is lost."""
    return _elements(ground, choice, calls) or _all_lost(ground, choice, calls)


def is_composed(ground: Ground, objects: Objects) -> bool:
    """Whether one of some objects comes from a function that has made its members, too: a plain release leaves those."""
    for each in objects & ground.pointers.sites.keys():
        own = each.partition(":")[2] or "$ret"  # where the call leaves this one
        made = (t for one in ground.facts.effects.get(ground.pointers.sites[each], ()) for t in one.transfers if not t.entry)
        if any(".".join(path).startswith(f"{own}.") for t in made for end in t.outcomes for path in end.paths):
            return True
    return False


def _all_lost(ground: Ground, choice: Choice, calls: Sequence[str]) -> str:
    """Why one of the releases is not all."""
    for call in dict.fromkeys(calls):
        at = [n for n, each in enumerate(calls) if each == call]
        part = Choice(tuple(choice.spots[n] for n in at), choice.allowed, tuple(choice.members[n] for n in at))
        if reason := lost_members(ground, part, call):
            return reason
    return ""


def lost_members(ground: Ground, choice: Choice, call: str) -> str:
    """Why a plain release of a struct is not all: it was given members that destructors of its type release."""
    leak, name = ground.leak, choice.place[0]
    is_part = any(":$ret." in each for spot in choice.spots for each in spot.objects.intersection(ground.sites))
    is_of_maker = is_part or is_made(leak, ir.source_name(name))
    if leak.enders and is_of_maker and call.partition("(")[0] not in (*leak.enders, *destructors(leak)):
        return f"`{leak.enders[0]}` releases all of what was made here"
    if len(choice.place) > 1 or takes_members(leak, call):
        return ""
    if left := _left_members(ground, choice) or _composed_members(ground, choice):
        return left
    for spot, released in zip(choice.spots, choice.members, strict=True) if leak.members else ():
        state = ground.pointers.before.get(spot.node, {})
        known = {place[1] for place in released}
        known.update(place[1] for place, held in state.items() if len(place) > 1 and place[0] == name and held == _PLAIN)
        for each in ground.facts.linked.body.nodes:
            if not isinstance(each, ir.Store) or each.base != name or ir.is_literal(each.src):
                continue
            is_before = each.start < ground.facts.linked.body.nodes[spot.node].start
            if is_before and each.field in leak.members - known and not is_ended(ground.facts, ground.pointers, (name, each.field), spot.node):
                return f"a member of `{expression(choice.place, ground)}` is lost with it (`{each.field}`)"
        for member in sorted(hung_in(ground.facts, ground.pointers, name, spot.node) & leak.members - known):
            return f"what hangs in `{expression(choice.place, ground)}` may be lost with it (`{member}`)"
    return ""


def _composed_members(ground: Ground, choice: Choice) -> str:
    """Why a release of an object is not all: what lies in a member is more than a block, and is lost with it."""
    name = choice.place[0]
    for spot in choice.spots:
        for place, held in ground.pointers.before.get(spot.node, {}).items():
            if len(place) == 2 and place[0] == name and is_composed(ground, held) and not is_ended(ground.facts, ground.pointers, place, spot.node):
                return f"a member of `{expression(choice.place, ground)}` is lost with it (`{place[1]}`)"
    return ""


def _left_members(ground: Ground, choice: Choice) -> str:
    """Why a release of an object is not all: see `left_beside`."""
    facts, name = ground.facts, choice.place[0]
    for spot, released in zip(choice.spots, choice.members, strict=True):
        state, known = ground.pointers.before.get(spot.node, {}), {place[1] for place in released}
        for member in left_beside(facts.linked.body, facts.cfg, facts.effects, name, facts.cfg.reaching(spot.node)):
            if member not in known and state.get((name, member)) != _PLAIN:
                return f"a member of `{expression(choice.place, ground)}` is lost with it (`{member}`)"
    return ""


def _elements(ground: Ground, choice: Choice, calls: Sequence[str]) -> str:
    """Why a release of an array, or of what has one, is not all; a function that goes through the elements knows of them."""
    if emptiers(ground.leak).issuperset(call.partition("(")[0] for call in calls):
        return ""
    return _lost_elements(ground, choice) or _left_elements(ground, choice)


def _lost_elements(ground: Ground, choice: Choice) -> str:
    """Why a release of an array is not all: its elements were acquired here, too, and nothing released them before."""
    nodes, pointers = ground.facts.linked.body.nodes, ground.pointers
    put = {each.src for each in nodes if isinstance(each, ir.StoreElement)}
    used = {
        name for each in nodes if isinstance(each, ir.Call | ir.Store | ir.StoreElement | ir.Copy)
        if not (isinstance(each, ir.Store) and each.base in put)  # `new->next = table[i]; table[i] = new`
        for name in operands(each)
    }
    arrays = inner(ground.facts.linked)
    holders = {each.dst: each.base for each in nodes if isinstance(each, ir.Load) and each.dst in arrays}
    walkers = {each.dst for each in nodes if isinstance(each, ir.Op) and each.operator == "[]+" and each.dst in each.operands[:1]}
    for spot, members in zip(choice.spots, choice.members, strict=True):
        inside = (each for place in members for each in pointers.before[spot.node][place])
        own = spot.objects.union(inside).intersection(ground.placement.sites)
        before = ground.facts.cfg.reaching(spot.node)
        is_filled = is_emptied = False
        for node in ground.facts.cfg.order:
            state, each = pointers.before.get(node, {}), nodes[node]
            if node not in before:
                continue
            match each:
                case ir.StoreElement(base=base, src=src) if pointers.value(state, holders.get(base, base)) & own:
                    is_made = any(one in pointers.sites for one in pointers.value(state, src) - own)
                    is_filled = is_filled or (is_made and not is_null_there(ground.facts, node, spot.node))
                case ir.Store(base=base, field="*", src=src) if base in walkers and pointers.value(state, base) & own:  # `*next = copy(text); ++next;`
                    is_made = any(one in pointers.sites for one in pointers.value(state, src) - own)
                    is_filled = is_filled or (is_made and not is_null_there(ground.facts, node, spot.node))
                case ir.LoadElement(base=base, dst=dst) if dst in used and pointers.value(state, holders.get(base, base)) & own:
                    is_emptied = is_emptied or not _is_of_the_turn(ground, node)
                case _:
                    pass
        if is_filled and (not is_emptied or _released_elsewhere(ground, own, before)):
            return f"the elements of `{expression(choice.place, ground)}` are lost with it"
    return ""


def _is_of_the_turn(ground: Ground, node: int) -> bool:
    """Whether an element is read that the same turn of a loop has set, and not one of an earlier turn: its index is still what it was."""
    nodes, cfg = ground.facts.linked.body.nodes, ground.facts.cfg
    read = nodes[node]
    if not isinstance(read, ir.LoadElement) or ir.is_literal(read.index):
        return False
    seen, waiting = set[int](), list(cfg.predecessors[node])
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        each = nodes[at]
        if isinstance(each, ir.StoreElement) and each.base == read.base and each.index == read.index and not ir.is_literal(each.src):
            continue
        if read.index in assigned(each) or at == ir.ENTRY:
            return False
        waiting += cfg.predecessors[at]
    return True


def _released_elsewhere(ground: Ground, own: Objects, before: Container[int]) -> bool:
    """Whether the function releases elements of such an array elsewhere, but none on the way to a place: what reads them there
    (`strcpy(lines[i], word)`, `shown[i] = lines[i]`) has not taken them."""
    pointers, nodes = ground.pointers, ground.facts.linked.body.nodes
    taken = {
        each.dst for node in ground.facts.cfg.order
        if isinstance(each := nodes[node], ir.LoadElement) and pointers.value(pointers.before.get(node, {}), each.base) & own
    }
    at = [
        node for node in ground.facts.cfg.order
        if isinstance(call := nodes[node], ir.Call) and any(name in taken and ends(ground.facts.effects, node, n) for n, name in enumerate(call.args))
    ]
    return bool(at) and not any(node in before for node in at)


def _left_elements(ground: Ground, choice: Choice) -> str:
    """Why a release of an array is not all: the function takes its elements out, one after the other, before it releases such an
    array elsewhere, and here it has not done so."""
    body, cfg = ground.facts.linked.body, ground.facts.cfg
    written = ground.facts.linked.types.get(choice.place[0], "")
    if len(choice.place) > 1 or "*" not in written or is_plain_c(written.replace("*", "", 1)):
        return ""
    used = {name for each in body.nodes if isinstance(each, ir.Call | ir.Store | ir.StoreElement) for name in operands(each)}
    for spot in choice.spots:
        own = spot.objects.intersection(ground.placement.sites)
        at = {
            node: each for node in cfg.order if isinstance(each := body.nodes[node], ir.LoadElement | ir.StoreElement)
            and ground.pointers.value(ground.pointers.before.get(node, {}), each.base) & own
        }
        taken = [
            node for node, each in at.items() if isinstance(each, ir.LoadElement) and each.dst in used and not ir.is_literal(each.index)
            and any(loop.start <= each.start < loop.end for loop in body.loops)
        ]
        is_filled = any(isinstance(each, ir.StoreElement) for each in at.values())
        released = [node for node, bits in ground.placement.releases.items() if own & ground.placement.objects_of(bits)]
        is_due = any(node in cfg.reaching(each) for node in taken for each in released)
        if is_due and not is_filled and not any(node in cfg.reaching(spot.node) for node in taken):
            return f"the elements of `{expression(choice.place, ground)}` are lost with it"
    return ""


def takes_members(leak: Leak, call: str) -> bool:
    """Whether the function of a release releases members, too."""
    return bool(call) and call.partition("(")[0] in (*leak.enders, *leak.finishers, *destructors(leak))
