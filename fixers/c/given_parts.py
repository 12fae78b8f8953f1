"""What somebody was given of an object of C before a fix releases it, with all that is in it: who keeps a member, or an element, has
it when it is gone. That is who is not known, and a list, a table or an environment (`list = g_list_append(list, parts[i])`).

Flow-sensitive as to the calls that come before a release, and not as to what members hold. A callee that the procedure itself gives
the like of it before a release of its own only borrows it. Errs towards doubt: a number whose type no header tells may be a pointer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.handles.c.types import is_plain_c
from fixers.freed import released_by
from fixers.lenders import Lenders
from fixers.paths import is_lent


def given_part(after: Facts, ours: Set[int], lenders: Lenders) -> str:
    """Why something of what a release of a fix takes along may be kept, or gone; empty where it is not."""
    nodes = after.linked.body.nodes
    for node in sorted(ours):
        call = nodes[node]
        if not isinstance(call, ir.Call):
            continue
        for name in released_by(after, node, call):
            derived = _derived(after, name)
            before = _before(after, {node}, name)
            for each in (each for each, _ in _kept(after, derived, {name}, ("retained",)) if each in before):
                if not any(each in _before(after, {end}, name) for end in _releases(after, name) - ours):
                    return f"`{_called(after, each)}` keeps what needs it"
            if row := _row_with(after, derived | {name}, before):
                return f"`{ir.source_name(row)}` goes on with what needs it"
        if not _takes_along(after, node):
            continue
        for name in _ended(after, node, call):
            parts = _parts(after, name)
            lent = lenders.borrowed(after, set(parts)) if parts else {}
            given = [each for each in (*_given(after, parts, lent), *_kept(after, parts, set(), ("retained", "released"))) if each[0] not in ours]
            before = _before(after, {node}, name)
            shown = _before(after, _releases(after, name) - ours, name) if any(each in before for each, _ in given) else frozenset[int]()
            known = {(_called(after, each), position) for each, position in given if each in shown}
            for each, position in given:
                if each in before and (_called(after, each), position) not in known:
                    is_known = all(effects.is_known for effects in after.effects[each])
                    return f"`{_called(after, each)}` " + ("keeps what was in it, or ends it" if is_known else "is not known: it may keep what was in it")
    return ""


def _ended(after: Facts, node: int, call: ir.Call) -> list[str]:
    """What a call releases: of a struct whose address it gets that struct."""
    transfers = (each for effects in after.effects.get(node, ()) for each in effects.transfers)
    if not any(each.entry == ("$0", "*") and any(outcome.fate == "released" for outcome in each.outcomes) for each in transfers):
        return released_by(after, node, call)
    addresses = {each.dst: each.base for each in after.linked.body.nodes if isinstance(each, ir.AddressOf) and not each.field}
    return [*released_by(after, node, call), *(addresses[each] for each in call.args[:1] if each in addresses)]


def _takes_along(after: Facts, node: int) -> bool:
    """Whether a release may release what is in an object, too."""
    return not all(each.is_known and all(len(t.entry) <= 1 for t in each.transfers) for each in after.effects.get(node, ()))


def _releases(after: Facts, name: str) -> set[int]:
    """The calls that may release what a variable holds."""
    nodes = after.linked.body.nodes
    return {node for node in after.effects if isinstance(call := nodes[node], ir.Call) and name in _ended(after, node, call)}


def _called(after: Facts, node: int) -> str:
    call = after.linked.body.nodes[node]
    assert isinstance(call, ir.Call)
    return call.name


def _parts(after: Facts, name: str) -> frozenset[str]:
    """The variables that may hold a pointer that was read from an object, or from something in it."""
    found, size = {name}, 0
    while len(found) > size:
        size = len(found)
        for each in after.linked.body.nodes:
            match each:
                case ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base) if base in found and not _is_number(after, dst):
                    found.add(dst)
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast" | "[]+", operands=(src, *_)) if src in found - {name}:
                    found.add(dst)
                case _:
                    pass
        found |= {call.dst for node, call in enumerate(after.linked.body.nodes) if isinstance(call, ir.Call) and _gives_back(after, node, call, found - {name})}
    return frozenset(found - {name, ""})


def _gives_back(after: Facts, node: int, call: ir.Call, parts: Set[str]) -> bool:
    """Whether a call gives one of its arguments back as it was given (`g_strstrip(text)`)."""
    whole = {each for effects in after.effects.get(node, ()) for each in effects.aliases if each not in effects.inner}
    return any(f"${position}" in whole for position, argument in enumerate(call.args) if argument in parts)


def _is_number(after: Facts, name: str) -> bool:
    written = after.linked.types.get(name, "")
    return is_plain_c(written) or written.split()[-1:] in (["int"], ["unsigned"])


def _given(after: Facts, parts: Set[str], lent: Mapping[int, Set[str]]) -> Iterator[tuple[int, int]]:
    """The calls, and positions, at which somebody unknown gets one of some variables and may keep it."""
    for node, effects in sorted(after.effects.items()):
        call = after.linked.body.nodes[node]
        if not isinstance(call, ir.Call) or all(each.is_known for each in effects):
            continue
        target = after.linked.targets.get(node)
        told = {t.entry for each in effects for t in each.transfers if t.entry and all(one.fate == "held" for one in t.outcomes)}
        for position, argument in enumerate(call.args):
            root = f"${position}"
            is_borrowed = root in lent.get(node, ()) or (root,) in told or (target is not None and is_lent(target.parameters, call.args, position))
            if argument in parts and not is_borrowed:
                yield node, position


def _kept(after: Facts, parts: Set[str], wholes: Set[str], fates: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The calls, and positions, at which somebody known keeps one of some variables in something else than these and their `wholes`, or
    where something else of `fates` happens to it."""
    for node, effects in sorted(after.effects.items()):
        call = after.linked.body.nodes[node]
        if not isinstance(call, ir.Call) or parts.isdisjoint(call.args) or not all(each.is_known for each in effects):
            continue
        roots = {f"${position}" for position, argument in enumerate(call.args) if argument in parts or argument in wholes}
        for position, argument in enumerate(call.args):
            outcomes = [one for each in effects for t in each.transfers if t.entry == (f"${position}",) for one in t.outcomes]
            elsewhere = any(len(path) > 1 and path[0] not in roots for one in outcomes for path in one.paths)
            if argument in parts and (elsewhere or any(one.fate in fates for one in outcomes)):
                yield node, position


def _derived(after: Facts, name: str) -> frozenset[str]:
    """The variables that may hold a pointer which is good only as long as what a variable holds: a member, or what a call gives of it."""
    nodes = after.linked.body.nodes
    found, size = {name}, 0
    while len(found) > size:
        size = len(found)
        for node, each in enumerate(nodes):
            match each:
                case ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base) if base in found and not _is_number(after, dst):
                    found.add(dst)
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast" | "[]+", operands=(src, *_)) if src in found:
                    found.add(dst)
                case ir.Call(dst=dst) if dst and dst not in found and _gives_of(after, node, each, found) and not _is_number(after, dst):
                    found.add(dst)
                case _:
                    pass
    return frozenset(found - {name})


def _row_with(after: Facts, names: Set[str], before: Set[int]) -> str:
    """An array that gets one of some variables as an element, and is itself returned or stored; empty where there is none."""
    nodes = after.linked.body.nodes
    stores = [each for node, each in enumerate(nodes) if node in before and isinstance(each, ir.StoreElement) and each.src in names]
    for row in sorted({each.base for each in stores} - names):
        held = _derived(after, row) | {row}
        for each in nodes:
            match each:
                case ir.Return(src=src) if src in held:
                    return row
                case ir.Store(base=base, src=src) if src in held and base not in held:
                    return row
                case _:
                    pass
    return ""


def _gives_of(after: Facts, node: int, call: ir.Call, names: Set[str]) -> bool:
    """Whether the result of a call may need one of some variables: it is no handle of its own, and nobody says that it stands apart."""
    effects = after.effects.get(node, ())
    given = {f"${position}" for position, argument in enumerate(call.args) if argument in names}
    if any(not given.isdisjoint((*each.needs, *each.aliases)) for each in effects):
        return True
    is_made = any(not t.entry and any(path[0] == "$ret" for one in t.outcomes for path in one.paths) for each in effects for t in each.transfers)
    return bool(given) and not is_made and not all(each.is_apart for each in effects)


def _before(after: Facts, ends: Set[int], name: str) -> frozenset[int]:
    """The nodes from which a path leads to one of some others on which nothing is assigned to a variable."""
    linked = after.linked
    before: list[list[int]] = [[] for _ in linked.body.nodes]
    for node, each in enumerate(linked.body.nodes):
        if name not in assigned(each):
            for successor in (*linked.next[node], *linked.raises[node]):
                before[successor].append(node)
    found, work = set[int](), sorted(ends)
    while work:
        for node in before[work.pop()]:
            if node not in found:
                found.add(node)
                work.append(node)
    return frozenset(found)
