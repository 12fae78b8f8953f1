"""Places that a procedure takes and gives back (`frontends.scoped`): on which ways it forgets that, and does not mean to keep them.

Many procedures take a lock for their caller, or give back one that their caller took. So a way is told only where the procedure gives the same
lock back on another one, that lies behind it in the source, and nobody whom it calls, or who calls it, gives it back for it. Misses
a lock that is kept by mistake where the others only fail, and exceptions of callees; errs where an alias of the lock is given back by somebody
whose body is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers import ir
from analyzers.domains.obligation import Obligation
from analyzers.frontends.scoped import ENDS, TAKES, last_name, last_part, name_of, wrapped_by
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.summaries import SCOPED

_KEEPING = frozenset((
    "lock", "locked", "locks", "trylock", "rdlock", "wrlock", "acquire", "enter", "begin", "hold", "grab", "guard", "claim", "suspend", "pause", "freeze", "reserve",
))
"""Words in names of procedures that take something for who calls them."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_LABELS = re.compile(rb"\bgoto\s+\w+|^\s*\w+\s*:", re.MULTILINE)
_NAMES = re.compile(rb"[A-Za-z_]\w*")

_WAITS = re.compile("cond.*wait", re.IGNORECASE)

_DEPTH = 3
"""How far down callees are asked whether they give a lock back."""

_MOST_CALLERS = 24
_MOST_HELD = 8


def held_name(scene: Scene, node: int) -> str:
    """The variable that stands for the place that a call takes; empty where it takes none."""
    call = scene.nodes[node]
    if not isinstance(call, ir.Call):
        return ""
    for operand in (call.receiver, *call.args):
        for name in (operand, *scene.addresses.get(operand, ())[:1]):
            variable = scene.variables.get(name)
            if variable is not None and ir.HELD in variable.attributes:
                return name
    return ""


def forgotten(scene: Scene, obligation: Obligation, losses: list[Loss]) -> list[Loss]:
    """Those losses of a lock that a maintainer would call forgotten."""
    linked, taking = scene.linked, obligation.node
    name = held_name(scene, taking)
    simple = linked.key.name.partition("(")[0].rpartition(".")[2].rpartition(":")[2]
    part = last_name(name)
    if linked.body.error is not None or not _KEEPING.isdisjoint(word.lower() for word in _WORDS.findall(simple)) or _mentions_more(scene) or _is_given_back_by_others(scene, simple, part):
        return []
    releases = [node for node in range(len(scene.nodes)) if node != taking and held_name(scene, node) == name and _ends(scene, node)]
    if (asked := _asked(scene, _condition(scene, taking))) and asked in {_asked(scene, _condition(scene, node)) for node in releases}:
        return []  # Whether a callee has changed what both ask is not known.
    if any(_is_noted(scene, node) for node in releases):
        return []
    return [loss for loss in losses if _is_forgotten(scene, taking, frozenset(releases), loss, part)]


def _ends(scene: Scene, node: int) -> bool:
    call = scene.nodes[node]
    return isinstance(call, ir.Call) and ENDS.search(call.name) is not None


def _condition(scene: Scene, node: int) -> ir.Branch | None:
    """The test that a call hangs on, where nothing else comes before it there."""
    while len(before := scene.cfg.predecessors[node]) == 1:
        node = before[0]
        branch = scene.nodes[node]
        if isinstance(branch, ir.Branch):
            return branch
        if not isinstance(branch, ir.Load | ir.AddressOf | ir.Copy):
            return None
    return None


def _asked(scene: Scene, branch: ir.Branch | None) -> tuple[str, ...]:
    """What a test asks, wherever it stands: the places that it compares, without how. Empty for nothing."""
    return tuple(sorted({_read(scene, each) for each in (branch.left, branch.right) if each})) if branch is not None else ()


def _read(scene: Scene, operand: str) -> str:
    """Where the value of an operand was read from, as far as it is a temporary."""
    made = scene.definitions.get(operand, ()) if ir.is_temporary(operand) else ()
    node = scene.nodes[made[0]] if len(made) == 1 else None
    return f"{_read(scene, node.base)}.{node.field}" if isinstance(node, ir.Load) else operand


def _is_noted(scene: Scene, node: int) -> bool:
    """Whether a release hangs on a variable that only notes something (`locked = true; … if (locked) unlock(lock);`)."""
    condition = _condition(scene, node)
    made = [scene.nodes[each] for each in scene.definitions.get(condition.left, ())] if condition is not None else []
    return len(made) > 1 and all(isinstance(each, ir.Copy) or (isinstance(each, ir.Load) and not each.base) for each in made)


def _is_forgotten(scene: Scene, taking: int, releases: frozenset[int], loss: Loss, part: str) -> bool:
    last = scene.nodes[loss.node]
    if loss.exit != "return" and not isinstance(last, ir.Throw):
        return False
    released = _behind(scene, releases, frozenset((taking,)))
    if ir.EXIT not in released or not releases:
        return False
    way = _behind(scene, frozenset((taking,)), releases) & _before(scene, loss.node, releases)
    end = max(scene.nodes[node].start for node in releases)
    if any(scene.nodes[node].start > end and node not in released for node in way if node > ir.RAISE):
        return False
    if any(_may_give_back(scene.linked, node, scene, part) or _hands_on(scene, node, part) for node in way) or not _is_reached_without_waiting(scene, taking, releases, loss.node):
        return False
    others = [node for node in scene.cfg.predecessors[ir.EXIT] if node in released]
    return not (all(_is_failure(scene.nodes[node]) for node in others) and isinstance(last, ir.Return) and last.src and not _is_failure(last))


def _is_reached_without_waiting(scene: Scene, taking: int, releases: frozenset[int], node: int) -> bool:
    """Whether a way leads there that does not wait with the lock: that a wait fails, which some ask, says that the program is wrong already."""
    waits = frozenset(each for each, call in enumerate(scene.nodes) if isinstance(call, ir.Call) and call.dst and _WAITS.search(call.name))
    return not waits or node in _behind(scene, frozenset((taking,)), releases | waits)


def _is_failure(node: ir.Instruction) -> bool:
    """Whether a return says that something failed."""
    return isinstance(node, ir.Return) and (node.src in ("=null", "=false", "=NULL") or node.src.startswith("=-"))


def _behind(scene: Scene, starts: frozenset[int], stops: frozenset[int]) -> set[int]:
    """What comes behind some nodes, on ways that pass none of the others."""
    found: set[int] = set()
    waiting = [each for node in starts for each in scene.cfg.successors[node]]
    while waiting:
        node = waiting.pop()
        if node not in found and node not in stops:
            found.add(node)
            waiting.extend(scene.cfg.successors[node])
    return found


def _before(scene: Scene, node: int, stops: frozenset[int]) -> set[int]:
    """What comes before a node, on ways that pass none of the others; the node, too."""
    found: set[int] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each not in found and each not in stops:
            found.add(each)
            waiting.extend(scene.cfg.predecessors[each])
    return found


def _mentions_more(scene: Scene) -> bool:
    """Whether the source of a procedure names a release that is no call of it: a macro, a callback, a function that is passed."""
    called = {(node.start, node.name) for node in scene.nodes if isinstance(node, ir.Call) and ENDS.search(node.name)}
    source = _LABELS.sub(b" ", _COMMENTS.sub(b" ", scene.queries.source_of(scene.linked.key)))
    return sum(ENDS.search(name.decode()) is not None for name in _NAMES.findall(source)) > len(called)


def _may_give_back(linked: Linked, number: int, scene: Scene, part: str) -> bool:
    """Whether a call may give back what its caller took."""
    node = linked.body.nodes[number]
    if not isinstance(node, ir.Call):
        return False
    target = linked.targets.get(number)
    if target is None or not target.procedures:
        is_known = target is not None and (any(each.endswith(SCOPED) for each in target.models) or scene.queries.model(target.models, target.parameters) is not None)
        return not is_known and ENDS.search(node.name) is not None
    return any(_gives_back(scene, key, _DEPTH, set(), part) for key in target.procedures)


def _hands_on(scene: Scene, node: int, part: str) -> bool:
    """Whether an instruction passes the lock itself to somebody, stores it, or returns it: who has it may give it back."""
    each = scene.nodes[node]
    if isinstance(each, ir.Call):
        target = scene.linked.targets.get(node)
        is_library = target is not None and not target.procedures and scene.queries.model(target.models, target.parameters) is not None
        handed = () if is_library else each.args
    else:
        handed = (each.src,) if isinstance(each, ir.Store | ir.StoreElement | ir.Return) else ()
    return any(operand and not ir.is_literal(operand) and (name_of(scene.linked, operand) or last_name(operand)) == part for operand in handed)


def _gives_back(scene: Scene, key: ProcedureKey, depth: int, seen: set[ProcedureKey], part: str) -> bool:
    """Whether a procedure, or one that it calls, gives back such a lock, and has not taken it."""
    if key in seen:
        return False
    seen.add(key)
    linked = scene.queries.linked(key)
    if linked is None:
        return False
    if _gives_only(linked, part, scene.queries):
        return True
    return depth > 0 and any(_gives_back(scene, each, depth - 1, seen, part) for each in _called(linked))


def _called(linked: Linked) -> Iterator[ProcedureKey]:
    for target in linked.targets.values():
        yield from target.procedures


def _is_unpaired(node: ir.Instruction, linked: Linked, number: int) -> bool:
    """Whether a call gives back what the procedure has not surely taken itself."""
    if not isinstance(node, ir.Call) or not ENDS.search(node.name):
        return False
    target = linked.targets.get(number)
    return target is None or not any(each.endswith(SCOPED) for each in target.models)


def _is_given_back_by_others(scene: Scene, simple: str, part: str) -> bool:
    """Whether another procedure of the file, or one that names this one, gives back such a lock, and has not taken it."""
    queries, own = scene.queries, scene.linked.key
    unit = queries.unit(own.path)
    beside = [ProcedureKey(own.path, each.name) for each in unit.procedures if each.kind != "macro"] if unit is not None else []
    for key in dict.fromkeys((*beside, *queries.callers(simple)[:_MOST_CALLERS])):
        linked = queries.linked(key) if key != own else None
        if linked is not None and _gives_only(linked, part, queries) and (linked.language != "c" or wrapped_by(key, queries) is None):
            return True  # A function that only wraps the release is judged by who calls it.
    return False


def _gives_only(linked: Linked, part: str, queries: Queries) -> bool:
    """Whether a procedure gives back more locks of this name on some way than it has taken."""
    calls = [(number, node) for number, node in enumerate(linked.body.nodes) if isinstance(node, ir.Call)]
    given = {number for number, node in calls if ENDS.search(node.name) and _is_such(node, linked, number, part, queries)}
    if not given:
        return False
    taken = [number for number, node in calls if TAKES.search(node.name) and not ENDS.search(node.name) and last_part(linked, number, queries) == part]
    taking = {_test_before(linked, number) for number in taken}
    seen, waiting = {(ir.ENTRY, 0)}, [(ir.ENTRY, 0)]
    while waiting:
        node, level = waiting.pop()
        for each in (*linked.next[node], *linked.raises[node]):
            if each in (ir.EXIT, ir.RAISE) and level < 0:
                return True
            state = (each, max(-1, min(_MOST_HELD, level + (each in taking) - (each in given))))
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return False


def _is_such(call: ir.Call, linked: Linked, number: int, part: str, queries: Queries) -> bool:
    """Whether a call gives back a lock of this name, or one of which that is not clear, and which its procedure has not surely taken itself."""
    found = last_part(linked, number, queries)
    return found == part or (not found and _is_unpaired(call, linked, number))


def _test_before(linked: Linked, number: int) -> int:
    """The test that a call hangs on, or the call, where there is none: what is taken on one side is given back behind the same test."""
    before: dict[int, list[int]] = {}
    for node, following in enumerate(linked.next):
        for each in following:
            before.setdefault(each, []).append(node)
    node = number
    while len(found := before.get(node, [])) == 1:
        node = found[0]
        if isinstance(linked.body.nodes[node], ir.Branch):
            return node
        if not isinstance(linked.body.nodes[node], ir.Load | ir.AddressOf | ir.Copy):
            break
    return number
