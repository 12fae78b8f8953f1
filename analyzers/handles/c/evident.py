"""Whether what a function of C without source gives is surely its caller's, or what it gets only lent, for proofs: by those who
release it.

Engler's beliefs, held to more: a release counts where nothing but a failure, or what has nothing to do with the call, keeps a
path from it. What its own arguments, a flag or the handle itself decide may be whose it is. One such release in the procedure
itself will do, else two after calls with the same constants, and more where somebody forgets it. Misses owners that only numbers tell.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from analyzers import ir
from analyzers.graphs.cfg import reverse_post_order
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.c.uses import predecessors_of, uses_of
from analyzers.handles.moves import identity
from analyzers.handles.unknown import is_finding, is_releaser, is_taking
from analyzers.queries import Linked, ProcedureKey, Queries

RESULT = -1
"""The position of what a function returns."""

MAX_CALLERS = 16
"""Procedures that are asked, those of the same file first."""

NEEDED = 2
"""Calls elsewhere whose result is surely released."""

FORGETFUL = 3
"""How many more there have to be for each that drops it."""

_DEPTH = 6
_STEPS = 4

_NEAR = 24
"""Instructions between a call and a release right behind it."""

_NONE = ("=null", "=0")

Place = tuple[str, ...]

Told = dict[tuple[ProcedureKey, int, int], "Account"]
"""What procedures of one program show of their calls, by node and position."""


class Account(enum.Enum):
    """What a procedure shows of one call: its result is released unless something fails, perhaps, not at all, goes elsewhere, or
    is released only if it is not something else, or only where a flag says so."""

    SURE = enum.auto()
    DOUBTFUL = enum.auto()
    DROPPED = enum.auto()
    PASSED = enum.auto()
    COMPARED = enum.auto()
    GUARDED = enum.auto()


def is_surely_given(
    linked: Linked, made: int, position: int, queries: Queries, told: Told | None = None, ours: frozenset[int] = frozenset()
) -> bool:
    """Whether what a call gives (its result: position -1, else what it stores where that argument points) is its caller's. `told`
    keeps what other procedures of the program say, for the next question; what a patch wrote itself (`ours`) tells nothing alone."""
    call = linked.body.nodes[made]
    if not isinstance(call, ir.Call):
        return False
    own = account(linked, made, position, queries, ours)
    if own in (Account.SURE, Account.GUARDED):
        return own is Account.SURE
    constants = _constants(linked, call)
    found: list[Account] = [
        said for node in _calls(linked, call.name) if _constants(linked, linked.body.nodes[node]) == constants
        and (said := account(linked, node, position, queries, ours)) in (Account.SURE, Account.COMPARED, Account.GUARDED)
    ]
    # Whose hand wrote both knows the function: one such release beside says as much as two of others, if its name looks for nothing.
    found += [Account.SURE] if Account.SURE in found and not is_finding(call.name) else []
    told = {} if told is None else told

    def say(other: Linked, node: int) -> Account:
        place = other.key, node, position
        if place not in told:
            told[place] = account(other, node, position, queries)
        return told[place]

    return _is_agreed([*found, *_elsewhere(linked, call, queries, say)])


def is_ever_released(linked: Linked, name: str, position: int, queries: Queries) -> bool:
    """Whether a procedure releases what any of its calls of a function gives, unless a flag or a comparison tells it not to."""
    accounts = [account(linked, node, position, queries) for node in _calls(linked, name)]
    return any(each in (Account.SURE, Account.DOUBTFUL) for each in accounts)


def is_surely_lent(linked: Linked, node: int, position: int, queries: Queries, told: Told) -> bool:
    """Whether a function without source only borrows what it gets there: other procedures release what they have passed to it, whatever
    it answered, or the same one does behind another call, as `queries` know it. `told` keeps what they say, for the next question."""
    call = linked.body.nodes[node]
    if not isinstance(call, ir.Call) or is_releaser(call.name):
        return False
    own = _beside(linked, node, position, queries, told)
    if is_taking(call.name):
        return Account.SURE in own and _UNSURE.isdisjoint(own)
    found = _elsewhere(linked, call, queries, lambda other, at: _lent(other, at, position, queries, told))
    return _is_agreed(found) or (Account.SURE in own and _UNSURE.isdisjoint((*own, *found)))


def is_left_to_a_flag(linked: Linked, node: int, position: int, queries: Queries) -> bool:
    """Whether only a flag tells a procedure to release what it has passed to a call (`keep(p); if (own) free(p);`): that may say whether the callee
    has kept it."""
    return _Caller(linked, node, position, queries, is_given=False).is_left_to_a_flag()


def is_surely_shown(linked: Linked, node: int, position: int, queries: Queries, told: Told) -> bool:
    """Whether other procedures show that such a function only borrows what it gets there, or the same one that nothing needs it behind."""
    call = linked.body.nodes[node]
    if not isinstance(call, ir.Call) or is_releaser(call.name):
        return False
    found = [] if is_taking(call.name) else _elsewhere(linked, call, queries, lambda other, at: _lent(other, at, position, queries, told))
    return _is_agreed(found) or is_surely_untied(linked, node, position, queries, told)


def is_surely_untied(linked: Linked, node: int, position: int, queries: Queries, told: Told) -> bool:
    """Whether what a function without source leaves in other objects needs nothing of what it gets there: the procedure releases that
    right behind another such call, about the same object and numbers, and it or its caller goes on with those."""
    call, known = linked.body.nodes[node], queries.linked(linked.key)
    if known is None or not isinstance(call, ir.Call) or is_releaser(call.name):
        return False
    for at in _calls(known, call.name):
        given = known.body.nodes[at]
        is_alike = _constants(known, given) == _constants(linked, call) and _object(known, at, position) == _object(linked, node, position)
        if not is_alike or _lent(known, at, position, queries, told) is not Account.SURE or not _is_released_at_once(known, at, position, queries):
            continue
        behind = [known.body.nodes[n] for n in reverse_post_order(known.next, at) if n != at]
        used = {name for each in behind for name in (*operands(each), *((each.base,) if isinstance(each, ir.AddressOf) else ()))}
        if _others(known, at, position) <= used.union(known.body.parameters):
            return True
    return False


def _others(linked: Linked, node: int, position: int) -> set[str]:
    """The variables behind the arguments of a call, but for one of them, and for numbers and texts."""
    call, found = linked.body.nodes[node], set[str]()
    for n, each in enumerate(call.args if isinstance(call, ir.Call) else ()):
        if n != position and not ir.is_literal(each) and "*" in linked.types.get(each, "*") and "char" not in linked.types.get(each, ""):
            words = _in_words(linked, each, _DEPTH)
            found.add(words.lstrip("&").partition("->")[0] or f"?{each}")
    return found


_UNSURE = frozenset((Account.COMPARED, Account.GUARDED))


def _lent(linked: Linked, node: int, position: int, queries: Queries, told: Told) -> Account:
    """What a procedure, as `queries` know it, shows of what it passes to a call."""
    place = linked.key, node, position
    if place not in told:
        told[place] = _shown(linked, node, position, queries)
    return told[place]


def _shown(linked: Linked, node: int, position: int, queries: Queries) -> Account:
    seen = _Caller(linked, node, position, queries, is_given=False)
    is_another = _Caller(linked, node, RESULT, queries).name == seen.name  # What is released behind `t = cat(t)` is what that gave.
    said = seen.account() if seen.name and not is_another else Account.PASSED
    return Account.DOUBTFUL if said is Account.DROPPED else said


def _beside(linked: Linked, node: int, position: int, queries: Queries, told: Told) -> list[Account]:
    """What the text that `queries` know shows behind the calls of the same function in the same procedure that are told the same. The
    release has to stand right behind, or the name has to say that something is looked for: else something may have taken back in between
    what the call did. Where the name says that it keeps things, it has to be about the same object and numbers."""
    call, known = linked.body.nodes[node], queries.linked(linked.key)
    if known is None or not isinstance(call, ir.Call):
        return []
    is_keeping, constants, found = is_taking(call.name), _constants(linked, call), []
    for at in _calls(known, call.name):
        given = known.body.nodes[at]
        if not isinstance(given, ir.Call) or _constants(known, given) != constants:
            continue
        if is_keeping and _object(known, at, position) != _object(linked, node, position):
            continue
        said = _lent(known, at, position, queries, told)
        is_sure = (is_finding(call.name) and not is_keeping) or _is_released_at_once(known, at, position, queries)
        found.append(Account.DOUBTFUL if said is Account.SURE and not is_sure else said)
    return found


def _object(linked: Linked, node: int, position: int) -> tuple[str, ...]:
    """The numbers among the arguments of a call, and the first of the others, in words; what cannot be said is like nothing else."""
    call = linked.body.nodes[node]
    given = [(n, each) for n, each in enumerate(call.args) if n != position] if isinstance(call, ir.Call) else []
    asked = [each for n, each in given if n == 0 or "*" not in linked.types.get(each, "*")]
    return tuple(_in_words(linked, each, _DEPTH) or f"?{linked.key}:{node}" for each in asked)


def _in_words(linked: Linked, name: str, depth: int) -> str:
    """Where an operand comes from; empty where that is not one place."""
    if not ir.is_temporary(name) or not depth:
        return name if depth else ""
    made = [linked.body.nodes[node] for node in uses_of(linked.body.nodes).definitions.get(name, ())]
    match made:
        case [ir.Load(base=base, field=field)]:
            inside = _in_words(linked, base, depth - 1)
            return f"{inside}->{field}" if inside or not base else ""
        case [ir.AddressOf(base=base, field=field)]:
            inside = _in_words(linked, base, depth - 1)
            return f"&{inside}->{field}" if inside or not base else ""
        case [one] if source := identity(one):
            return _in_words(linked, source, depth - 1)
        case _:
            return ""


def _is_released_at_once(linked: Linked, node: int, position: int, queries: Queries) -> bool:
    """Whether nothing is called between a call and the release of what it got."""
    seen = _Caller(linked, node, position, queries, is_given=False)
    found, waiting = set[int](), list(linked.next[node])
    while waiting:
        at = waiting.pop()
        each = linked.body.nodes[at]
        if at in found or seen.releases(each):
            continue
        found.add(at)
        if isinstance(each, ir.Call | ir.Return | ir.Exit) or len(found) > _NEAR:
            return False
        waiting.extend(linked.next[at])
    return True


def _is_agreed(found: list[Account]) -> bool:
    unsure = found.count(Account.DROPPED) + found.count(Account.GUARDED)
    return Account.COMPARED not in found and found.count(Account.SURE) >= NEEDED + FORGETFUL * unsure


def _elsewhere(linked: Linked, call: ir.Call, queries: Queries, ask: Callable[[Linked, int], Account]) -> list[Account]:
    """What other procedures say of their calls of the same function; what they release where it is told something else does not count."""
    constants, found = _constants(linked, call), []
    for key in _callers(call.name, linked.key, queries):
        if (other := queries.linked(key)) is None:
            continue
        for node in _calls(other, call.name):
            said = ask(other, node)
            is_alike = said is not Account.SURE or _constants(other, other.body.nodes[node]) == constants
            found += [said] if is_alike else []
    return found


def _constants(linked: Linked, call: ir.Instruction) -> tuple[str, ...]:
    """Per argument of a call the number or the name of a constant; texts are all alike."""
    named = uses_of(linked.body.nodes).named
    given = call.args if isinstance(call, ir.Call) else ()
    return tuple(
        '"' if each[:2] == '="' else each if ir.is_literal(each) else named.get(each, "") if named.get(each, "").isupper() else ""
        for each in given
    )


def _callers(name: str, own: ProcedureKey, queries: Queries) -> list[ProcedureKey]:
    found = [each for each in queries.callers(name) if each != own]
    return sorted(found, key=lambda key: (key.path != own.path, key))[:MAX_CALLERS]


def _calls(linked: Linked, name: str) -> list[int]:
    nodes = linked.body.nodes
    return [at for at in uses_of(nodes).calls.get(name, ()) if isinstance(call := nodes[at], ir.Call) and call.kind == "function"]


def account(linked: Linked, made: int, position: int, queries: Queries, ours: frozenset[int] = frozenset()) -> Account:
    """What a procedure shows of one of its calls, where not all releases behind it are a patch's (`ours`)."""
    seen = _Caller(linked, made, position, queries, ours=ours)
    return seen.account() if seen.name else Account.PASSED


class _Caller:
    """One call in one procedure, and the way from it."""

    def __init__(
        self, linked: Linked, made: int, position: int, queries: Queries, *, is_given: bool = True, ours: frozenset[int] = frozenset()
    ) -> None:
        """`is_given`: whether it is asked what the call gives, not what becomes of what it gets."""
        self._is_given, self._ours = is_given, ours
        self._linked, self._nodes, self._queries, self._made = linked, linked.body.nodes, queries, made
        uses = uses_of(self._nodes)
        self._definitions, self._filled = uses.definitions, uses.addresses
        self._starts = {made}
        self._asked: set[int] = set()
        self._is_value = False
        self.name = self._taker(position)
        call = self._nodes[made]
        given = call.args if isinstance(call, ir.Call) else ()
        self._tied = {place for n, each in enumerate(given) if n != position for place in self._places(each, _DEPTH)}

    def _taker(self, position: int) -> str:
        """The variable that holds what the call gives; empty where none does, or where others may reach it."""
        call = self._nodes[self._made]
        if not isinstance(call, ir.Call):
            return ""
        if position >= 0:
            argument = call.args[position] if position < len(call.args) else ""
            name = self._filled.get(argument, "" if self._is_given or ir.is_literal(argument) else self._whole(argument, self._made, _DEPTH))
            self._is_value = argument in self._filled and "*" not in self._linked.types.get(name, "*")
            return name
        name, node = call.dst, self._made
        for _ in range(_STEPS):
            if not name or not ir.is_temporary(name) or len(self._linked.next[node]) != 1:
                break
            node = self._linked.next[node][0]
            if identity(self._nodes[node]) == name:
                name = assigned(self._nodes[node])[0]
                self._starts.add(node)
        return "" if ir.is_temporary(name) else name

    def _whole(self, name: str, at: int, depth: int) -> str:
        """The variable that a pointer at a node leads into, or is: `text` for what `strchr(text, '=') + 1` gives. Empty where it may be several."""
        found = self._assigning(name, at) if depth else []
        inside = [self._inside(self._nodes[node], node, depth) for node in found]
        if all(inside) and len(set(inside)) == 1:
            return inside[0]
        return "" if ir.is_temporary(name) or any(inside) else name

    def _inside(self, each: ir.Instruction, node: int, depth: int) -> str:
        """The variable into which what an instruction assigns surely leads; empty for anything else."""
        match each:
            case ir.Op(operator="+" | "[]+" | "cast", operands=(base, *_)):
                return self._whole(base, node, depth - 1)
            case ir.Call(args=(text, *_)) if not ir.is_literal(text) and self._leads_into(node):
                return self._whole(text, node, depth - 1)
            case ir.Copy(src=src, dst=dst) if ir.is_temporary(dst) and not ir.is_literal(src):
                return self._whole(src, node, depth - 1)
            case _:
                return ""

    def _leads_into(self, node: int) -> bool:
        """Whether a function of a library gives a place inside of its first argument."""
        target = self._linked.targets.get(node)
        model = self._queries.model(target.models, target.parameters) if target is not None and not target.procedures else None
        return model is not None and model.aliases == ("$0",)

    def account(self) -> Account:
        """What the ways from the call show."""
        region, releases = self._region()
        if self._ours.issuperset(releases):
            return Account.PASSED if any(self._passes(self._nodes[node]) for node in region) else Account.DROPPED
        reaching = self._reaching(region, releases)
        for node in region:
            sides = {after in reaching for after in self._linked.next[node]}
            if len(sides) == 2 and node in reaching and not self._is_neutral_branch(node, releases):
                branch = self._nodes[node]
                if isinstance(branch, ir.Branch) and (self._is_handle(branch.left) or self._is_handle(branch.right)):
                    return Account.COMPARED
                return Account.GUARDED if self._is_guard(node, releases) else Account.DOUBTFUL
        return Account.SURE

    def is_left_to_a_flag(self) -> bool:
        """Whether each release behind the call has a branch of its own that asks something else than the handle or what the call has answered."""
        region, releases = self._region()
        asking = [
            node for node in region if isinstance(each := self._nodes[node], ir.Branch)
            and not self._is_handle(each.left) and not (each.left and self._definitions.get(each.left) == [self._made])
        ]
        return bool(releases) and all(any(self._is_guard(node, [each]) for node in asking) for each in releases)

    def _region(self) -> tuple[list[int], list[int]]:
        """The nodes behind the call where the variable still holds what it gave, and those of them that release that."""
        found: dict[int, None] = {}
        releases: list[int] = []
        waiting = list(self._linked.next[self._made])
        while waiting:
            node = waiting.pop()
            if node in found or node == self._made:
                continue
            found[node] = None
            each = self._nodes[node]
            if self.releases(each):
                releases.append(node)
            elif node in self._starts or not self._assigns(each) or self._renews(each):
                waiting.extend(self._linked.next[node])
        return list(found), releases

    def _reaching(self, region: list[int], releases: list[int]) -> set[int]:
        before: dict[int, list[int]] = {}
        for node in region:
            for after in self._linked.next[node] if node not in releases else ():
                before.setdefault(after, []).append(node)
        found, waiting = set(releases), list(releases)
        while waiting:
            for node in before.get(waiting.pop(), ()):
                if node not in found:
                    found.add(node)
                    waiting.append(node)
        return found

    def releases(self, each: ir.Instruction) -> bool:
        """Whether a call ends what the variable holds; numbers may say how much that is."""
        return (
            isinstance(each, ir.Call) and each.kind == "function" and bool(each.args) and is_releaser(each.name)
            and (self._is_handle(each.args[0]) or (self._is_value and self._filled.get(each.args[0]) == self.name))
        )

    def _assigns(self, each: ir.Instruction) -> bool:
        call = self._nodes[self._made]
        is_again = not self._is_value or (isinstance(each, ir.Call) and isinstance(call, ir.Call) and each.name == call.name and self._is_given)
        is_refilled = is_again and isinstance(each, ir.Call) and any(self._filled.get(name) == self.name for name in each.args)
        return self.name in assigned(each) or is_refilled

    def _renews(self, each: ir.Instruction) -> bool:
        """Whether somebody takes what the variable holds and gives another for it (`s = append(s, "more")`); who looks for one from
        there gives somebody else's."""
        return (
            isinstance(each, ir.Call) and each.kind == "function" and each.dst == self.name and self._is_given
            and any(map(self._is_handle, each.args)) and not is_finding(each.name)
        )

    def _passes(self, each: ir.Instruction) -> bool:
        match each:
            case ir.Return(src=src) | ir.Store(src=src) | ir.StoreElement(src=src):
                return self._is_handle(src)
            case ir.Copy(dst=dst, src=src):
                return not ir.is_temporary(dst) and self._is_handle(src)
            case ir.Call(args=args):
                return is_taking(each.name) and any(map(self._is_handle, args))
            case _:
                return False

    def _source(self, name: str) -> str:
        """The variable that a temporary is a copy of; empty where it is none."""
        for _ in range(_STEPS):
            nodes = self._definitions.get(name, ())
            if not ir.is_temporary(name) or len(nodes) != 1:
                break
            name = identity(self._nodes[nodes[0]]) or ""
        return "" if not name or ir.is_temporary(name) or ir.is_literal(name) else name

    def _is_handle(self, name: str) -> bool:
        """Whether an operand is the variable, or a copy of it for the moment."""
        for _ in range(_STEPS):
            if name == self.name:
                return True
            sources = [self._nodes[each] for each in self._definitions.get(name, ())]
            if not ir.is_temporary(name) or len(sources) != 1:
                return False
            name = identity(sources[0]) or ""
        return False

    # --- what decides

    def _is_neutral_branch(self, node: int, releases: list[int]) -> bool:
        each = self._nodes[node]
        if not isinstance(each, ir.Branch):
            return False
        if self._is_handle(each.left):
            return each.operator == "true" or each.right in _NONE
        if self._is_guard(node, releases) and not (each.left and self._definitions.get(each.left) == [self._made]):
            return False
        self._tied -= {(name,) for at in releases if isinstance(call := self._nodes[at], ir.Call) for name in call.args[1:]}
        return all(self._is_neutral(name, node, _DEPTH) for name in (each.left, each.right) if name)

    def _is_guard(self, node: int, releases: list[int]) -> bool:
        """Whether a branch decides about a release and nothing behind it (`if (own) free(p);`): perhaps it tells whose it is."""
        def straight(at: int) -> list[int]:
            found = [at]
            while len(self._linked.next[at]) == 1 and (at := self._linked.next[at][0]) not in found:
                found.append(at)
            return found

        for side in self._linked.next[node]:
            for other in self._linked.next[node]:
                way = straight(side)
                released = next((n for n, each in enumerate(way) if each in releases), None)
                if other != side and released is not None and not {ir.EXIT}.issuperset({*straight(other)} & {*way[released:]}):
                    return True
        return False

    def _is_neutral(self, name: str, at: int, depth: int) -> bool:
        """Whether what an operand of a node says has nothing to do with whose the result of the call is."""
        if not name or ir.is_literal(name):
            return True
        if not depth or self._is_handle(name) or (name,) in self._tied:
            return False
        # What a loop makes of itself (`n = n - 1`) says no more than what it began with.
        found = [node for node in self._assigning(name, at) if node not in self._asked]
        self._asked.update(found)
        is_neutral = all(self._is_neutral_value(node, depth) for node in found)
        self._asked.difference_update(found)
        return is_neutral

    def _assigning(self, name: str, at: int) -> list[int]:
        """The nodes that may have given an operand of a node its value."""
        before = predecessors_of(self._linked.next)
        targets, found, seen, waiting = set(self._definitions.get(name, ())), [], {at}, list(before[at])
        while waiting and targets:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node in targets:
                found.append(node)
            else:
                waiting.extend(before[node])
        return found

    def _is_neutral_value(self, node: int, depth: int) -> bool:
        each = self._nodes[node]
        match each:
            case ir.Call():
                if node == self._made:
                    return self._is_given
                return self._is_known(node, each) or not any(map(self._is_handle, each.args))
            case ir.Load(base=base, field=field):
                return (base, field) not in self._tied and self._is_neutral(base, node, depth - 1)
            case ir.LoadElement(base=base, index=index):
                is_inner = any(isinstance(e := self._nodes[n], ir.LoadElement) and self._is_handle(e.base) for n in self._definitions.get(base, ()))
                return (is_inner or self._is_neutral(base, node, depth - 1)) and self._is_neutral(index, node, depth - 1)
            case ir.Copy(dst=dst, src=src):
                is_flag = ir.is_literal(src) and not ir.is_temporary(dst)
                return not is_flag and self._is_neutral(src, node, depth - 1)
            case ir.Op(operands=operands):
                return all(self._is_neutral(name, node, depth - 1) for name in operands)
            case _:
                return False

    def _is_known(self, node: int, call: ir.Call) -> bool:
        """Whether a call has a body or a model: it asks for something else than whose its argument is."""
        target = self._linked.targets.get(node)
        if call.kind != "function" or target is None:
            return False
        return bool(target.procedures) or self._queries.model(target.models, target.parameters) is not None

    def _places(self, name: str, depth: int) -> list[Place]:
        """The variables and members that an argument comes from."""
        if not name or ir.is_literal(name) or not depth:
            return []
        nodes = [self._nodes[node] for node in self._definitions.get(name, ())] if ir.is_temporary(name) else []
        found: list[Place] = [] if nodes else [(name,)]
        for each in nodes:
            match each:
                case ir.Load(base=base, field=field):
                    found.append((base, field))
                case ir.AddressOf(base=base, field=field):
                    found.append((base, field) if field else (base,))
                case ir.Copy(src=src):
                    found += self._places(src, depth - 1)
                case ir.Op(operands=operands):
                    found += [place for operand in operands for place in self._places(operand, depth - 1)]
                case ir.LoadElement(base=base):
                    found += self._places(base, depth - 1)
                case _:
                    pass
        return found
