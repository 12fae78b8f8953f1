"""Walks the paths of a procedure from its entry, with may-aliases, guards, and loops of 0, 1 and 2 turns.

A second opinion, independent of every detector: it knows no facts but those of the IR and of Effects.
Two paths that reach a node with the same state are one from there on. Reports too much when a condition that it does not model decides
which paths can be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

import msgspec

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import UNKNOWN, Effects
from fixers.paths import liveness, rough, shape
from fixers.paths.branches import assume, take
from fixers.paths.calls import Calls
from fixers.paths.coarse import Coarse
from fixers.paths.elements import ELEMENT
from fixers.paths.inside import is_only_inside, lead_into, leave_in, made_with, pass_on
from fixers.paths.loops import headers
from fixers.paths.met import Met
from fixers.paths.opaque import Reach, opaque_branches
from fixers.paths.question import Question, Site
from fixers.paths.report import UNKNOWN as NOT_KNOWN
from fixers.paths.report import Report
from fixers.paths.state import (
    ANY,
    DEPENDS,
    GLOBALS,
    IN_ARRAY,
    LEFT,
    NEGATED,
    NOTHING,
    NULL,
    OBJECT,
    OF,
    REST,
    UNSET,
    WAS,
    WRAPPED,
    ZEROED,
    Cell,
    Fate,
    Instance,
    State,
    Value,
    element,
    is_outside,
    kind,
    locate,
    place,
    storage,
)
from fixers.paths.structs import Structs, assign
from fixers.paths.values import is_number, operand, operation, returned_type, told_apart

LIMIT = 9000
"""Steps of all paths together."""

FINE = 3000
"""Those of them in which nothing is forgotten where many paths come together."""

THIS = frozenset(("this",))

MAX_RUN = 200
"""Nodes that are run one after the other as one step."""

TURNS = 2
"""Turns of a loop that are walked."""


class Walk:
    """One run over one procedure."""

    def __init__(
        self,
        linked: Linked,
        effects: Mapping[int, tuple[Effects, ...]],
        question: Question,
        ignored: frozenset[str],
        live: liveness.Liveness,
        holders: frozenset[str] | None,
        *,
        instead: Callable[[], Report] | None = None,
        is_rough: bool = False,
    ) -> None:
        """`ignored`: the variables whose values are not looked at; `holders`: those that may hold the resource, where no others are;
        `instead`: asked after `FINE` steps, whose answer counts where it proves all; `is_rough`: only what is tied to handles is kept
        where paths meet."""
        self.instead = instead
        self.linked = linked
        self.limit = rough.STEPS if is_rough else LIMIT
        self.is_rough = is_rough
        self.ignored = ignored
        self.holders = holders
        self.coarse = Coarse(linked, effects, question.sites | question.others)
        self.is_dead, self.steps = False, 0
        self.body = linked.body
        self.effects = effects
        self.question = question
        self.report = Report()
        self.report.is_idempotent, self.report.headers = question.is_idempotent, question.headers
        self.report.is_awaited = question.is_awaited
        self.report.is_ended = question.is_ended
        self.report.is_for_ours = question.language == "c" and bool(question.ours) and not question.is_rerouted
        self.report.ignored = frozenset() if question.ours else question.others
        self.calls = Calls(question, self.report)
        self.live = live
        self.headers = headers(linked)
        self.ours = frozenset(name for node in question.ours for name in _arguments(linked, node) if ir.is_temporary(name))
        self.taken = frozenset(each.name for each in self.body.variables if each.is_address_taken)
        self.places = [storage(name) for name in sorted(self.taken)]
        self.regions = shape.regions(linked)
        self.embedded = [(storage(name), live.bits.get(name, 0)) for name in sorted(self.regions)]
        self.structs, self.fields = Structs(linked), shape.fields(linked, self.regions)
        self.arrays, self.inner, self.renewals = shape.arrays(linked), shape.inner(linked), shape.renewals(linked)
        self.joins = shape.joins(linked)
        self.met = Met(self.joins, live)
        self.read: dict[int, Set[str]] = {}
        self.kept: list[Set[str] | None] = [None] * len(self.body.nodes)
        self.this = Value("unknown", 1)
        self.opaque = opaque_branches(linked, effects) if question.language == "c" else {}
        self.reach = Reach(linked, effects)
        wanted = (*question.sites, *question.others, *question.ours)
        self.ahead = [True] * len(self.body.nodes) if question.is_about_results else shape.leading(linked, wanted)
        self.ending = shape.ending(linked, effects)

    def run(self, starts: Sequence[int] = (), *, is_whole: bool = False) -> Report:
        """Walk until nothing is new, something is wrong on a path that can be, or the limit is met; `is_whole`: whatever is in doubt."""
        work = deque(map(self._midway, starts) if starts else [self._start()])
        while work:
            state = work.popleft()
            if self.instead is not None and self.steps > FINE:
                other, self.instead = self.instead(), None
                if other.is_proved:
                    return other
            if self.steps + len(work) > self.limit:
                self.report.unfinished(f"more than {LIMIT} steps on the paths of `{self.body.name}`")
                break
            work.extend(after for source, after in self._walk(state) if self._is_new(source, after))
            if self.report.is_refuted and state.is_coarse:
                self.report.unsure(f"more than {FINE} steps on the paths of `{self.body.name}`")  # perhaps it can be no path
            is_vain = not is_whole and (self.holders is not None or bool(starts)) and not self.report.is_proved  # another walk answers then
            if self.report.is_refuted or not self.report.is_finished or is_vain:
                break
        return self.report

    def _midway(self, node: int) -> State:
        """The state at a node of which nothing is known."""
        state = State(node)
        state.variables["this"] = self.this = state.unknown()
        state.variables.update({name: storage(f"{name}[]") for name in sorted(self.arrays)})
        return state

    def _start(self) -> State:
        """The state in which a procedure begins."""
        start = State(ir.ENTRY)
        start.variables["this"] = self.this = start.unknown()
        for variable in self.body.variables:
            if variable.kind not in ("local", "temporary"):
                continue
            start.variables[variable.name] = storage(f"{variable.name}[]") if variable.name in self.arrays else UNSET
        self._own(start)
        return start

    def _own(self, state: State) -> None:
        """Put what the procedure owns where it lies at the beginning."""
        for path in self.question.owned:
            value = state.object()
            state.ranges[value] = ANY
            state.handles[value] = Instance(ir.ENTRY)
            match path:
                case ("this", field):
                    state.cells[self.this, field] = value
                case (root,) if root[1:].isdigit():
                    state.variables[self.body.parameters[int(root[1:])]] = value
                case _:
                    pass

    # --- arriving at a node

    def _is_new(self, source: int, state: State) -> bool:
        """Prune what no longer matters; False where this state was walked from, or a loop turned enough."""
        node = state.node
        if node in self.headers and not self._turn(source, state):
            return False
        self._settle(state)
        if not state.handles and not self.ahead[node]:
            return False
        if node in self.joins and self.is_rough:
            rough.forget(state, self.coarse.kept)
        elif node in self.joins and self.steps > FINE and self.coarse.is_crowded(state):
            self.coarse.forget(state)
        return not self.met.again(state)

    def _turn(self, source: int, state: State) -> bool:
        loop = self.headers[state.node]
        at = self.body.nodes[source]
        turns = state.turns.copy()
        inside = loop.start <= at.start and at.end <= loop.end and state.node in turns
        turns[state.node] = turns[state.node] + 1 if inside else 0
        state.turns = turns
        return turns[state.node] <= TURNS

    def _forget_dead(self, state: State) -> None:
        kept = self.kept[state.node]
        if kept is None:
            read = self.live.read[state.node]
            kept = self.read.get(read)
            if kept is None:
                names = {name for name, bit in self.live.bits.items() if read & bit}
                kept = self.read[read] = (names | self.taken | THIS) - self.ignored
            self.kept[state.node] = kept
        for name in state.variables.keys() - kept:
            del state.variables[name]

    def _settle(self, state: State) -> None:
        """Drop variables that nobody reads again, and see which handles that loses."""
        self._forget_dead(state)
        node = state.node
        if not state.handles or state.handles.keys() <= set(state.variables.values()):
            return
        roots = self._roots(state)
        held = self._held(state, roots)
        lost = [each for each in state.handles if each not in held]
        needed = set(state.related(roots)) if lost else ()
        for handle in lost:
            if state.handles[handle].fate in (Fate.OPEN, Fate.MAYBE) and self._may_be_open(state, handle):
                if node not in self.ending:
                    self.report.lost(state, handle, node)
                del state.handles[handle]
            elif handle not in needed:
                del state.handles[handle]

    def _may_be_open(self, state: State, handle: Value) -> bool:
        known = state.range_of(handle)
        return state.handles[handle].site in self.question.sites and not known.low == known.high == 0

    def _roots(self, state: State) -> list[Value]:
        """What the path can name, or somebody outside."""
        roots = list(state.variables.values())
        roots += [base for base, _ in state.cells if is_outside(base)]
        roots += self.places
        roots += [place for place, bit in self.embedded if self.live.read[state.node] & bit]
        return roots

    def _held(self, state: State, roots: list[Value]) -> set[Value]:
        """What somebody can still reach, and what something that can be reached wraps."""
        held = set(state.reachable(roots))
        for handle in list(state.handles):
            if any(each in held for each in (handle, *self._wrappers(state, handle))):
                held.add(handle)
        return held

    def _wrappers(self, state: State, handle: Value) -> list[Value]:
        return [base for (base, field), value in state.cells.items() if value == handle and field == WRAPPED]

    # --- running a node

    def _walk(self, state: State) -> Iterator[tuple[int, State]]:
        """The states behind a node, each with the node that it comes from; where there is but one way on, and no other
        path comes to it, further on."""
        source, ends = state.node, list(self._step(state))
        for _ in range(MAX_RUN):
            if len(ends) != 1 or isinstance(self.body.nodes[source], ir.Branch) or self.report.is_refuted:
                break
            after = ends[0]
            if after.node in self.joins or after.node in self.headers:
                break
            self._forget_dead(after)
            if not after.handles and not self.ahead[after.node]:
                return
            source, ends = after.node, list(self._step(after))
        for each in ends:
            yield source, each

    def _step(self, state: State) -> Iterator[State]:
        self.steps += state.weight
        node = state.node
        instruction = self.body.nodes[node]
        match instruction:
            case ir.Branch():
                self._compare(state, (instruction.left, instruction.right))
                sides = self.linked.next[node]
                for left, (successor, holds) in enumerate(zip(sides, (True, False), strict=False), 1 - len(sides)):
                    after = state.copy(successor) if left else state.at(successor)
                    if take(after, instruction, holds):
                        self._note_opaque(after, node, successor)
                        yield after
                return
            case ir.Call():
                yield from self._call(state, instruction)
                return
            case ir.Exit():
                self._finish(state)
                return
            case _:
                self.is_dead = False
                self._run(state, instruction)
                if self.is_dead:
                    return
        onward = (*self.linked.next[node], *self.linked.raises[node])
        for successor in onward[:-1]:
            yield state.copy(successor)
        for successor in onward[-1:]:
            yield state.at(successor)

    def _note_opaque(self, state: State, node: int, successor: int) -> None:
        """A handle that only an unknown condition keeps from its release."""
        name = self.opaque.get(node)
        if name is None:
            return
        for value, instance in state.handles.items():
            if instance.fate is not Fate.OPEN or instance.condition:
                continue
            holders = [each for each, held in state.variables.items() if held == value]
            if self._is_kept_from_release(holders, node, successor):
                condition = f"whether `{name}` holds is not known"
                state.handles[value] = msgspec.structs.replace(instance, condition=condition)

    def _is_kept_from_release(self, holders: list[str], node: int, successor: int) -> bool:
        """Whether another way out of the branch leads to a release of a holder, and this one does not."""
        if any(successor in self.reach.of(each) for each in holders):
            return False
        return any(other in self.reach.of(each) for each in holders for other in self.linked.next[node])

    def _call(self, state: State, call: ir.Call) -> Iterator[State]:
        node = state.node
        for name in self.structs.names.intersection(call.args):
            state.variables[name] = storage(name)
        before = state.variables.get(call.dst)
        for exit_, after in self.calls.after(state, lambda: self._site(node, call)):
            self._take_over(after, before, node)
            if exit_ == "return" and call.dst in self.structs.names:
                self.structs.become(after, call.dst, after.variables.get(call.dst))
            onward = self.linked.next[node] if exit_ == "return" else self.linked.raises[node]
            for successor in onward[:-1]:
                yield after.copy(successor)
            for successor in onward[-1:]:
                yield after.at(successor)

    def _site(self, node: int, call: ir.Call) -> Site:
        return Site(
            node, call, self.linked.targets.get(node), self.effects.get(node, (UNKNOWN,)),
            self.linked.types.get(call.dst) or returned_type(self.linked, call.dst), bool(self.linked.raises[node]),
            tuple(self.linked.types.get(name, "") for name in call.args), self.linked.generics.get(call.dst, ""),
        )

    def _run(self, state: State, instruction: ir.Instruction) -> None:
        match instruction:
            case ir.Alloc(dst=dst):
                value = state.object()
                state.ranges[value] = OBJECT
                state.variables[dst] = value
            case ir.Copy(dst=dst, src=src):
                value = self.structs.value(state, src)
                self._take_over(state, state.variables.get(dst), state.node)
                state.variables[dst] = self._converted(state, dst, value)
                if dst in self.regions and state.handles:
                    pass_on(state, value, storage(dst))
                    self.structs.become(state, dst, value)
            case ir.Op(dst=dst, operator="[]+", operands=(base, index)) if self.question.language == "c":
                state.variables[dst] = self._advanced(state, base, index)
            case ir.Op(dst=dst, operator="zero") if dst in self.arrays:
                state.variables[dst] = storage(f"{dst}[]")
                state.cells[state.variables[dst], ELEMENT] = ZEROED
            case ir.Op(dst=dst, operator="zero") if dst in self.regions:
                for field in self.fields[dst]:
                    self._store(state, storage(dst), field, NULL)
                state.cells[storage(dst), REST] = NULL
            case ir.Op(dst=dst):
                if instruction.operator in NEGATED:
                    self._compare(state, instruction.operands)
                state.variables[dst] = operation(state, instruction)
            case ir.Load(dst=dst, base="", field=field) if field in self.question.volatile:
                state.variables[dst] = state.unknown()
            case ir.Load(dst=dst, base=base, field=field):
                value, member = self._base(state, base), self._member(base, field)
                if value == NULL and dst in self.ours:
                    self.report.not_acquired(state.node, f"`{ir.source_name(base)}` may be null there", refuted=True)
                if self.structs.is_one(dst):
                    self.structs.read(state, dst, value, value if field == "*" else place(value, member))
                else:
                    state.variables[dst] = state.inner_array(value, member) if dst in self.inner else state.cell(value, member, told_apart(state, self.linked, base, member))
                    if self.question.language == "c":
                        self._pass_on(state, dst, value)
                self._forget_dull(state, base, (value, member))
            case ir.Store(base=base, field=field, src=src):
                value, member = self._base(state, base), self._member(base, field)
                self._store(state, value, member, self.structs.value(state, src), told_apart(state, self.linked, base, member))
                if self.structs.is_one(src):
                    assign(state, self.structs.value(state, src), value if member == "*" else place(value, member))
                self._forget_dull(state, base, (value, member))
            case ir.LoadElement(dst=dst, base=base, index=index) if self.question.language == "c":
                value = self._base(state, base)
                if self.structs.is_one(dst):
                    self.structs.read(state, dst, value, place(value, element(operand(state, index))))
                else:
                    state.variables[dst] = self._element(state, value, index)
                    self._pass_on(state, dst, value)
            case ir.LoadElement(dst=dst, base=base):
                state.variables[dst] = state.taken_out(self._base(state, base))
            case ir.StoreElement(base=base, index=index, src=src):
                value = self._base(state, base)
                self._store_element(state, value, index, self.structs.value(state, src))
                if self.structs.is_one(src):
                    assign(state, self.structs.value(state, src), place(value, element(operand(state, index))))
            case ir.AddressOf(dst=dst, base=base, field=field):
                state.variables[dst] = self._address(state, base, field)
            case ir.Return(src=src):
                if src:
                    self.report.returns(state, self.structs.value(state, src))
                self._leave(state, src)
            case ir.Throw(src=src):
                self._leave(state, src)
            case ir.Catch(dst=dst):
                if dst:
                    value = state.unknown()
                    state.ranges[value] = OBJECT
                    state.variables[dst] = value
            case ir.ScopeEnd(variables=variables):
                for name in variables:
                    state.variables.pop(name, None)
            case ir.Havoc(variables=variables, reason=reason):
                self._havoc(state, variables, reason)
            case _:
                pass

    def _take_over(self, state: State, value: Value | None, node: int) -> None:
        """What somebody unknown was given, and gives another for, is no longer ours."""
        callee = self.renewals.get(node)
        if callee is not None and value in state.handles and value is not None and state.handles[value].doubt == f"`{callee}` {NOT_KNOWN}":
            state.set_fate(value, Fate.RETAINED)

    def _forget_dull(self, state: State, base: str, cell: Cell) -> None:
        """The first walk knows what fields hold only where something of the resource may lie."""
        if self.holders is None or (base or f"::{cell[1]}") in self.holders:
            return
        cell = locate(*cell)
        value = state.cells.get(cell)
        if value is not None and value.kind in ("unknown", "number", "truth") and value not in state.handles:
            del state.cells[cell]

    def _pass_on(self, state: State, dst: str, base: Value) -> None:
        """What is read through a pointer into something points there, too."""
        written = self.linked.types.get(dst, "")
        if state.handles and not is_number(written) and state.variables[dst].kind == "unknown" and state.variables[dst] not in state.handles:
            pass_on(state, base, state.variables[dst])
            lead_into(state, base, state.variables[dst], self.question.resource)

    def _compare(self, state: State, operands: Sequence[str]) -> None:
        """A pointer that the fix has released means nothing any more, not even that it is not null."""
        if self.question.language != "c" or self.question.resource == "descriptor":
            return
        for name in operands:
            value = state.variables.get(name)
            if value is not None and value in state.handles:
                self.report.compared(state, value, state.node)

    def _advanced(self, state: State, base: str, index: str) -> Value:
        """A pointer to another element. One into a handle stands for the handle."""
        value, field = operand(state, base), element(operand(state, index))
        if field == "*" or value in state.handles or value in (NULL, UNSET):
            return value
        state.has_elements = True
        inner, name = locate(value, field)
        return inner if name == "*" else place(inner, name)

    def _element(self, state: State, base: Value, index: str) -> Value:
        """What lies in an element of an array of C."""
        inner, field = locate(base, element(operand(state, index)))
        state.has_elements |= field != "*"
        if state.cells.get((inner, ELEMENT)) == ZEROED and (inner, field) not in state.cells:
            return NULL
        return state.read_element(inner, field)

    def _base(self, state: State, base: str) -> Value:
        """The value whose cells an access is to; a use of what it points to."""
        if not base:
            return GLOBALS
        if base in self.regions:
            return storage(base)
        value = operand(state, base)
        self.report.used(state, value, state.node, "")
        if not assume(state, "!=", value, NULL):
            self.is_dead = True
        return value

    def _member(self, base: str, field: str) -> str:
        """The members of a union are one cell."""
        return "|" if base in self.question.unions and field != "*" else field

    def _address(self, state: State, base: str, field: str) -> Value:
        if not field:
            return storage(base)
        inner: Value = GLOBALS if not base else storage(base) if base in self.regions else operand(state, base)
        return place(inner, field)

    def _store(self, state: State, base: Value, field: str, value: Value, apart: Set[Value] = frozenset()) -> None:
        if is_outside(base):
            self.report.used(state, value, state.node, "")
        if state.cells.get((base, ELEMENT)) == ZEROED:
            del state.cells[base, ELEMENT]
        if field == "*" and self.question.language == "c" and value not in state.handles:
            leave_in(state, value, base)
        old = state.cells.get((base, field))
        if field == ELEMENT and old is not None and old in state.handles:
            state.doubt(old, IN_ARRAY)
            if self.question.language == "java" and old != value:
                state.cells[base, f"{ELEMENT}{old.number}"] = old  # another element
        state.set_cell(base, field, value, apart)
        if field == ELEMENT and value in state.handles:
            state.doubt(value, IN_ARRAY)

    def _store_element(self, state: State, base: Value, index: str, value: Value) -> None:
        field = ELEMENT
        if self.question.language == "c":
            base, field = locate(base, element(operand(state, index)))
            state.has_elements |= field != "*"
        self._store(state, base, field, value)

    def _converted(self, state: State, dst: str, value: Value) -> Value:
        """A number made of a pointer's content stands alone."""
        needs = any(base == value and kind(field) == DEPENDS and not field.startswith(OF) for base, field in state.cells)
        if needs and self.question.language == "c" and is_number(self.linked.types.get(dst, "")):
            return state.unknown()
        return value

    def _leave(self, state: State, src: str) -> None:
        """What is returned or thrown belongs to the caller, with all that it holds."""
        if not src:
            return
        value = self.structs.value(state, src)
        known = state.range_of(value)
        if known.low == known.high == 0:
            return
        inside = state.reachable([value]) if self.question.language == "c" else None
        for each in state.related([value]):
            if inside is not None and each not in inside:
                self.report.perhaps_needed(state, each, state.node)
                continue
            if isinstance(self.body.nodes[state.node], ir.Return) and each in state.handles:
                self.report.is_returned_released |= state.handles[each].fate is Fate.RELEASED
            if is_only_inside(state, each):
                self.report.handed_out(state, each, state.node)
            elif each == value or state.node not in self.question.settled:
                self.report.used(state, each, state.node, "")
        for each in state.reachable([value]):
            if each in state.handles and state.handles[each].fate is Fate.OPEN:
                state.set_fate(each, Fate.RETURNED)

    def _havoc(self, state: State, variables: tuple[str, ...], reason: str) -> None:
        roots = [value for name in variables if (value := state.variables.get(name)) is not None]
        for each in state.related(roots):
            if each in state.handles:
                state.doubt(each, f"not modelled: {reason}")
        for name in variables:
            if state.variables.get(name) not in state.handles:
                state.variables.pop(name, None)

    def _finish(self, state: State) -> None:
        """At an exit: what lies outside must not be released, what lies nowhere must be. An object whose
        constructor throws is nobody's."""
        if state.node == ir.RAISE and self.body.kind == "constructor":
            for cell in [cell for cell in state.cells if cell[0] == self.this]:
                del state.cells[cell]
        if self.question.is_ensured:
            for handle, instance in state.handles.items():
                if instance.site == ir.ENTRY and instance.fate in (Fate.OPEN, Fate.MAYBE) and self._may_be_open(state, handle):
                    self.report.lost(state, handle, state.node)
        for name in self.question.passing:
            state.cells.pop((GLOBALS, name), None)
        inner = made_with(state) if self.question.language == "c" else frozenset()
        for (base, field), value in state.cells.items():
            is_there = state.range_of(state.cells.get((value, WAS), value)) != NOTHING
            if is_outside(base) and base not in inner and not kind(field) and is_there and not self._is_own_end(state, value):
                for each in state.related([value]):
                    if value.name == LEFT:
                        self.report.perhaps_needed(state, each, state.node)
                    else:
                        self.report.used(state, each, state.node, field.partition("[")[0], state.reachable([value]))
        state.variables.clear()
        outside = [base for base, _ in state.cells if is_outside(base)]
        kept = set(state.reachable(outside)) if self.body.name != "main" else set()
        for handle, instance in state.handles.items():
            if handle not in kept and instance.fate in (Fate.OPEN, Fate.MAYBE) and self._may_be_open(state, handle):
                self.report.lost(state, handle, state.node)

    def _is_own_end(self, state: State, value: Value) -> bool:
        """Whether a field may keep what is released: its owner's life ends here, or releasing it failed."""
        instance = state.handles.get(value)
        is_owned = instance is not None and instance.site == ir.ENTRY
        return is_owned and (self.question.is_ensured or state.node == ir.RAISE)


def _arguments(linked: Linked, node: int) -> tuple[str, ...]:
    call = linked.body.nodes[node]
    return call.args if isinstance(call, ir.Call) else ()
