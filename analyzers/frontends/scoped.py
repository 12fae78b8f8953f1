"""What a procedure takes and gives back itself, wherever the object lies: locks (specs: `scoped = true`).

A lock mostly lies in an object or a global that lives on, and being held is no property of that object's owner: the procedure that took
it has to give it back. So the place between `lock(&queue->lock)` and `unlock(&queue->lock)` is linked as a variable of the procedure's own,
and what loses that is told like any other loss. Only where each call on locks in the procedure names a place that stays the same, and each
place is both taken and given back; of any other procedure nothing is said, for another name of the lock may give it back.
"""

from __future__ import annotations

import re

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import reached
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked, ProcedureKey, Queries, Target
from analyzers.summaries import SCOPED, Effects

ENDS = re.compile("unlock(?!ed)|unset_(nest_)?lock|leave|release.*lock", re.IGNORECASE)
"""What calls that give something back are called."""

TAKES = re.compile("lock|enter", re.IGNORECASE)
"""What those are called that take it, if they are not called so."""

_WORDS = re.compile("lock|leave|enter", re.IGNORECASE)

_LONGEST = 40
"""Instructions of a function that does no more than take a lock, or give one back."""

_LAST = re.compile(r"->|\.")

_VIEWS = frozenset(("readLock", "writeLock"))
"""Methods of Java that give the same lock whenever they are asked."""

Place = tuple[str, ...]


class _Use(msgspec.Struct, frozen=True):
    """A call on a lock: its node, the operand that names it, the place, how the source writes that, and whether it takes it; of a function
    that only wraps a call on a lock that one."""

    node: int
    operand: str
    place: Place
    text: str
    is_taking: bool
    wrapped: str = ""


def with_scoped(linked: Linked, queries: Queries) -> Linked:
    """The procedure with a variable for each place that it holds for a while."""
    nodes = linked.body.nodes
    if not any(isinstance(node, ir.Call) and ENDS.search(node.name) for node in nodes):
        return linked
    uses = _uses(linked, queries)
    names: dict[Place, str] = {}
    for use in uses or ():
        is_free = use.place in names or use.text not in names.values()
        names.setdefault(use.place, use.text if is_free else f"{use.text}#{use.node}")  # Two variables may have one name.
    taken = {use.place for use in uses or () if use.is_taking}
    given = {use.place for use in uses or () if not use.is_taking}
    unsure = {place[-1] for place in taken ^ given}
    places = {place for place in taken & given if place[-1] not in unsure}
    return _rewritten(linked, [use for use in uses or () if use.place in places], names) if places else linked


def _uses(linked: Linked, queries: Queries) -> list[_Use] | None:
    """The calls of a procedure on what is scoped; None if one of them names a place that may change."""
    known: list[tuple[int, ir.Call, Effects]] = []
    wrappers: list[tuple[int, ir.Call, Wrapper]] = []
    kinds: set[str] = set()
    for number, node in enumerate(linked.body.nodes):
        target = linked.targets.get(number)
        if not isinstance(node, ir.Call) or target is None or not _WORDS.search(node.name):
            continue
        if target.procedures and linked.language == "c" and not node.dst and (inner := wrapper(target, queries)) is not None:
            wrappers.append((number, node, inner))
        if not target.models or target.procedures:
            continue
        effects = queries.model(_scoped(target, node), target.parameters)
        if effects is not None:
            known.append((number, node, effects))
            plain = queries.model(target.models, target.parameters)
            kinds |= {each.resource for each in effects.transfers if not each.entry}
            kinds -= {each.resource for each in (plain.transfers if plain is not None else ()) if not each.entry}
    places = _Places(linked)
    found = []
    for number, node, effects in known:
        for operand, is_taking in _operands(node, effects, kinds):
            place = places.of(operand)
            if place is None:
                return None
            found.append(_Use(number, operand, place[0], place[1], is_taking))
    for number, node, inner in wrappers:
        use = _through(number, node, inner, places)
        if use is None:
            return None
        found.append(use)
    return sorted(found, key=lambda each: each.node)


def _through(number: int, call: ir.Call, inner: Wrapper, places: _Places) -> _Use | None:
    """The call of a function that wraps one on a lock as such a call itself; None where the place is not clear."""
    fields = inner.place[1:]
    if inner.formal < 0:
        return _Use(number, "", inner.place, "->".join(inner.place), inner.is_taking, inner.call)
    place = places.of(call.args[inner.formal]) if inner.formal < len(call.args) else None
    if place is None:
        return None
    return _Use(number, call.args[inner.formal], (*place[0], *fields), "->".join((place[1], *fields)), inner.is_taking, inner.call)


class Wrapper(msgspec.Struct, frozen=True):
    """What a function of C does that only takes a lock, or gives one back: the call, the formal that it begins with (-1: a global), the place
    from there, and whether it takes it."""

    call: str
    formal: int
    place: Place
    is_taking: bool


def wrapper(target: Target, queries: Queries) -> Wrapper | None:
    """What the one function that a call runs does with a lock, on every way; None if that is something else, or more."""
    return wrapped_by(target.procedures[0], queries) if len(target.procedures) == 1 else None


def wrapped_by(key: ProcedureKey, queries: Queries) -> Wrapper | None:
    """See `wrapper`."""
    body = queries.procedure(key)
    if body is None or len(body.nodes) > _LONGEST:
        return None
    calls = [(number, node) for number, node in enumerate(body.nodes) if isinstance(node, ir.Call) and _WORDS.search(node.name)]
    effects = queries.model((calls[0][1].name + SCOPED * 2,), ()) if len(calls) == 1 else None
    if effects is None or _reaches_end(body, calls[0][0]):
        return None
    call = calls[0][1]
    plain = queries.model((call.name,), ())
    taken = {each.resource for each in effects.transfers if not each.entry}
    known = {each.resource for each in (plain.transfers if plain is not None else ()) if not each.entry}
    is_taking = bool(taken - known)
    if not is_taking and not (ENDS.search(call.name) and any(one.fate == "released" for each in effects.transfers if each.entry for one in each.outcomes)):
        return None
    place = _Places(Linked(key, "c", body, body.next, body.raises, {}, {})).of(call.args[0]) if call.args else None
    if place is None:
        return None
    root = place[0][0]
    if root in body.parameters:
        return Wrapper(call.name, body.parameters.index(root), place[0], is_taking)
    is_global = all(variable.name != root for variable in body.variables)
    return Wrapper(call.name, -1, place[0], is_taking) if is_global else None


def _reaches_end(body: ir.Procedure, node: int) -> bool:
    """Whether a way leads through a body that does not pass a node."""
    return ir.EXIT in reached([() if at == node else following for at, following in enumerate(body.next)], ir.ENTRY)


def _scoped(target: Target, call: ir.Call) -> tuple[str, ...]:
    """The names under which the models speak of what is scoped: of calls of C whose result nobody looks at as if they always succeeded."""
    mark = SCOPED if call.dst or call.kind != "function" else SCOPED * 2
    return tuple(name + mark for name in target.models)


def _operands(call: ir.Call, effects: Effects, kinds: set[str]) -> list[tuple[str, bool]]:
    """The operands of a call that it takes or gives back, and whether it takes them."""
    found = set()
    for transfer in effects.transfers:
        if transfer.resource not in kinds or (transfer.entry and not any(outcome.fate == "released" for outcome in transfer.outcomes)):
            continue
        for root, *rest in [transfer.entry] if transfer.entry else [path for outcome in transfer.outcomes for path in outcome.paths]:
            if root == "this" and not rest and call.receiver:
                found.add((call.receiver, not transfer.entry))
            elif root[:1] == "$" and rest == ["*"] and root[1:].isdigit() and int(root[1:]) < len(call.args):
                found.add((call.args[int(root[1:])], not transfer.entry))
    return sorted(found)


def last_part(linked: Linked, number: int, queries: Queries) -> str:
    """The last name of what a call on a lock is about (`lock` of `&queues[i]->lock`); empty where it is not clear."""
    call, target = linked.body.nodes[number], linked.targets.get(number)
    if linked.language == "c" and target is not None and (inner := wrapper(target, queries)) is not None and (len(inner.place) > 1 or inner.formal < 0):
        return last_name(inner.place[-1])
    operands = [each for each in (call.receiver, *call.args) if each and not ir.is_literal(each)] if isinstance(call, ir.Call) else []
    return name_of(linked, operands[0]) if operands else ""


def name_of(linked: Linked, name: str) -> str:
    """The last name of the place that an operand names; empty where its caller says which that is."""
    while ir.is_temporary(name) and (made := [node for node in linked.body.nodes if name in assigned(node)]):
        node = made[0]
        if isinstance(node, ir.Load | ir.AddressOf) and node.field:
            return _LAST.split(node.field)[-1]
        name = node.base if isinstance(node, ir.AddressOf) else node.src if isinstance(node, ir.Copy) else node.name if isinstance(node, ir.Call) else ""
    return "" if name in linked.body.parameters else last_name(name)


def last_name(variable: str) -> str:
    """The last name of a variable that stands for a place."""
    return _LAST.split(ir.source_name(variable).removesuffix("()"))[-1]


class _Places:
    """Which place that stays the same an operand names in a procedure, and how the source writes it."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked
        self._kinds = {variable.name: variable for variable in linked.body.variables}
        self._defined: dict[str, list[ir.Instruction]] = {}
        self._stored: set[str] = set()
        for node in linked.body.nodes:
            for name in assigned(node):
                self._defined.setdefault(name, []).append(node)
            if isinstance(node, ir.Store):
                self._stored.add(node.field)

    def of(self, name: str) -> tuple[Place, str] | None:
        """The place behind an operand: in C what it points to."""
        if not name or ir.is_literal(name):
            return None
        made = self._defined.get(name, [])
        variable = self._kinds.get(name)
        if not ir.is_temporary(name):
            if not made and (name == "this" or variable is not None):
                return (name,), ir.source_name(name)
            if len(made) != 1 or variable is None or variable.kind == "parameter":
                return None
            source = self._made(made[0])
            return (source[0] if source is not None else (name,)), ir.source_name(name)
        return self._made(made[0]) if len(made) == 1 else None

    def _made(self, node: ir.Instruction) -> tuple[Place, str] | None:
        """The place that an instruction reads."""
        if isinstance(node, ir.Load | ir.AddressOf):
            return self._member(node.base, node.field)
        if isinstance(node, ir.Copy):
            return self.of(node.src)
        if isinstance(node, ir.Op) and node.operator == "cast":
            return self.of(node.operands[0])
        if isinstance(node, ir.Call) and node.name in _VIEWS and not node.args:
            owner = self.of(node.receiver)
            return None if owner is None else ((*owner[0], node.name), f"{owner[1]}.{node.name}()")
        return None

    def _member(self, base: str, field: str) -> tuple[Place, str] | None:
        if any(part in self._stored for part in ir.beginnings(field)) or "[" in field:
            return None
        is_java = self._linked.language == "java"
        name = field.rpartition(".")[2] if is_java else field
        if not base:
            return (field,), name
        owner = self.of(base)
        if owner is None or not field:
            return owner
        if is_java and base == "this":
            return (*owner[0], field), name
        variable = self._kinds.get(base)
        is_struct = is_java or (variable is not None and ir.STRUCT in variable.attributes)
        return (*owner[0], field), f"{owner[1]}{'.' if is_struct else '->'}{name}"


def _rewritten(linked: Linked, uses: list[_Use], names: dict[Place, str]) -> Linked:
    """The procedure whose calls on locks are made on variables of its own."""
    body, is_java = linked.body, linked.language == "java"
    nodes, targets, types = list(body.nodes), dict(linked.targets), dict(linked.types)
    fresh: dict[str, ir.Variable] = {}
    for use in uses:
        call, name = nodes[use.node], f"{names[use.place]}#{ir.HELD}"
        assert isinstance(call, ir.Call)
        kind = types.get(use.operand, "") if is_java else types.get(use.operand, "").rstrip("* ")
        attributes = (ir.HELD,) if is_java else (ir.HELD, ir.STRUCT)
        fresh.setdefault(name, ir.Variable(name, kind, "local", 0, body.end - body.start, 0, attributes, not is_java))
        types.setdefault(name, kind)
        if use.wrapped:
            targets[use.node] = Target((), (use.wrapped + SCOPED * 2,), "", False, (), "")
            nodes[use.node] = msgspec.structs.replace(call, args=(_address(name),))
            continue
        targets[use.node] = msgspec.structs.replace(targets[use.node], models=_scoped(targets[use.node], call))
        if is_java:
            nodes[use.node] = msgspec.structs.replace(call, receiver=name)
        else:
            nodes[use.node] = msgspec.structs.replace(call, args=tuple(_address(name) if each == use.operand else each for each in call.args))
    following, raises, inner = list(linked.next), list(linked.raises), list(body.next)
    for name, variable in sorted(fresh.items()):
        # What stands for a place is there when the procedure begins: an object in Java, in C a struct and its address.
        for edges in (following, inner):
            edges.append(edges[ir.ENTRY])
            edges[ir.ENTRY] = (len(nodes),)
        raises.append(())
        nodes.append(ir.Alloc(0, 0, name, variable.type) if is_java else ir.AddressOf(0, 0, _address(name), name, ""))
    addresses = () if is_java else tuple(ir.Variable(_address(name), f"{each.type} *", "temporary") for name, each in fresh.items())
    variables = tuple(sorted((*body.variables, *fresh.values(), *addresses), key=lambda each: each.name))
    further = ((),) * (len(nodes) - len(body.nodes))
    body = msgspec.structs.replace(body, nodes=tuple(nodes), variables=variables, next=tuple(inner), raises=(*body.raises, *further))
    return msgspec.structs.replace(linked, body=body, next=tuple(following), raises=tuple(raises), targets=targets, types=types)


def _address(name: str) -> str:
    """The temporary that has the address of a variable that stands for a place."""
    return f"%{name}"
