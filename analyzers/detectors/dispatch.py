"""Losses that only what the code does not say can make real.

A loop overwrites a handle if it takes the same branch of a dispatch twice.
Options, keys of a record, tokens of a file: `if (strcmp(key, "name") == 0) name = strdup(value);` in a loop loses the first
name where one comes twice. Whether that can be is for the input to say; whether two `#if` of one function are compiled
together, for the platform. Misses nothing by itself: such losses are assumed.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.detectors.flagged import passes_by
from analyzers.domains import guard
from analyzers.handles.runs import Loss
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite, Move
from analyzers.handles.unknown import words_of

_COMPARING = frozenset(("cmp", "eq", "equal", "equals", "match", "matches", "strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp"))

_CONFIGURED = "if%"
"""What the names of variables begin with that conditional compilation branches on."""


def is_repeated(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether a handle is lost where it was acquired, or where another takes its place, in a turn for which a test chooses the same
    of several things to do."""
    at, again = scene.nodes[acquired], scene.nodes[loss.node]
    is_same = again.start <= at.start < at.end <= again.end
    is_named = not scene.is_java and _named_anew(again) in _names(scene, acquired)
    if loss.exit or not (is_same or is_named or isinstance(again, ir.Call)):
        return False
    above = dominating(scene.dominators, acquired)
    if is_named:  # `value = get(option); if (strcmp(name, "size") == 0) size = value;`
        chosen = dominating(scene.dominators, loss.node)
    else:
        chosen = above if is_same else above & dominating(scene.dominators, loss.node)
    return any(
        isinstance(node := scene.nodes[each], ir.Branch) and len(scene.cfg.normal[each]) == 2
        and any(scene.cfg.normal[each][side] in chosen for side in _choices(scene, node))
        and (is_same or is_named or not passes_by(scene, acquired, loss.node, each))
        for each in sorted(scene.cfg.reachable_from(acquired) & _before(scene, chosen))
    )


def _named_anew(node: ir.Instruction) -> str:
    """What an instruction puts into a variable, or a member; not where a caller waits for it (`*out = name`)."""
    return node.src if isinstance(node, ir.Copy) or (isinstance(node, ir.Store) and node.field != "*") else ""


def _names(scene: Scene, acquired: int) -> set[str]:
    """The variables of C that get what a node acquires."""
    call = scene.nodes[acquired]
    first = call.dst if isinstance(call, ir.Call) else ""
    names, waiting = {first}, [first] if first else []
    while waiting:
        fresh = {copy.dst for copy in scene.copies.get(waiting.pop(), ())} - names
        names |= fresh
        waiting += sorted(fresh)
    return names - {""}


def is_of_two_configurations(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether a handle of C is acquired in the text of one `#if` and lost in that of another."""
    if not any(attribute.startswith("configured(") for attribute in scene.body.attributes):
        return False
    here = _configured(scene, acquired)
    return bool(here) and not _configured(scene, loss.node) <= here


def is_past_all_configurations(scene: Scene, sites: dict[int, CallSite], acquired: int, loss: Loss) -> bool:
    """Whether a handle of C is released, or stored, in `#if` and in every `#elif` behind it, and lost where none of them is compiled, for
    which there is no `#else`: the program is built for no such platform."""
    call = scene.nodes[acquired]
    if not any(attribute.startswith("configured(") for attribute in scene.body.attributes) or not isinstance(call, ir.Call):
        return False
    names = {call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))} - {""}
    for last in sorted(scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)):
        sides = _chain(scene, last)
        if len(sides) > 1 and all(_is_dealt_with(scene, sites, side, names) for _, side in sides):
            first = sides[-1][0]
            if not passes_by(scene, acquired, loss.node, first):
                return True
    return False


def _chain(scene: Scene, last: int) -> list[tuple[int, int]]:
    """The tests of `#if` and of each `#elif` behind it, the last one first, each with the side that it compiles; empty where another
    follows, or `#else`."""
    found: list[tuple[int, int]] = []
    past = next((each for each in scene.cfg.normal[last] if len(scene.cfg.predecessors[each]) > 1), -1)
    node = last
    while isinstance(test := scene.nodes[node], ir.Branch) and test.left.startswith(_CONFIGURED) and past in scene.cfg.normal[node]:
        side = next((each for each in scene.cfg.normal[node] if each != past), -1)
        if side < 0:
            return []
        found.append((node, side))
        if len(scene.cfg.predecessors[node]) != 1:
            break
        past, node = node, scene.cfg.predecessors[node][0]
    return found


def _is_dealt_with(scene: Scene, sites: dict[int, CallSite], side: int, names: set[str]) -> bool:
    """Whether something behind the beginning of a side, and only there, releases one of some variables, takes it over or stores it."""
    dealing = [node for node, site in sites.items() if not names.isdisjoint(site.call.args) and any(_deals(each, names) for each in site.moves)]
    dealing += [node for node, each in enumerate(scene.nodes) if isinstance(each, ir.Store | ir.StoreElement) and each.src in names]
    return any(side in dominating(scene.dominators, node) for node in dealing)


def _deals(move: Move, names: set[str]) -> bool:
    return move.entry[0] in names and any(end.fate == "released" or any(path[:1] == RESULT for path in end.paths) for end in move.outcomes)


def _configured(scene: Scene, at: int) -> frozenset[tuple[str, int]]:
    """The sides of conditional compilation that a node is in."""
    above = dominating(scene.dominators, at)
    return frozenset(
        (node.left, side) for each in above
        if isinstance(node := scene.nodes[each], ir.Branch) and node.left.startswith(_CONFIGURED)
        for side, successor in enumerate(scene.cfg.normal[each]) if successor in above and successor != each
    )


def dominating(tree: Sequence[int], node: int) -> set[int]:
    """A node and all that dominate it, in the tree of dominators."""
    found: set[int] = set()
    while node not in found and node >= 0:
        found.add(node)
        node = tree[node]
    return found


def _before(scene: Scene, nodes: set[int]) -> set[int]:
    return {before for node in nodes for before in scene.cfg.predecessors[node]}


def _choices(scene: Scene, branch: ir.Branch) -> tuple[int, ...]:
    """The sides of a branch that one value of what it tests leads to."""
    if branch.operator in ("==", "!=") and _is_constant(scene, branch.right):
        return (0,) if branch.operator == "==" else (1,)
    definitions = scene.definitions.get(branch.left, ())
    call = scene.nodes[definitions[0]] if len(definitions) == 1 else None
    if not isinstance(call, ir.Call):
        return ()
    is_comparing = not _COMPARING.isdisjoint(words_of(call.name)) or any(each.startswith('="') for each in call.args)
    return (0, 1) if is_comparing else ()


def _is_constant(scene: Scene, operand: str) -> bool:
    """Whether an operand is a literal but 0, or a constant by name (`case OPT_FILE:`)."""
    if ir.is_literal(operand):
        return guard.literal(operand) != guard.ZERO
    place = scene.loads.get(operand, ("",))
    return len(place) == 1 and place[0][:2] == "::" and place[0].isupper()
