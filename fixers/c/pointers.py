"""What pointers of a function may hold at each node: allocations, null, storage, nothing yet, or anything.

LeakFix's points-to graphs with definitely-initialised values and null-test refinement (section II-C1), on the
slice of a finding and flow-sensitive. Handles that are numbers (descriptors) are pointers to their
acquisition, «null» is what means none. Expressions are variables and one field through them.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable, Iterable, Mapping

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.queries import ProcedureKey
from analyzers.summaries import Effects, Outcome, Transfer
from fixers.c.error_places import ERROR
from fixers.c.links import Link, Links, Objects, Place, keeps, known_range
from fixers.c.object_states import State, join
from fixers.left_members import Left
from fixers.paths import pointed
from fixers.paths.pairs import counted, element_of, is_pair, split
from fixers.paths.state import NEGATED

MAP_FAILED = "MAP_FAILED"
"""What calls that make mappings answer when they fail; the compiler sees -1."""
NONE = "none"
UNSET = "unset"
ANYTHING = "?"
INSIDE = "+"
"""Prefix of what points into an allocation and cannot be released."""

Edge = tuple[int, int]

_ANY: Objects = frozenset((ANYTHING,))

Leaving = Callable[[tuple[ProcedureKey, ...], int], Left]
"""What functions leave where they fail in a variable whose address they were given, by its position."""


def _anything(keys: tuple[ProcedureKey, ...], position: int) -> Left:
    return Left.ANYTHING


class Pointers:
    """The solution: what places hold before each node that is reached.

    `cuts` are edges behind which nobody knows some allocations any more: the turns of loops.
    """

    def __init__(self, facts: Facts, failure: str, cuts: Mapping[Edge, Objects] | None = None, left: Leaving = _anything) -> None:
        self.counted = counted(facts.linked.body.nodes)
        self.facts = facts = Facts(facts.linked, {node: self._split(node, each, facts) for node, each in facts.effects.items()})
        self.failure = failure
        self._left = left
        self.cuts = cuts or {}
        self.nodes = facts.linked.body.nodes
        self.links = Links(facts)
        self.addresses: dict[str, Place] = {}
        self.sites: dict[str, int] = {}
        self._kinds: dict[str, str] = {}
        self._bases: set[str] = set()
        self._prepare()
        self.before: dict[int, State] = self._solve()

    def _split(self, node: int, effects: tuple[Effects, ...], facts: Facts) -> tuple[Effects, ...]:
        """Effects in which a pair in an array whose elements are named by numbers alone is two acquisitions."""
        call = facts.linked.body.nodes[node]
        is_named = isinstance(call, ir.Call) and not self.counted.intersection(call.args)
        return tuple(split(each) for each in effects) if is_named and is_pair(effects) else effects

    def _prepare(self) -> None:
        """Addresses that are taken once, and what results say about arguments."""
        for instruction in self.nodes:
            if isinstance(instruction, ir.AddressOf) and instruction.base:
                self.addresses[instruction.dst] = (instruction.base, instruction.field) if instruction.field else (instruction.base,)
        for node, instruction in enumerate(self.nodes):
            if isinstance(instruction, ir.Call):
                for transfer in self._acquisitions(node):
                    self._link(node, instruction, transfer)

    def _acquisitions(self, node: int) -> list[Transfer]:
        return [t for effects in self.facts.effects.get(node, ()) for t in effects.transfers if not t.entry]

    def _link(self, node: int, call: ir.Call, transfer: Transfer) -> None:
        held = [outcome for outcome in transfer.outcomes if outcome.fate == "held"]
        for outcome in held:
            place = self._named(call, outcome)
            if place is None or place == (call.dst,) or not call.dst:
                continue
            success = next((c for c in outcome.when if c.path == ("$ret",)), None)
            if success is not None:
                site = frozenset((self.site(node, outcome, transfer.resource),))
                known = known_range(each for effects in self.facts.effects.get(node, ()) for each in effects.result)
                self.links.note(call.dst, Link(node, place, (success,), site, frozenset(), known))

    def site(self, node: int, outcome: Outcome, resource: str) -> str:
        """The name of what a node allocates, and leaves at the paths of an outcome."""
        path = next(iter(outcome.paths), ("$ret",))
        name = f"@{node}" if path == ("$ret",) else f"@{node}:{'.'.join(path)}"
        self.sites[name], self._kinds[name] = node, resource
        return name

    def sites_of(self, nodes: Iterable[int], resource: str = "") -> list[str]:
        """The names of all that some nodes allocate, or of what is one resource, sorted."""
        wanted = set(nodes)
        return sorted(name for name, node in self.sites.items() if node in wanted and resource in ("", self._kinds[name]))

    def _named(self, call: ir.Call, outcome: Outcome) -> Place | None:
        """The place of the caller where an outcome leaves the handle."""
        for path in outcome.paths:
            if path[0] == "$ret" and len(path) <= 2 and call.dst:
                return (call.dst, *path[1:])
            if path[0].startswith("$") and path[0][1:].isdigit() and len(path) == 2:
                index = int(path[0][1:])
                argument = call.args[index] if index < len(call.args) else ""
                if argument and not ir.is_literal(argument):
                    return self.cell(argument, path[1])
        return None

    def filled(self, node: int) -> tuple[str, ...]:
        """The variable that a call fills with what it acquires, through its address."""
        call = self.nodes[node]
        places = {
            place
            for transfer in (self._acquisitions(node) if isinstance(call, ir.Call) else ())
            for outcome in transfer.outcomes
            if isinstance(call, ir.Call) and (place := self._named(call, outcome)) is not None and place[0] != call.dst
        }
        return next(iter(places)) if len(places) == 1 and all(len(place) == 1 for place in places) else ()

    def renewed(self, node: int) -> set[Place]:
        """The places where a call takes what lies there, and leaves something else whatever happens."""
        call = self.nodes[node]
        found: set[Place] = set()
        if not isinstance(call, ir.Call):
            return found
        transfers = [t for effects in self.facts.effects.get(node, ()) for t in effects.transfers]
        taken = {t.entry for t in transfers if len(t.entry) == 2 and all(o.fate == "released" for o in t.outcomes)}
        for outcome in (o for t in transfers if not t.entry for o in t.outcomes):
            place = self._named(call, outcome)
            if outcome.fate == "held" and not outcome.when and place is not None and not taken.isdisjoint(outcome.paths):
                found.add(place)
        return found

    def grown(self, node: int) -> set[Place]:
        """The places where a call leaves what lies there, or gives another block for it (`buffer_put(&b, text)`)."""
        call = self.nodes[node]
        transfers = [t for effects in self.facts.effects.get(node, ()) for t in effects.transfers]
        taken = {t.entry for t in transfers if len(t.entry) == 2 and any(o.fate == "released" for o in t.outcomes)}
        made = {path for t in transfers if not t.entry for o in t.outcomes for path in o.paths}
        return {
            place for t in transfers if t.entry in taken & made and isinstance(call, ir.Call) for o in t.outcomes
            if o.paths == (t.entry,) and all(each.fate in ("held", "released") for each in t.outcomes) for place in self.own_places(call, o)
        }

    @functools.cached_property
    def holders(self) -> dict[str, list[Place]]:
        """Per object the places that may hold it somewhere, sorted; none of those that only lowering made."""
        pairs = set[tuple[Place, Objects]]().union(*(state.items() for state in self.before.values()))
        found: dict[str, set[Place]] = {}
        for place, objects in pairs:
            for each in objects if "%" not in place[0] else ():
                found.setdefault(each, set()).add(place)
        return {each: sorted(places) for each, places in found.items()}

    def cell(self, base: str, field: str) -> Place:
        """The place of a field, through the address that `base` holds where that is a known one."""
        above = self.addresses.get(base)
        if above is None:
            return base, field
        if field == "*":
            return above
        return (above[0], field) if len(above) == 1 else (above[0], f"{above[1]}.{field}")

    def cells(self, state: Mapping[Place, Objects], base: str) -> list[tuple[str, Place]]:
        """The fields below a base that something is known of, each with its place."""
        above = self.addresses.get(base)
        if above is None:
            return [(place[1], place) for place in state if place[0] == base and len(place) > 1]
        prefix = f"{above[1]}." if len(above) > 1 else ""
        found = [("*", above)] if above in state else []
        inner = (place for place in state if place[0] == above[0] and len(place) > 1 and place != above)
        return found + [(place[1][len(prefix) :], place) for place in inner if place[1].startswith(prefix)]

    # --- fixpoint

    def _solve(self) -> dict[int, State]:
        types = self.facts.linked.types
        entry: State = {
            (each.name,): frozenset((f"&{each.name}" if (types.get(each.name) or each.type).endswith("]") else UNSET,))
            for each in self.facts.linked.body.variables
            if each.kind == "local"
        }
        before: dict[int, State] = {ir.ENTRY: entry}
        position = self.facts.cfg.position
        work = [(position[ir.ENTRY], ir.ENTRY)]
        queued = {ir.ENTRY}
        while work:
            _, node = heapq.heappop(work)
            queued.discard(node)
            for successor, state in self._after(node, before[node]):
                if (node, successor) in self.cuts:
                    state = _without(state, self.cuts[node, successor])
                known = before.get(successor)
                joined = state if known is None else join(known, state)
                if joined is not known:
                    before[successor] = joined
                    if successor not in queued:
                        queued.add(successor)
                        heapq.heappush(work, (position[successor], successor))
            for each in sorted((self.links.news() & before.keys()) - queued):
                queued.add(each)
                heapq.heappush(work, (position[each], each))
        return before

    def _after(self, node: int, state: State) -> list[tuple[int, State]]:
        instruction = self.nodes[node]
        successors = self.facts.linked.next[node]
        if isinstance(instruction, ir.Branch) and len(successors) == 2:
            return [
                (successor, refined)
                for successor, holds in zip(successors, (True, False), strict=True)
                if (refined := self._refine(state, node, instruction, holds)) is not None
            ]
        after = self._run(node, instruction, state)
        return [(successor, after) for successor in successors]

    def after(self, node: int) -> State:
        """What places hold behind a node that is no branch."""
        return self._run(node, self.nodes[node], self.before.get(node, {}))

    # --- values

    def value(self, state: Mapping[Place, Objects], operand: str) -> Objects:
        """What an operand may hold."""
        if not operand:
            return _ANY
        if operand in ("=null", "=0", f"={self.failure}"):
            return frozenset((NONE,))
        if ir.is_literal(operand):
            return frozenset(("&literal",))
        return state.get((operand,), _ANY)

    def held(self, state: Mapping[Place, Objects], operand: str) -> Objects:
        """What an operand and its fields may hold."""
        found = set(self.value(state, operand))
        for _, place in self.cells(state, operand):
            found |= state[place]
        return frozenset(found)

    def below(self, state: Mapping[Place, Objects], objects: Objects) -> Objects:
        """Some objects, and all that can be reached through them by what is known here."""
        inner: dict[str, list[Objects]] = {}
        for place, held in state.items():
            for each in state.get((place[0],), _ANY) - {NONE, ANYTHING, UNSET} if len(place) > 1 else ():
                inner.setdefault(each, []).append(held)
        found, work = set(objects), list(objects)
        while work:
            new = set[str]().union(*inner.pop(work.pop(), ())) - found
            found |= new
            work += new
        return frozenset(found)

    # --- instructions

    def _run(self, node: int, instruction: ir.Instruction, state: State) -> State:
        if isinstance(instruction, ir.Branch | ir.Return | ir.Exit | ir.Entry) or _is_mute(instruction):
            return state
        after = dict(state)
        self._dereference(after, instruction)
        match instruction:
            case ir.Copy(dst=dst, src=src):
                self._assign(after, dst, self.value(state, src), src)
            case ir.Op(dst=dst, operator="zero"):
                self._zero(after, dst)
            case ir.Op(dst=dst, operator=operator, operands=operands):
                self._assign(after, dst, self._computed(state, operator, operands), "")
            case ir.Load(dst=dst, base=base, field=field):
                self._assign(after, dst, self._loaded(state, base, field), "")
            case ir.Store(base=base, field=field, src=src):
                self._store(after, base, field, self.value(state, src))
            case ir.AddressOf(dst=dst, base=base):
                self._assign(after, dst, frozenset((f"&{base or '::'}",)), "")
            case ir.LoadElement(dst=dst, base=base, index=index) if base not in self.counted and element_of(index):
                self._assign(after, dst, self._loaded(state, base, element_of(index)), "")
            case ir.StoreElement(base=base, index=index, src=src) if (base, element_of(index)) in state and base not in self.counted:
                self._put(after, (base, element_of(index)), self.value(state, src))
            case ir.LoadElement(dst=dst) | ir.Alloc(dst=dst) | ir.Catch(dst=dst):
                self._assign(after, dst, _ANY, "")
            case ir.Call():
                self._call(node, instruction, state, after)
            case ir.Havoc(variables=variables):
                for name in variables:
                    self._assign(after, name, _ANY, "")
            case ir.ScopeEnd(variables=variables):
                for name in variables:
                    self._assign(after, name, frozenset((UNSET,)), "")
            case _:
                pass
        return after

    def _dereference(self, state: State, instruction: ir.Instruction) -> None:
        """What is dereferenced is there: behind it, the pointer is not null."""
        match instruction:
            case ir.Load(base=base) | ir.Store(base=base) | ir.LoadElement(base=base) | ir.StoreElement(base=base):
                objects = state.get((base,))
                if objects is not None and NONE in objects and len(objects) > 1:
                    state[(base,)] = objects - {NONE}
            case _:
                pass

    def _put(self, state: State, place: Place, objects: Objects) -> None:
        if len(place) > 1:
            self._bases.add(place[0])
        state[place] = objects

    def _assign(self, state: State, dst: str, objects: Objects, source: str) -> None:
        if not dst:
            return
        state.pop((dst,), None)
        if dst in self._bases:
            for place in [place for place in state if place[0] == dst]:
                del state[place]
        if objects != _ANY:
            state[(dst,)] = objects
        if source and source in self._bases:  # Without a name they would be the globals.
            for place, held in [(p, h) for p, h in state.items() if p[0] == source and len(p) > 1]:
                self._put(state, (dst, *place[1:]), held)

    def _zero(self, state: State, dst: str) -> None:
        """`= {0}`: what is an array or a struct keeps its place, and each field that is named holds nothing."""
        own = state.get((dst,), _ANY)
        self._assign(state, dst, own if own != _ANY else frozenset((UNSET,)), "")
        for field in self._fields.get(dst, ()):
            self._put(state, (dst, field), frozenset((NONE,)))

    @functools.cached_property
    def _fields(self) -> dict[str, list[str]]:
        """Per struct of the function itself the fields that are loaded, stored, or passed by address."""
        found: dict[str, dict[str, None]] = {}
        for node in self.nodes:
            if isinstance(node, ir.Load | ir.Store | ir.AddressOf) and node.base and node.field:
                base, *inner = self.cell(node.base, node.field)
                if inner and inner[0] != "*":
                    found.setdefault(base, {})[inner[0]] = None
        return {name: list(fields) for name, fields in found.items()}

    def _computed(self, state: State, operator: str, operands: tuple[str, ...]) -> Objects:
        if operator == "cast" and operands:
            return self.value(state, operands[0])
        if operator == "[]+" and operands:
            return frozenset(INSIDE + each if each[0] == "@" else each for each in self.value(state, operands[0]))
        return _ANY

    def _loaded(self, state: State, base: str, field: str) -> Objects:
        return state.get(self.cell(base, field), _ANY) if base or field != "errno" else _ANY  # Any call may set that one.

    def _store(self, state: State, base: str, field: str, objects: Objects) -> None:
        target = self.cell(base, field)
        if len(target) == 1:
            self._assign(state, target[0], objects, "")
            return
        for place in [place for place in state if len(place) > 1 and place[1] == target[1] and place[0] != target[0]]:
            state[place] = state[place] | objects
        self._put(state, target, objects)

    def _call(self, node: int, call: ir.Call, state: State, after: State) -> None:
        effects = self.facts.effects.get(node, ())
        held: set[str] = set()
        for index, argument in enumerate(call.args):
            self._forget(after, argument, f"${index}", effects, is_library=self._is_library(node))
        for place in self.grown(node):
            after[place] = state.get(place, _ANY)
        self._assign(after, call.dst, _ANY, "")
        for transfer in (t for each in effects for t in each.transfers):
            for outcome in transfer.outcomes:
                if outcome.fate != "held":
                    continue
                if transfer.entry:
                    objects = self._entry(state, call, transfer)
                    if ("$ret",) in outcome.paths:
                        held |= objects
                    if outcome.paths == (("$ret",),):
                        after.update(_without(after, objects))  # Whoever knew it before has a part of it (`whole = reverse(list)`), or nothing.
                    for place in self.own_places(call, outcome):
                        self._put(after, place, after.get(place, frozenset()) | objects)
                    continue
                self._acquire(node, call, (outcome, transfer.resource), (state, after))
        self._release(state, call, effects, after)
        self._leave_inside(node, call, (state, after))
        # What a call makes of something (`fmemopen`) is another object than that.
        is_new = any(o.paths for each in effects for t in each.transfers if not t.entry for o in t.outcomes)
        same = {root for each in effects for root in each.whole if root in each.aliases} if len(effects) == 1 and not is_new else set()
        held |= {each for root in same for each in self._alias(state, call, root, is_whole=True)}
        roots = (root for each in effects for root in (*each.aliases, *(() if is_new else each.needs)) if root not in replaced(each) | same)
        inside = {each for root in roots for each in self._alias(state, call, root)}
        # `strchr` and `fgets` may answer with nothing at all.
        held |= inside | ({NONE} if inside - held else set())
        if held and call.dst:
            after[(call.dst,)] = frozenset(held) if same else after.get((call.dst,), frozenset()) | held

    def _leave_inside(self, node: int, call: ir.Call, states: tuple[State, State]) -> None:
        """What a library leaves behind an address points into what it was given (`strtol`), or into what lay there."""
        state, after = states
        linked = self.facts.linked
        types = [linked.types.get(each, "") for each in call.args]
        indices = {i for each in self.facts.effects.get(node, ()) for i in pointed(types, linked.targets.get(node), each)}
        for index in sorted(indices):
            place = self.cell(call.args[index], "*")
            held = state.get(place, frozenset()).union(*(self.value(state, each) for each in call.args))
            found = frozenset(INSIDE + each for each in held if each[0] == "@") | {each for each in held if each[0] == INSIDE}
            if found:
                self._put(after, place, after.get(place, frozenset()) - {UNSET} | found | {NONE})

    def _release(self, state: State, call: ir.Call, effects: tuple[Effects, ...], after: State) -> None:
        """Nobody may look into what is released, by whatever name."""
        for transfer in (t for each in effects for t in each.transfers):
            root = transfer.entry[0][1:] if len(transfer.entry) == 1 else ""
            if not root.isdigit() or int(root) >= len(call.args) or not any(o.fate == "released" for o in transfer.outcomes):
                continue
            argument = call.args[int(root)]
            objects = self.value(state, argument) - {NONE, ANYTHING, UNSET}
            names = {argument, *(place[0] for place, held in state.items() if len(place) == 1 and held & objects)}
            for name in names if not ir.is_literal(argument) else ():
                for _, place in self.cells(after, name):
                    after[place] = _ANY

    def own_places(self, call: ir.Call, outcome: Outcome) -> list[Place]:
        """The variables of the function itself in which a callee leaves a handle, through their addresses."""
        found = []
        for path in outcome.paths:
            if len(path) == 2 and path[0][1:].isdigit() and int(path[0][1:]) < len(call.args):
                argument = call.args[int(path[0][1:])]
                if argument in self.addresses:
                    found.append(self.cell(argument, path[1]))
        return found

    def _entry(self, state: State, call: ir.Call, transfer: Transfer) -> Objects:
        root = transfer.entry[0]
        if len(transfer.entry) == 1 and root[1:].isdigit() and int(root[1:]) < len(call.args):
            return self.value(state, call.args[int(root[1:])])
        return frozenset()

    def _alias(self, state: State, call: ir.Call, root: str, *, is_whole: bool = False) -> Objects:
        if root[1:].isdigit() and int(root[1:]) < len(call.args):
            objects = self.value(state, call.args[int(root[1:])])
            return objects if is_whole else frozenset(INSIDE + each if each[0] == "@" else each for each in objects)
        return _ANY

    def _acquire(self, node: int, call: ir.Call, made: tuple[Outcome, str], states: tuple[State, State]) -> None:
        (outcome, resource), (state, after) = made, states
        place = self._named(call, outcome)
        if place is None:
            return
        objects = frozenset((self.site(node, outcome, resource),))
        if place == (call.dst,):
            if any(condition.path == ("$ret",) for condition in outcome.when):
                objects |= {NONE}
            after[place] = after.get(place, frozenset()) | objects
            return
        if place[0] == call.dst:
            self._put(after, place, after.get(place, frozenset()) | objects)
            return
        link = self.links.of(call.dst, node, place)
        objects |= {NONE} if resource == ERROR and not outcome.when else frozenset()  # Whether there is an error only its place says.
        if place in self.renewed(node):
            self._put(after, place, objects | {NONE})
            return
        before = self._where_it_fails(node, outcome, (state.get(place, _ANY), after.get(place, _ANY)))
        if objects & before and place not in self.grown(node):
            before = before - objects | _ANY  # what the turn before acquired is not what this one did not
        if link is not None:
            self.links.note(call.dst, msgspec.structs.replace(link, held=objects, otherwise=before))
            objects |= before
        self._put(after, place, objects)

    def _where_it_fails(self, node: int, outcome: Outcome, held: tuple[Objects, Objects]) -> Objects:
        """What the place of an outcome holds where it does not happen: what it held, as far as the callee wrote nothing else to it."""
        before, after = held
        path, target = next(iter(outcome.paths), ()), self.facts.linked.targets.get(node)
        if len(path) == 2 and path[1] != "*" and keeps((t for e in self.facts.effects.get(node, ()) for t in e.transfers), path):
            return before
        if target is None or len(path) != 2 or path[1] != "*" or not path[0][1:].isdigit() or self.failure == MAP_FAILED:
            return after
        match self._left(target.procedures, int(path[0][1:])):
            case Left.NOTHING:
                return frozenset((NONE,))
            case Left.AS_IT_WAS:
                return before | {NONE}
            case _:
                return after

    def _is_library(self, node: int) -> bool:
        target = self.facts.linked.targets.get(node)
        return target is not None and not target.procedures

    def _forget(self, state: State, argument: str, root: str, effects: tuple[Effects, ...], *, is_library: bool) -> None:
        """What an argument points to may be assigned, but by callees that write nothing there. Libraries may set what holds no handle, though
        no model says so."""
        if not argument or ir.is_literal(argument):
            return
        if all(each.is_known and not any(path[0] == root for path in each.writes) for each in effects):
            for _, place in self.cells(state, argument) if is_library and not all(each.is_pure for each in effects) else ():
                if not any(each[0] in ("@", INSIDE) for each in state[place]):
                    state[place] = state[place] | _ANY
            return
        written = [path[1] if len(path) > 1 else "?" for each in effects for path in each.writes if path[0] == root]
        is_any = "?" in written or not all(each.is_known for each in effects)
        for field, place in self.cells(state, argument):
            is_begun = field == "*" and "?" not in written and self._is_value(place[0])
            if (is_any and not is_begun) or field in written or ("[]" in written and (field == "*" or field[0] == "[")):
                state[place] = state[place] | _ANY

    def _is_value(self, name: str) -> bool:
        """Whether a variable is a struct that is there itself: what `x_init(&value)` begins in it stays, as the proof has to say."""
        written = self.facts.linked.types.get(name, "*")
        return "*" not in written and not written.endswith("]")

    # --- branches

    def _refine(self, state: State, node: int, branch: ir.Branch, holds: bool) -> State | None:
        operator = "!=" if branch.operator == "true" else branch.operator
        right = "=0" if branch.operator == "true" else branch.right
        if operator not in NEGATED:
            return state
        operator = operator if holds else NEGATED[operator]
        after = state
        for place in self._places_of(branch.left):
            kept = self._kept(state.get(place), operator, right)
            if kept is not None:
                if not kept:
                    return None
                after = {**after, place: kept}
                if kept == {NONE}:
                    after = {each: held for each, held in after.items() if each[0] != place[0] or len(each) <= len(place)}
        told = self.links.told(node, branch.left, operator, right)
        return {**after, **told} if told else after

    def _places_of(self, name: str) -> list[Place]:
        """The variable, and what it was loaded or copied from just before."""
        return [(name,), *self._sources.get(name, ())]

    @functools.cached_property
    def _sources(self) -> dict[str, list[Place]]:
        """Per temporary the places that its value comes from, or goes to (`if ((s->name = strdup(n)) == NULL)`)."""
        found: dict[str, list[Place]] = {}
        for node in self.nodes:
            match node:
                case ir.Load(dst=dst, base=base, field=field) if dst[:1] == "%" and base:
                    found.setdefault(dst, []).append(self.cell(base, field))
                case ir.Copy(dst=dst, src=src) if dst[:1] == "%" and src and src[0] != "=":
                    found.setdefault(dst, []).append((src,))
                case ir.Store(base=base, field=field, src=src) if src[:1] == "%" and base:
                    found.setdefault(src, []).append(self.cell(base, field))
                case _:
                    pass
        return found

    def _kept(self, objects: Objects | None, operator: str, right: str) -> Objects | None:
        """The objects for which a comparison with a literal can hold; None where it says nothing."""
        if objects is None or not ir.is_literal(right):
            return None
        is_number = self.failure == "-1"
        if not is_number and right in ("=-1" if self.failure == MAP_FAILED else "=null", "=null", "=0"):
            if operator == "==":
                return frozenset(each for each in objects if each in (NONE, UNSET, ANYTHING))
            return frozenset(each for each in objects if each != NONE) if operator == "!=" else None
        if is_number and right in ("=-1", "=0"):
            return _kept_number(objects, operator, right)
        return None


def _kept_number(objects: Objects, operator: str, right: str) -> Objects | None:
    """A handle is 0 or more, «none» is -1."""
    number = int(right[1:])
    none = {"==": number == -1, "!=": number != -1, "<": number > -1, "<=": True, ">": False, ">=": number <= -1}[operator]
    handle = {"==": number >= 0, "!=": True, "<": False, "<=": number >= 0, ">": True, ">=": True}[operator]
    return frozenset(each for each in objects if (none if each == NONE else handle if each[0] in ("@", INSIDE) else True))


def replaced(effects: Effects) -> set[str]:
    """The arguments that a call takes to give another block for them (`realloc`): its result points into none of them."""
    is_new = any(("$ret",) in one.paths for t in effects.transfers if not t.entry for one in t.outcomes)
    return {t.entry[0] for t in effects.transfers if len(t.entry) == 1 and any(one.fate == "released" for one in t.outcomes)} if is_new else set()


def _is_mute(instruction: ir.Instruction) -> bool:
    """Whether it is a call that is given nothing, and whose answer nobody takes: a marker."""
    return isinstance(instruction, ir.Call) and not instruction.args and not instruction.dst


def _without(state: State, sites: Objects) -> State:
    return {
        place: frozenset(ANYTHING if each.lstrip(INSIDE) in sites else each for each in objects)
        for place, objects in state.items()
    }
