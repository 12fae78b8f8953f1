"""What the path checker reads off a procedure once: arrays, structs, and from where every path ends the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from analyzers import ir
from analyzers.graphs.cfg import reached
from analyzers.queries import Linked
from analyzers.summaries import Effects
from fixers.paths import liveness
from fixers.paths.elements import ELEMENT
from fixers.paths.question import Question
from fixers.paths.relevance import wrapped


def ending(linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> frozenset[int]:
    """The nodes from which every path ends with the process: nothing is lost there."""
    count = len(linked.body.nodes)
    left: list[set[int]] = []
    before: list[list[int]] = [[] for _ in range(count)]
    for node in range(count):
        known = effects.get(node, ())
        is_last = bool(known) and all(each.returns == "never" for each in known)
        onward = {*linked.raises[node], *(() if is_last else linked.next[node])}
        left.append(onward)
        for successor in onward:
            before[successor].append(node)
    found: set[int] = set()
    work = [node for node in range(count) if not left[node] and node not in (ir.EXIT, ir.RAISE)]
    while work:
        node = work.pop()
        found.add(node)
        for each in before[node]:
            left[each].discard(node)
            if not left[each]:
                work.append(each)
    return frozenset(found)


def reached_without(linked: Linked, nodes: frozenset[int]) -> frozenset[int]:
    """The nodes to which a path from the entry leads that meets none of some nodes."""
    found, work = {ir.ENTRY}, [ir.ENTRY]
    while work:
        node = work.pop()
        for after in (*linked.next[node], *linked.raises[node]):
            if after not in found and after not in nodes:
                found.add(after)
                work.append(after)
    return frozenset(found)


def starting(linked: Linked, effects: Mapping[int, tuple[Effects, ...]], question: Question) -> tuple[int, ...]:
    """The acquisitions, where every path to a release of the fix meets one; none otherwise, and where what lies before them matters:
    sizes that may be zero, members that may not be set or that hold the number of what is closed."""
    if question.language != "c" or question.owned or question.is_about_results or not question.ours:
        return ()
    is_sized = any(one.sizes and any(t.entry for t in one.transfers) for each in effects.values() for one in each)
    ours = (t for node in question.ours for one in effects.get(node, ()) for t in one.transfers)
    if is_sized or any(len(t.entry) > 1 for t in ours) or _is_closed_by_number(linked, effects, question):
        return ()
    return _every(linked, question, question.sites | question.others)


def _is_closed_by_number(linked: Linked, effects: Mapping[int, tuple[Effects, ...]], question: Question) -> bool:
    """Whether the member or the element whose number a stream is made of is given to a call that ends it on a path with a release of
    the fix: that both are one is seen only by who has read it before."""
    nodes = linked.body.nodes
    reads = {node.dst: _read_from(node) for node in nodes if isinstance(node, ir.Load | ir.LoadElement | ir.Copy) and ir.is_temporary(node.dst)}
    given = {reads[name] for node in question.sites for name in wrapped(nodes[node], effects.get(node, ())) if name in reads}
    for at, call in enumerate(nodes if given else ()):
        if at in question.ours or not isinstance(call, ir.Call) or not any(reads[name] in given for name in call.args if name in reads):
            continue
        if any(end.fate == "released" for one in effects.get(at, ()) for t in one.transfers if t.entry for end in t.outcomes):
            behind = reached(linked.next, at)
            if not question.ours.isdisjoint(behind) or any(at in reached(linked.next, each) for each in question.ours):
                return True
    return False


def _read_from(node: ir.Load | ir.LoadElement | ir.Copy) -> str:
    """What names the place that a temporary is read from: a field, an index, a variable that stands for an element."""
    return node.field if isinstance(node, ir.Load) else node.index if isinstance(node, ir.LoadElement) else node.src


def starting_alone(linked: Linked, question: Question) -> tuple[int, ...]:
    """The acquisitions that are asked about, where every path to a release of the fix meets one of them; none otherwise. A walk from there
    knows nothing of what others have acquired before."""
    return _every(linked, question, question.sites)


def _every(linked: Linked, question: Question, sites: frozenset[int]) -> tuple[int, ...]:
    return tuple(sorted(sites)) if question.ours.isdisjoint(reached_without(linked, sites)) else ()


def keeps_address(linked: Linked, names: Set[str]) -> bool:
    """Whether the address of one of some variables of C is kept somewhere, and not just passed to a call: then it has another name."""
    nodes, structs = linked.body.nodes, regions(linked)
    found = {node.dst for node in nodes if isinstance(node, ir.AddressOf) and node.base in names and (not node.field or node.base in structs)}
    if any(not ir.is_temporary(name) for name in found):
        return True
    for node in nodes:
        match node:
            case ir.Copy(src=src) | ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src) if src in found:
                return True
            case ir.Op(operands=operands) if not found.isdisjoint(operands):
                return True
            case _:
                pass
    return False


def kept_in_parts(linked: Linked) -> set[str]:
    """The variables whose addresses are stored to a member or an element."""
    nodes = linked.body.nodes
    stored = {node.src for node in nodes if isinstance(node, ir.Store | ir.StoreElement)}
    return {node.base for node in nodes if isinstance(node, ir.AddressOf) and node.base and not node.field and node.dst in stored}


def arrays(linked: Linked) -> frozenset[str]:
    """Variables of C that are arrays."""
    if linked.language != "c":
        return frozenset()
    return frozenset(each.name for each in linked.body.variables if (linked.types.get(each.name) or each.type).endswith("]"))


def inner(linked: Linked) -> frozenset[str]:
    """Variables of C that stand for an array which is a member of an object (`o->names` of `char *names[8]`)."""
    if linked.language != "c":
        return frozenset()
    return frozenset(each.dst for each in linked.body.nodes if isinstance(each, ir.Load) and each.base and linked.types.get(each.dst, "").endswith("]"))


def regions(linked: Linked) -> frozenset[str]:
    """Variables of C that are structs themselves: `s.f` is in the storage of s."""
    if linked.language != "c":
        return frozenset()
    nodes = (node for node in linked.body.nodes if not (isinstance(node, ir.Op) and node.operator == "zero"))
    assigned = {liveness.destination(node) for node in nodes} | set(linked.body.parameters)
    named, found = struct_types(linked), set()
    for variable in linked.body.variables:
        written = linked.types.get(variable.name) or variable.type
        if "*" in written or "[" in written:
            continue
        words = written.replace("const ", "").split()
        if words[:1] in (["struct"], ["union"]) or variable.name not in assigned or " ".join(words) in named:
            found.add(variable.name)
    return frozenset(found)


def fields(linked: Linked, structs: frozenset[str]) -> dict[str, list[str]]:
    """The members of variables that are structs which the function names itself."""
    found: dict[str, list[str]] = {name: [] for name in structs}
    for node in linked.body.nodes:
        if isinstance(node, ir.Load | ir.Store) and node.base in structs and node.field not in ("", "*", ELEMENT, *found[node.base]):
            found[node.base].append(node.field)
    return found


def struct_types(linked: Linked) -> frozenset[str]:
    """The names of types of C that are structs, since the function looks at members through pointers to them (`text_t *t; t->at`)."""
    types, found = linked.types, set()
    for node in linked.body.nodes:
        if isinstance(node, ir.Load | ir.Store | ir.AddressOf) and node.base and node.field not in ("", "*", ELEMENT):
            written = types.get(node.base, "").replace("const ", "").strip()
            if written.endswith("*") and written.count("*") == 1:
                found.add(written[:-1].strip())
    return frozenset(found)


def renewals(linked: Linked) -> dict[int, str]:
    """The nodes where what a call of C gives replaces what it was given (`s = append(s, "more")`), each with the call's name: what
    was there is the callee's."""
    found: dict[int, str] = {}
    calls = {each.dst: each for each in linked.body.nodes if isinstance(each, ir.Call) and each.kind == "function" and ir.is_temporary(each.dst)}
    for node, each in enumerate(linked.body.nodes if linked.language == "c" else ()):
        match each:
            case ir.Call(dst=dst, kind="function", name=name, args=args) if dst and dst in args:
                found[node] = name
            case ir.Copy(dst=dst, src=src) if src in calls and dst in calls[src].args:
                found[node] = calls[src].name
            case _:
                pass
    return found


def joins(linked: Linked) -> frozenset[int]:
    """Nodes that several edges reach: only there can two paths become one."""
    count = [0] * len(linked.body.nodes)
    for node in range(len(count)):
        for successor in (*linked.next[node], *linked.raises[node]):
            count[successor] += 1
    return frozenset(node for node, edges in enumerate(count) if edges > 1)


def leading(linked: Linked, wanted: Sequence[int], barred: Set[int] = frozenset()) -> list[bool]:
    """Per node whether a path from it can still come to one of those that are wanted, without leaving any that is barred."""
    count = len(linked.body.nodes)
    before: list[list[int]] = [[] for _ in range(count)]
    for node in range(count):
        for successor in (*linked.next[node], *linked.raises[node]) if node not in barred else ():
            before[successor].append(node)
    found = [False] * count
    for node in wanted:
        found[node] = True
    work = list(wanted)
    while work:
        for node in before[work.pop()]:
            if not found[node]:
                found[node] = True
                work.append(node)
    return found
