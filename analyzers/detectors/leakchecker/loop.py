"""The type and effect system of section 3 over one loop, or over a procedure as the body of an artificial loop.

LeakChecker, CGO 2014, Figures 4 to 6 on the IR: flow-sensitive, callees inlined by context to a depth, containers by
their models (a read counts when what it reads comes back to the program), started threads that do not end as outside
objects. Misses what lies behind deeper calls, and where one instance of several is read.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.beyond import Beyond, is_static
from analyzers.detectors.leakchecker.points_to import Object
from analyzers.detectors.leakchecker.value_flow import ELEMENT
from analyzers.detectors.leakchecker.waiting import WAITING, never_ends
from analyzers.domains.era import NOTHING, Era, HeapEffect, Reference, Site, State, Value, eras, leaks
from analyzers.graphs.loops import natural_loop
from analyzers.queries import Linked, ProcedureKey, Queries, Target
from analyzers.slots import THREAD_LOCAL, SlotReader
from analyzers.specs.containers import Role

DEPTH = 3
STEPS = 4_000
PATH_LENGTH = 3
"""Fields in the name of an object that was there before."""

_THREAD = "java.lang.Thread"


class Place(msgspec.Struct, frozen=True, order=True):
    """An instruction, and the calls that lead there."""

    key: ProcedureKey
    node: int
    context: tuple[str, ...] = ()


class LoopReport(msgspec.Struct, frozen=True):
    """What the analysis of one loop found.

    edges      the redundant references (Definition 3)
    growing    those of them that more and more objects hang on, from one iteration to the next
    made       where the objects of a site are made
    stored     where an effect happens first
    threads    names of the sites of threads that are started and do not end
    """

    edges: tuple[HeapEffect, ...]
    growing: tuple[HeapEffect, ...]
    eras: dict[Site, Era]
    stores: tuple[HeapEffect, ...]
    loads: tuple[HeapEffect, ...]
    made: dict[Site, Place]
    stored: dict[HeapEffect, Place]
    is_complete: bool
    threads: frozenset[str] = frozenset()


class _Frame(msgspec.Struct, frozen=True):
    """One activation. Its variables are `prefix + name` in the environment."""

    linked: Linked
    context: tuple[str, ...]
    prefix: str

    @property
    def depth(self) -> int:
        return len(self.context)


class LoopAnalysis:
    """Figures 5 and 6 over one loop; `check` runs it to its fixpoint."""

    def __init__(self, queries: Queries, reader: SlotReader, linked: Linked, header: int | None) -> None:
        self._queries = queries
        self._reader = reader
        self._linked = linked
        self._header = header
        self._inside = frozenset(natural_loop(linked.next, linked.raises, header)) if header is not None else None
        self._stores: set[HeapEffect] = set()
        self._loads: set[HeapEffect] = set()
        self._made: dict[Site, Place] = {}
        self._stored: dict[HeapEffect, Place] = {}
        self._threads: set[str] = set()
        self._beyond = Beyond(queries, reader)
        self._iterated = State()
        self._steps = 0

    def check(self) -> LoopReport:
        """Solve, once more if threads turn out to be started, and apply Definition 3."""
        threads: set[str] | None = None
        while threads != self._threads and self._steps < STEPS:
            threads = set(self._threads)
            self._stores.clear()
            self._loads.clear()
            self._iterated = State()
            self._solve()
        recency = self._iterated.recency
        edges = leaks(self._stores, self._loads, recency)
        return LoopReport(
            edges, tuple(edge for edge in edges if self._is_growing(edge)), eras(self._stores, recency),
            tuple(sorted(self._stores)), tuple(sorted(self._loads)), self._made, self._stored, self._steps < STEPS,
            frozenset(self._threads),
        )

    def _solve(self) -> None:
        frame = _Frame(self._linked, (), "")
        parameters = {
            name: frozenset({Reference(Site(name, True))}) for name in (*self._linked.body.parameters, "this")
        }
        state, before = State(parameters), None
        while state != before and self._steps < STEPS:
            before = state
            after = self._run(frame, state, self._inside is None)
            if self._inside is not None:
                return
            self._iterated = self._iterated.join(after)
            state = before.join(State({}, after.heap, after.recency).next_iteration())

    # --- growth

    def _is_growing(self, edge: HeapEffect) -> bool:
        """Whether the reference is still there when the iteration is over, and is no single one that each replaces."""
        held: set[Site] = set()
        for reference in self._iterated.heap.get((edge.outer, edge.field), NOTHING):
            held |= self._below(reference.site)
        if edge.inner not in held:
            return False
        if edge.field == ELEMENT:
            return True
        return any(
            other.is_old and not other.site.is_outside and {edge.inner, site} <= self._below(other.site)
            for (site, _), value in self._iterated.heap.items() if site in held for other in value
        )

    def _below(self, site: Site) -> set[Site]:
        """The inside objects that one reaches, itself among them."""
        seen, todo = {site}, [site]
        while todo:
            top = todo.pop()
            for (base, _), value in self._iterated.heap.items():
                if base == top:
                    for each in value:
                        if not each.site.is_outside and each.site not in seen:
                            seen.add(each.site)
                            todo.append(each.site)
        return seen

    # --- control flow

    def _run(self, frame: _Frame, start: State, is_inside: bool) -> State:
        """Join of the states at the normal exit of a procedure."""
        linked, is_top = frame.linked, frame.depth == 0
        states: dict[int, State] = {ir.ENTRY: start}
        todo = {ir.ENTRY}
        while todo and self._steps < STEPS:
            self._steps += 1
            node = min(todo)
            todo.discard(node)
            state = states[node].copy()
            inside = is_inside or (is_top and self._inside is not None and node in self._inside)
            self._step(frame, node, state, inside)
            for successor in (*linked.next[node], *linked.raises[node]):
                passed = state
                if is_top and successor == self._header and inside:
                    self._iterated = self._iterated.join(state)
                    passed = state.next_iteration()
                known = states.get(successor)
                merged = passed if known is None else known.join(passed)
                if known is None or merged != known:
                    states[successor] = merged
                    todo.add(successor)
        return states.get(ir.EXIT, State(heap=start.heap, recency=start.recency))

    def _step(self, frame: _Frame, node: int, state: State, inside: bool) -> None:
        def value(operand: str) -> Value:
            return state.environment.get(frame.prefix + operand, NOTHING)

        def assign(variable: str, new: Value) -> None:
            if variable:
                state.environment[frame.prefix + variable] = new

        instruction = frame.linked.body.nodes[node]
        match instruction:
            case ir.Alloc(dst=dst):
                assign(dst, self._new(frame, node, state, inside))
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)):
                assign(dst, value(src))
            case ir.Load(dst=dst, base=base, field=field):
                assign(dst, self._load(state, value(base) if base else _static(field), field if base else "", inside))
            case ir.LoadElement(dst=dst, base=base):
                assign(dst, self._load(state, value(base), ELEMENT, inside))
            case ir.Store(base=base, field=field, src=src):
                bases = value(base) if base else _static(field)
                self._store(frame, node, state, bases, field if base else "", value(src), inside)
            case ir.StoreElement(base=base, src=src):
                self._store(frame, node, state, value(base), ELEMENT, value(src), inside)
            case ir.Call(dst=dst):
                assign(dst, self._call(frame, node, instruction, state, inside))
            case ir.Return(src=src):
                assign("$ret", value(src))
            case ir.Op(dst=dst) | ir.Catch(dst=dst):
                assign(dst, NOTHING)
            case _:
                pass

    # --- objects and effects

    def _new(self, frame: _Frame, node: int, state: State, inside: bool) -> Value:
        """TNEW: one site per instruction and calling context."""
        start = frame.linked.body.nodes[node].start
        name = "/".join((f"{frame.linked.key.path}#{frame.linked.key.name}@{start}", *frame.context))
        site = Site(name, not inside or name in self._threads)
        self._made.setdefault(site, Place(frame.linked.key, node, frame.context))
        if inside and not site.is_outside:
            state.recency[site] = state.recency.get(site, Era.CURRENT)
        return frozenset({Reference(site)})

    def _load(self, state: State, bases: Value, field: str, inside: bool) -> Value:
        """TLOAD; of an object that was there before, what lies in its field was there before, too."""
        result: set[Reference] = set()
        for base in sorted(bases):
            cell = (base.site, field)
            held = state.load(cell) if inside else state.heap.get(cell, NOTHING)
            if inside:
                self._loads.update(HeapEffect(each.site, field, base.site) for each in held)
            result.update(held)
            if base.site.is_outside and cell not in state.heap and "@" not in base.site.name:
                result.add(Reference(Site(_path(base.site.name, field), True)))
        return frozenset(result)

    def _store(
        self, frame: _Frame, node: int, state: State, bases: Value, field: str, value: Value, inside: bool
    ) -> None:
        """TSTORE, strong only where there is one object: `this`, a parameter, a static."""
        for base in sorted(bases):
            if inside:
                for each in value:
                    effect = HeapEffect(each.site, field, base.site)
                    self._stores.add(effect)
                    self._stored.setdefault(effect, Place(frame.linked.key, node, frame.context))
            is_single = len(bases) == 1 and field != ELEMENT and base.site.is_outside and ELEMENT not in base.site.name
            known = NOTHING if is_single else state.heap.get((base.site, field), NOTHING)
            state.heap[base.site, field] = known | value

    # --- calls

    def _call(self, frame: _Frame, node: int, call: ir.Call, state: State, inside: bool) -> Value:
        """Inline the bodies that the call may run, each with its own context; else what models say."""
        target = frame.linked.targets.get(node)
        receiver = state.environment.get(frame.prefix + call.receiver, NOTHING) if call.receiver else NOTHING
        if call.name == "start" and target is not None and receiver:
            self._start(target, receiver)
        if target is not None and target.procedures and frame.depth < DEPTH:
            return self._inline(frame, call, target, state, receiver, inside)
        if target is not None and target.procedures:
            return self._summarised(frame, call, target, state, receiver, inside)
        type_name = frame.linked.types.get(call.receiver, "")
        model = self._reader.container(type_name) if receiver and type_name else None
        if model is not None and model is not THREAD_LOCAL:
            return self._contained(frame, node, call, model.roles.get(call.name), state, receiver, inside)
        if receiver and call.name in ("next", "nextElement", "previous", "iterator"):
            return receiver if call.name == "iterator" else self._load(state, receiver, ELEMENT, inside)
        if inside and call.dst and call.name in WAITING:
            return self._new(frame, node, state, inside)
        return NOTHING

    def _summarised(
        self, frame: _Frame, call: ir.Call, target: Target, state: State, receiver: Value, inside: bool
    ) -> Value:
        """What the bodies of a call do that is not followed into; nothing, where that takes too long to say."""
        actuals = (receiver, *(state.environment.get(frame.prefix + each, NOTHING) for each in call.args))
        context = (*frame.context, f"{frame.linked.key.name}@{call.start}")
        result: Value = NOTHING
        for key in target.procedures if inside and any(actuals) else ():
            summary = self._beyond.of(key)
            if summary is None:
                continue
            formals = dict(zip(summary.formals, actuals, strict=False))

            def value(made: Object, formals: dict[str, Value] = formals) -> Value:
                if not made.path:
                    return self._made_at(made, context, state)
                name, *fields = made.path
                found = _static(name.rpartition(".")[2]) if is_static(made) else formals.get(name, NOTHING)
                for field in fields:
                    found = self._load(state, found, field, inside)
                return found

            for effect in summary.stores:
                place = Place(effect.key, effect.node, context)
                self._stored_below(place, state, value(effect.outer), effect.field, value(effect.inner))
            for outer, field in summary.loads:
                self._load(state, value(outer), field, inside)
            for each in summary.returned:
                result |= value(each)
        return result

    def _made_at(self, made: Object, context: tuple[str, ...], state: State) -> Value:
        """An object that is made below what is followed into."""
        body = self._queries.procedure(made.key)
        start = body.nodes[made.node].start if body is not None else made.node
        calls = (*context, *(f"{each.caller.name}@{each.node}" for each in made.context))
        name = "/".join((f"{made.key.path}#{made.key.name}@{start}", *calls))
        site = Site(name, name in self._threads)
        self._made.setdefault(site, Place(made.key, made.node, calls))
        if not site.is_outside:
            state.recency[site] = state.recency.get(site, Era.CURRENT)
        return frozenset({Reference(site)})

    def _stored_below(self, place: Place, state: State, bases: Value, field: str, value: Value) -> None:
        """A store that may happen: nothing is overwritten."""
        for base in sorted(bases):
            for each in value:
                effect = HeapEffect(each.site, field, base.site)
                self._stores.add(effect)
                self._stored.setdefault(effect, place)
            state.heap[base.site, field] = state.heap.get((base.site, field), NOTHING) | value

    def _contained(
        self, frame: _Frame, node: int, call: ir.Call, role: Role | None, state: State, receiver: Value, inside: bool
    ) -> Value:
        """What a call does to the elements of a container."""
        match role:
            case Role.STORE | Role.SET:
                value = frozenset(
                    each for arg in call.args for each in state.environment.get(frame.prefix + arg, NOTHING)
                )
                self._store(frame, node, state, receiver, ELEMENT, value, inside)
                return NOTHING
            case Role.READ | Role.TAKE:
                arrived = inside and role is Role.TAKE and call.name in WAITING
                known = self._load(state, receiver, ELEMENT, inside) if call.dst else NOTHING
                if arrived and all("@" not in each.site.name for each in known):
                    return self._new(frame, node, state, inside)
                return known
            case Role.VIEW:
                return receiver
            case Role.CLEAR | Role.REMOVE if len(receiver) == 1:
                for each in receiver:
                    state.heap[each.site, ELEMENT] = NOTHING
                return NOTHING
            case _:
                return NOTHING

    def _start(self, target: Target, receiver: Value) -> None:
        """A started thread that does not end is an outside object, wherever it was made."""
        names = (target.type, *self._queries.supertypes(target.type))
        if _THREAD in names and never_ends(self._queries, target.type):
            self._threads.update(each.site.name for each in receiver if not each.site.is_outside)

    def _inline(
        self, frame: _Frame, call: ir.Call, target: Target, state: State, receiver: Value, inside: bool
    ) -> Value:
        actuals = [state.environment.get(frame.prefix + each, NOTHING) for each in call.args]
        after: State | None = None
        returned: Value = NOTHING
        for key in target.procedures:
            callee = self._queries.linked(key)
            if callee is None:
                continue
            context = (*frame.context, f"{frame.linked.key.name}@{call.start}")
            inner = _Frame(callee, context, f"{frame.prefix}{call.start}/{key.name}/")
            entry = state.copy()
            for formal, actual in zip(callee.body.parameters, actuals, strict=False):
                entry.environment[inner.prefix + formal] = actual
            entry.environment[inner.prefix + "this"] = receiver
            left = self._run(inner, entry, inside)
            returned |= left.environment.get(inner.prefix + "$ret", NOTHING)
            left = State(
                {name: value for name, value in left.environment.items() if not name.startswith(inner.prefix)},
                left.heap, left.recency,
            )
            after = left if after is None else after.join(left)
        if after is not None:
            state.environment = {**state.environment, **after.environment}
            state.heap, state.recency = after.heap, after.recency
        return returned


def _static(field: str) -> Value:
    return frozenset({Reference(Site(f"::{field}", True))})


def _path(name: str, field: str) -> str:
    """The name of what lies in a field of an object that was there before; long ones are one object."""
    parts = name.split("|")
    return "|".join((*parts, field)) if len(parts) < PATH_LENGTH else name


def pivots(edges: tuple[HeapEffect, ...], stores: tuple[HeapEffect, ...]) -> tuple[HeapEffect, ...]:
    """The edges whose object is no part of another leaking one: the paper's pivot mode."""
    leaking = {edge.inner for edge in edges}
    inside = {(each.inner, each.outer) for each in stores if not each.outer.is_outside and each.inner != each.outer}
    held = {inner for inner, outer in inside if outer in leaking and (outer, inner) not in inside}
    return tuple(edge for edge in edges if edge.inner not in held) or edges


