"""Loops that keep what they never read again (Java): objects that leave an iteration and do not come back.

LeakChecker, CGO 2014: the type and effect system of section 3 on the IR of the loop's procedure, calls
inlined by context to a depth; artificial loops around procedures are the same with a back edge from exit to entry.
Reports too much when what is kept is read after the loop only, or removed by code that is not seen;
misses leaks behind calls deeper than the limit, and where one instance of several is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.domains.era import NOTHING, Era, HeapEffect, Reference, Site, State, Value, eras, leaks
from analyzers.graphs.loops import natural_loop
from analyzers.queries import Linked, Queries

DEPTH = 3
STEPS = 20_000
ELEMENT = "[]"


class LoopReport(msgspec.Struct, frozen=True):
    """What the analysis of one loop found. `edges` are the redundant references (Definition 3)."""

    edges: tuple[HeapEffect, ...]
    eras: dict[Site, Era]
    stores: tuple[HeapEffect, ...]
    loads: tuple[HeapEffect, ...]
    is_complete: bool


class LoopAnalysis:
    """Figures 5 and 6 over one loop; `check` runs it to its fixpoint."""

    def __init__(self, queries: Queries, linked: Linked, header: int | None) -> None:
        self._queries = queries
        self._linked = linked
        self._header = header
        self._inside = frozenset(natural_loop(linked.next, linked.raises, header)) if header is not None else None
        self._stores: set[HeapEffect] = set()
        self._loads: set[HeapEffect] = set()
        self._iterated = State()
        self._steps = 0

    def check(self) -> LoopReport:
        """Solve, and apply Definition 3."""
        parameters = {
            name: frozenset({Reference(Site(f"{name}", True))})
            for name in (*self._linked.body.parameters, "this")
        }
        state, before = State(parameters), None
        while state != before and self._steps < STEPS:
            before = state
            after = self._run(self._linked, state, "", 0, self._inside is None)
            if self._inside is not None:
                break
            state = before.join(State({}, after.heap, after.recency).next_iteration())
            self._iterated = self._iterated.join(after)
        recency = self._iterated.recency
        return LoopReport(
            leaks(self._stores, self._loads, recency), eras(self._stores, recency),
            tuple(sorted(self._stores)), tuple(sorted(self._loads)), self._steps < STEPS,
        )

    def _run(self, linked: Linked, start: State, context: str, depth: int, is_inside: bool) -> State:
        """Join of the states at the normal exit of a procedure."""
        states: dict[int, State] = {ir.ENTRY: start}
        todo = [ir.ENTRY]
        while todo and self._steps < STEPS:
            self._steps += 1
            node = min(todo)
            todo.remove(node)
            state = states[node].copy()
            inside = is_inside or (depth == 0 and self._inside is not None and node in self._inside)
            self._step(linked, node, state, context, depth, inside)
            for successor in (*linked.next[node], *linked.raises[node]):
                passed = state
                if depth == 0 and successor == self._header and inside:
                    self._iterated = self._iterated.join(state)
                    passed = state.next_iteration()
                known = states.get(successor)
                merged = passed if known is None else known.join(passed)
                if known is None or merged != known:
                    states[successor] = merged
                    if successor not in todo:
                        todo.append(successor)
        return states.get(ir.EXIT, State(heap=start.heap, recency=start.recency))

    def _step(self, linked: Linked, node: int, state: State, context: str, depth: int, inside: bool) -> None:
        frame = context + "/"

        def value(operand: str) -> Value:
            return state.environment.get(operand if not context else frame + operand, NOTHING)

        def assign(variable: str, new: Value) -> None:
            if variable:
                state.environment[variable if not context else frame + variable] = new

        instruction = linked.body.nodes[node]
        match instruction:
            case ir.Alloc(dst=dst):
                place = f"{linked.key.path}#{linked.key.name}@{instruction.start}{context}"
                site = Site(place, not inside)
                if inside:
                    state.recency.setdefault(site, Era.CURRENT)
                assign(dst, frozenset({Reference(site)}))
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)):
                assign(dst, value(src))
            case ir.Load(dst=dst, base=base, field=field):
                assign(dst, self._load(state, value(base) if base else _static(field), field, inside))
            case ir.LoadElement(dst=dst, base=base):
                assign(dst, self._load(state, value(base), ELEMENT, inside))
            case ir.Store(base=base, field=field, src=src):
                self._store(state, value(base) if base else _static(field), field, value(src), inside)
            case ir.StoreElement(base=base, src=src):
                self._store(state, value(base), ELEMENT, value(src), inside)
            case ir.Call(dst=dst):
                assign(dst, self._call(linked, node, instruction, state, context, depth, inside))
            case ir.Return(src=src):
                assign("$ret", value(src))
            case ir.Op(dst=dst) | ir.Catch(dst=dst):
                assign(dst, NOTHING)
            case _:
                pass

    def _load(self, state: State, bases: Value, field: str, inside: bool) -> Value:
        result: set[Reference] = set()
        for base in sorted(bases):
            held = state.load((base.site, field)) if inside else state.heap.get((base.site, field), NOTHING)
            if inside:
                self._loads.update(HeapEffect(each.site, field, base.site) for each in held)
            if base.site.is_outside and (base.site, field) not in state.heap and "@" not in base.site.name:
                held = frozenset({Reference(Site(f"{base.site.name}.{field}", True))})
            result.update(held)
        return frozenset(result)

    def _store(self, state: State, bases: Value, field: str, value: Value, inside: bool) -> None:
        for base in sorted(bases):
            if inside:
                self._stores.update(HeapEffect(each.site, field, base.site) for each in value)
            is_single = len(bases) == 1 and field != ELEMENT and base.site.is_outside
            known = NOTHING if is_single else state.heap.get((base.site, field), NOTHING)
            state.heap[base.site, field] = known | value

    def _call(
        self, linked: Linked, node: int, call: ir.Call, state: State, context: str, depth: int, inside: bool
    ) -> Value:
        """Inline the bodies that the call may run, each with its own context; join what they return."""
        target = linked.targets.get(node)
        if target is None or depth >= DEPTH or not target.procedures:
            return NOTHING
        frame = context + "/"
        read = {name: state.environment.get(name if not context else frame + name, NOTHING)
                for name in (call.receiver, *call.args) if name}
        after: State | None = None
        returned: Value = NOTHING
        inner = f"{context}>{call.start}"
        for key in target.procedures:
            callee = self._queries.linked(key)
            if callee is None:
                continue
            entry = state.copy()
            entry.environment.update(
                {f"{inner}/{formal}": read.get(actual, NOTHING)
                 for formal, actual in zip(callee.body.parameters, call.args, strict=False)}
            )
            entry.environment[f"{inner}/this"] = read.get(call.receiver, NOTHING)
            left = self._run(callee, entry, inner, depth + 1, inside)
            returned |= left.environment.get(f"{inner}/$ret", NOTHING)
            left.environment = {name: value for name, value in left.environment.items()
                                if not name.startswith(f"{inner}/") and not name.startswith(f"{inner}>")}
            after = left if after is None else after.join(left)
        if after is not None:
            state.environment, state.heap, state.recency = after.environment, after.heap, after.recency
        return returned


def _static(field: str) -> Value:
    return frozenset({Reference(Site(f"::{field}", True))})


def check_loop(queries: Queries, linked: Linked, header: int | None) -> LoopReport:
    """Analyse the loop with this header node, or (None) the whole procedure as the body of an artificial loop."""
    return LoopAnalysis(queries, linked, header).check()


def headers(linked: Linked) -> Sequence[int]:
    """The header nodes of a procedure's loops, in the order of the source."""
    return tuple(loop.header for loop in linked.body.loops)
