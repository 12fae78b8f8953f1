"""Whether a patched procedure still does all else that it did: same calls, stores, tests and ways out, in the same order.

Both graphs are reduced to what has effects, without the releases that the fix wrote, moved or took out; what stands
for the same text before and after must have the same successors. Copies of one text (`finally`) count as one.
Misses what only values decide: a variable that a patch assigns otherwise is the path checker's to judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import operands
from analyzers.queries import Linked
from fixers.edits import inserted, original
from fixers.fix import Edit, Verdict

Judgement = tuple[Verdict, str]

FRESH = frozenset((
    "StringBuilder", "StringBuffer", "StringWriter", "CharArrayWriter", "ByteArrayOutputStream", "ArrayList", "LinkedList", "Vector", "HashMap",
    "LinkedHashMap", "TreeMap", "Hashtable", "HashSet", "LinkedHashSet", "TreeSet", "ArrayDeque", "Properties", "AtomicInteger", "AtomicLong", "AtomicBoolean", "AtomicReference",
    "ConcurrentHashMap", "ConcurrentLinkedQueue", "CopyOnWriteArrayList", "SimpleDateFormat", "DecimalFormat",
))
"""Classes of which an object may be made at any time, of nothing or of literals."""

FRESH_RESULTS = frozenset((
    "newArrayList", "newLinkedList", "newHashMap", "newLinkedHashMap", "newTreeMap", "newConcurrentMap", "newHashSet", "newLinkedHashSet", "newTreeSet",
))
"""Methods that make such an object where they are given nothing, as libraries of collections call them."""

_OF_TEXTS = frozenset(("substring", "lastIndexOf", "indexOf", "trim", "toLowerCase", "toUpperCase"))
"""What texts are asked that never change."""

SYSTEM_CONSTANTS = ('"file.separator"', '"path.separator"')
"""Properties of the system that no program sets, as they are written; of any other one somebody may between two openings."""

_IN_PATHS = ("java.lang.String", "java.io.File")
"""What a path is made of, before anybody looks whether it is there."""

Label = tuple[str, ...]

Name = tuple[Label, int, int]
"""What an instruction does, and where its text lies in the file before."""

_TELLING = frozenset(("addSuppressed", "readLock", "writeLock"))
"""Calls that a release brings with it: `lock.readLock().unlock()`."""


_RETHROWN = "UncheckedIOException"
"""What a handler of a patch may throw what closing throws in."""


class _Step(msgspec.Struct, frozen=True):
    """Instructions of one text. `is_new`: a patch wrote it."""

    name: Name
    nodes: tuple[int, ...]
    is_new: bool


def unchanged(before: Facts, after: Facts, edits: Sequence[Edit], closing: frozenset[str]) -> Judgement:
    """Compares one procedure with what a patch made of it; `closing` are the names of what the patch may call."""
    old = _steps(before, lambda offset: (offset, False))
    ranges = inserted(edits)
    new = _steps(after, lambda offset: _place(edits, ranges, offset))
    known = {each.name for each in old}
    kept = {each.name for each in new if not each.is_new} & known
    gone = [each for each in old if each.name not in kept]
    fresh = [each for each in new if each.name not in kept or each.is_new]
    widened, gone, fresh = _widened(gone, fresh)
    pairs, gone, fresh = _paired(before, after, gone, fresh)
    pairs += widened
    problem = _lost(before, gone, _closed(after, fresh)) or _added(after, fresh, closing | _TELLING)
    if problem:
        return Verdict.REFUTED, problem
    names_before = {node: each.name for each in old if each.name in kept for node in each.nodes}
    names_after = {node: each.name for each in new if not each.is_new and each.name in kept for node in each.nodes}
    for was, now in pairs:
        names_before.update(dict.fromkeys(was.nodes, was.name))
        names_after.update(dict.fromkeys(now.nodes, was.name))
    apart = {names_before[node] for node in _about_releases(before) if node in names_before}
    apart |= {names_after[node] for node in _about_releases(after) if node in names_after}
    names_before = {node: name for node, name in names_before.items() if name not in apart}
    names_after = {node: name for node, name in names_after.items() if name not in apart}
    judgement = _same_order(before, after, names_before, names_after)
    if judgement[0] is Verdict.REFUTED:
        return judgement
    times = Counter(was.name[0] for was, _ in pairs)
    paired = {was.name for was, _ in pairs if times[was.name[0]] > 1}
    return _same_handlers(before, after, _without(names_before, paired), _without(names_after, paired))


def _without(names: Mapping[int, Name], others: set[Name]) -> dict[int, Name]:
    return {node: name for node, name in names.items() if name not in others}


def _place(edits: Sequence[Edit], ranges: Sequence[tuple[int, int]], offset: int) -> tuple[int, bool]:
    """Where a byte of the patched text was before; what a patch wrote has its new place."""
    is_new = any(low <= offset < high for low, high in ranges)
    return (offset if is_new else original(edits, offset)), is_new


def _steps(facts: Facts, place: Callable[[int], tuple[int, bool]]) -> list[_Step]:
    """The steps of a procedure by the order of their texts."""
    body = facts.linked.body
    capacities = _capacities(body)
    found: dict[tuple[Name, bool], list[int]] = defaultdict(list)
    for node in sorted(_reached(facts, ())):
        label = _label(body.nodes[node], facts.linked.types, capacities)
        if label is not None:
            each = body.nodes[node]
            start, is_new = place(body.start + each.start)
            end, _ = place(max(body.start + each.end - 1, body.start + each.start))
            found[(label, start, end), is_new].append(node)
    return sorted(
        (_Step(name, tuple(nodes), is_new) for (name, is_new), nodes in found.items()),
        key=lambda step: (step.name[1], step.name[2], step.name[0], step.is_new),
    )


def _capacities(body: ir.Procedure) -> frozenset[str]:
    """The variables that only say how much new collections have room for: whenever they are counted, the collections are as empty."""
    sizes = {node.dst for node in body.nodes if isinstance(node, ir.Call) and node.name in _COUNTING and not node.args and node.dst}
    for node in body.nodes if sizes else ():
        is_room = isinstance(node, ir.Call) and node.kind == "new" and _is_fresh(node) and not _made(node).startswith("Atomic")
        sizes.difference_update(() if is_room else operands(node))
    return frozenset(sizes)


_COUNTING = ("length", "size")


def _made(call: ir.Call) -> str:
    """The simple name of the class that a call makes an object of."""
    return call.qualifier.partition("<")[0].rpartition(".")[2]


def _is_fresh(call: ir.Call) -> bool:
    return _made(call) in FRESH


def _label(instruction: ir.Instruction, known: Mapping[str, str], capacities: Set[str]) -> Label | None:
    """What an instruction does to the world, None for one that only computes, or returns: returns that run through
    one `finally` are one instruction."""
    match instruction:
        case ir.Call(kind="new", args=args) if _is_fresh(instruction) and all(each.startswith("=") or known.get(each) == "int" for each in args):
            return None
        case ir.Call(name="length", receiver=receiver, args=()) if known.get(receiver) == "java.lang.String":
            return None  # A text never changes.
        case ir.Call(name=name, receiver=receiver) if name in _OF_TEXTS and known.get(receiver) == "java.lang.String":
            return None
        case ir.Call(kind="static", name="getProperty", qualifier="System" | "java.lang.System", args=(given,)) if given[1:] in SYSTEM_CONSTANTS:
            return None
        case ir.Call(kind="new", receiver=receiver, args=args) if known.get(receiver) == "java.io.File" and all(each.startswith("=") or known.get(each) in _IN_PATHS for each in args):
            return None
        case ir.Call(name="size" | "length", dst=dst, receiver=receiver, args=()) if dst in capacities and known.get(receiver, "").startswith(("java.util.", "java.lang.")):
            return None
        case ir.Call(name=name, args=()) if name in FRESH_RESULTS:
            return None
        case ir.Call(kind=kind, name=name, qualifier=qualifier, args=args):
            return "call", kind, qualifier.rpartition(".")[2], name, str(len(args))
        case ir.Store(field=field):
            return "store", field
        case ir.StoreElement():
            return ("element",)
        case ir.Throw():
            return ("throw",)
        case ir.Catch(types=types):
            return "catch", *types
        case ir.Branch(operator=operator):
            return "branch", operator
        case _:
            return None


def _reached(facts: Facts, silent: Iterable[int]) -> set[int]:
    """The nodes that can run, where the `silent` ones throw nothing."""
    linked, quiet = facts.linked, frozenset(silent)
    seen = {ir.ENTRY}
    work = [ir.ENTRY]
    while work:
        node = work.pop()
        raised = linked.raises[node] if node not in quiet else ()
        for successor in (*linked.next[node], *raised):
            if successor not in seen:
                seen.add(successor)
                work.append(successor)
    return seen


# --- what came and what went


def _paired(
    before: Facts, after: Facts, gone: list[_Step], fresh: list[_Step]
) -> tuple[list[tuple[_Step, _Step]], list[_Step], list[_Step]]:
    """Steps whose text the patch wrote anew, and what is left of both sides. Releases have no partners, nor has what asks whether there is
    something to release: that of a header would pass for a test of the code."""
    waiting: dict[Label, list[_Step]] = defaultdict(list)
    asking, asking_now = _about_releases(before), _about_releases(after)
    for each in fresh:
        if not _is_release(after, each) and not asking_now.issuperset(each.nodes):
            waiting[each.name[0]].append(each)
    pairs, lost = [], []
    for each in gone:
        partners = waiting.get(each.name[0])
        if partners and not _is_release(before, each) and not asking.issuperset(each.nodes):
            pairs.append((each, partners.pop(0)))
        else:
            lost.append(each)
    taken = {id(now) for _, now in pairs}
    return pairs, lost, [each for each in fresh if id(each) not in taken]


def _widened(gone: list[_Step], fresh: list[_Step]) -> tuple[list[tuple[_Step, _Step]], list[_Step], list[_Step]]:
    """Handlers of one type whose type alone a patch writes anew, those that it gives another type, and what is left of both sides. Who meets
    them is asked later."""
    found = [
        (was, now) for was in gone for now in fresh
        if was.name[0][0] == now.name[0][0] == "catch" and "*" not in (*was.name[0], *now.name[0]) and was.name[2] == now.name[2]
        and (len(was.name[0]) == len(now.name[0]) or set(was.name[0]) < set(now.name[0]))
    ]
    old, new = {id(was) for was, _ in found}, {id(now) for _, now in found}
    return found, [each for each in gone if id(each) not in old], [each for each in fresh if id(each) not in new]


def _is_release(facts: Facts, step: _Step) -> bool:
    return any(_releases(facts, node) for node in step.nodes)


def _releases(facts: Facts, node: int) -> bool:
    return any(
        transfer.entry and any(outcome.fate == "released" for outcome in transfer.outcomes)
        for effects in facts.effects.get(node, ())
        for transfer in effects.transfers
    )


def _closed(after: Facts, fresh: list[_Step]) -> frozenset[str]:
    """The variables that a patch releases."""
    nodes = after.linked.body.nodes
    calls = [nodes[node] for each in fresh if _is_release(after, each) for node in each.nodes]
    return frozenset(ir.source_name(each.receiver) for each in calls if isinstance(each, ir.Call) and each.receiver)


def _is_flushed(before: Facts, node: int, closed: frozenset[str]) -> bool:
    """Whether a call only flushes a stream or writer of the JDK that a patch closes, which flushes it, too."""
    call, target = before.linked.body.nodes[node], before.linked.targets.get(node)
    is_flush = isinstance(call, ir.Call) and call.name == "flush" and not call.args and ir.source_name(call.receiver) in closed
    return is_flush and target is not None and not target.procedures and "java.io.Flushable.flush" in target.models


def _asking(before: Facts, closed: frozenset[str]) -> frozenset[int]:
    """The calls that only ask whether a variable that a patch closes is closed already, and the tests of their answers."""
    nodes = before.linked.body.nodes
    calls = [
        (number, each) for number, each in enumerate(nodes)
        if isinstance(each, ir.Call) and each.name == "isClosed" and not each.args and ir.source_name(each.receiver) in closed
    ]
    answers = {each.dst for _, each in calls if each.dst}
    tests = [number for number, each in enumerate(nodes) if isinstance(each, ir.Branch) and not answers.isdisjoint((each.left, each.right))]
    return frozenset((*(number for number, _ in calls), *tests))


def _lost(before: Facts, gone: list[_Step], closed: frozenset[str]) -> str:
    """Why steps may not be taken out: only releases, the tests for null around them, what handles their failures, and flushes of
    variables that are `closed`."""
    releases = [node for each in gone if _is_release(before, each) or _is_flushed(before, each.nodes[0], closed) for node in each.nodes]
    running = _reached(before, releases)
    asking = _asking(before, closed)
    for each in gone:
        if _is_release(before, each) or running.isdisjoint(each.nodes):
            continue
        if asking.issuperset(each.nodes):
            continue
        if not _is_passing_on(before.linked.body.nodes[each.nodes[0]]) and not _is_flushed(before, each.nodes[0], closed):
            return f"{_described(each)} would no longer run"
    return ""


def _added(after: Facts, fresh: list[_Step], names: frozenset[str]) -> str:
    for each in fresh:
        instruction = after.linked.body.nodes[each.nodes[0]]
        match instruction:
            case ir.Call(kind=kind, name=name, qualifier=qualifier):
                is_rethrown = kind == "new" and qualifier.rpartition(".")[2] == _RETHROWN
                is_ours = _is_release(after, each) or name in names or is_rethrown
            case ir.Throw() | ir.Catch() | ir.Store(src="=null"):
                is_ours = True
            case _:
                is_ours = _is_null_test(instruction)
        if not is_ours:
            return f"{_described(each)} would run anew"
    return ""


def _is_passing_on(instruction: ir.Instruction) -> bool:
    """Whether it only belongs to how a release is run: a test for null, a `finally` that throws on what it met."""
    match instruction:
        case ir.Catch(types=types):
            return types == ("*",)
        case ir.Throw(src=src):
            return ir.is_temporary(src)
        case _:
            return _is_null_test(instruction)


def _is_null_test(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Branch) and "=null" in (instruction.left, instruction.right)


def _described(step: _Step) -> str:
    kind, *words = step.name[0]
    match kind:
        case "call":
            return f"`new {words[1]}`" if words[0] == "new" else f"`{words[2]}`"
        case "store":
            return f"storing to `{words[0]}`"
        case "branch":
            return "a test"
        case "element":
            return "storing to an array"
        case "throw":
            return "a `throw`"
        case "catch":
            return f"the handler of {' and '.join(words)}"
        case _:
            return f"the {kind}"


# --- the order of what stays


def _about_releases(facts: Facts) -> set[int]:
    """Releases, whose order other checks judge, and the tests for null that lead to nothing else."""
    nodes, linked = facts.linked.body.nodes, facts.linked
    found = {node for node in facts.effects if _releases(facts, node)}
    for node, instruction in enumerate(nodes):
        if not _is_null_test(instruction):
            continue
        for each in linked.next[node]:
            while _label(nodes[each], linked.types, frozenset()) is None and len(linked.next[each]) == 1 and each > ir.RAISE:
                each = linked.next[each][0]
            if each in found and isinstance(nodes[each], ir.Call):
                found.add(node)
    return found


def _same_order(before: Facts, after: Facts, old: Mapping[int, Name], new: Mapping[int, Name]) -> Judgement:
    was, now = _successors(before, old), _successors(after, new)
    for name in sorted(was, key=lambda each: (each[1], each[2], each[0])):
        if was[name] != now.get(name):
            return Verdict.REFUTED, f"what follows {_described(_Step(name, (), is_new=False))} would change"
    return Verdict.PROVED, "all else runs as before"


def _same_handlers(before: Facts, after: Facts, old: Mapping[int, Name], new: Mapping[int, Name]) -> Judgement:
    """Whether what a step throws meets the handlers that it met, where no new one lies between."""
    was, now = _handlers(before, old), _handlers(after, new)
    for name in sorted(was.keys() & now.keys(), key=lambda each: (each[1], each[2], each[0])):
        (sure, known), (sure_now, known_now) = was[name], now[name]
        if not (sure <= known_now and sure_now <= known):
            return Verdict.REFUTED, f"what handles the failure of {_described(_Step(name, (), is_new=False))} would change"
    return Verdict.PROVED, "all else runs as before"


def _handlers(facts: Facts, names: Mapping[int, Name]) -> dict[Name, tuple[set[Name], set[Name]]]:
    """Per step the handlers that its exceptions meet, those that are not only believed (for somebody has to throw what is
    caught) and all; only of steps that meet none but known ones. What a `finally` passes on may meet any behind it."""
    linked = facts.linked
    found: dict[Name, tuple[set[Name], set[Name]]] = {}
    unsure: set[Name] = set()
    for node in sorted(_reached(facts, ())):
        name = names.get(node)
        if name is None or isinstance(linked.body.nodes[node], ir.Throw):
            continue
        believed = linked.believed.get(node, ())
        raised = [
            (each, at not in believed and each == at) for at in linked.raises[node] for each in _beyond(linked, names, at)
        ]
        met = [names.get(each) or _fixed(each) for each, _ in raised]
        sure, known = found.setdefault(name, (set(), set()))
        known.update(each for each in met if each is not None)
        sure.update(each for (_, is_sure), each in zip(raised, met, strict=True) if each is not None and is_sure)
        if None in met:
            unsure.add(name)
    return {name: met for name, met in found.items() if name not in unsure}


def _beyond(linked: Linked, names: Mapping[int, Name], handler: int) -> tuple[int, ...]:
    """Where an exception goes on to behind a `finally` that only releases; the handler itself for any other."""
    nodes = linked.body.nodes
    if not isinstance(catch := nodes[handler], ir.Catch) or catch.types != ("*",):
        return (handler,)
    seen, work = {handler}, list(linked.next[handler])
    found: list[int] = []
    while work:
        each = work.pop()
        if each <= ir.RAISE or (each in names and not isinstance(nodes[each], ir.Throw)):
            return (handler,)
        if isinstance(nodes[each], ir.Throw):
            found += [one for at in linked.raises[each] for one in _beyond(linked, names, at)]
        elif each not in seen:
            seen.add(each)
            work += linked.next[each]
    return tuple(dict.fromkeys(found)) or (handler,)


def _successors(facts: Facts, names: Mapping[int, Name]) -> dict[Name, set[Name]]:
    """Per step the steps that may run next, where nothing throws."""
    linked = facts.linked
    reached = _reached(facts, ())
    found: dict[Name, set[Name]] = {}
    for node in sorted(reached):
        name = names.get(node) or (_fixed(node) if node == ir.ENTRY else None)
        if name is None:
            continue
        following: set[Name] = set()
        seen = set(linked.next[node])
        work = list(seen)
        while work:
            each = work.pop()
            label = names.get(each) or _fixed(each)
            if label is not None:
                following.add(label)
                continue
            for successor in linked.next[each]:
                if successor not in seen:
                    seen.add(successor)
                    work.append(successor)
        found.setdefault(name, set()).update(following)
    return found


def _fixed(node: int) -> Name | None:
    """The entry and the ways out are there before and after."""
    return (("start of the procedure" if node == ir.ENTRY else "end",), node, node) if node <= ir.RAISE else None
