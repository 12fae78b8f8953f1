"""What a variable may point to, asked of one variable at a time: reachability with matched calls and fields.

Sridharan and Bodík (PLDI 2006), for what one procedure and its callees do: from a variable back to the instructions that
make what it holds, calls and returns matched by call strings, loads with the stores into the same field of the same
object, recursion as one context. What formals and statics hold before is taken for objects of their own, all
different. Answers grow in a table until nothing changes or the budget is spent; then the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from analyzers.detectors.leakchecker.value_flow import Fragment, Invocation, fragment_of
from analyzers.graphs.callgraph import components
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import SlotReader

STEPS = 20_000
"""Objects and variables that are come across before a question is given up."""

CONE = 40
"""Procedures that are looked at."""

STRING = 6
"""Calls in a context; of longer ones the outermost are forgotten, which lets in more callers."""

PATH = 3
"""Fields in the name of an object that was there before."""


class Crossing(msgspec.Struct, frozen=True, order=True):
    """A call: one parenthesis of a context."""

    caller: ProcedureKey
    node: int


Context = tuple[Crossing, ...]


class Holder(msgspec.Struct, frozen=True, order=True):
    """A variable in a context; a static field has an empty `key`, and its full name."""

    key: ProcedureKey
    name: str
    context: Context = ()


class Object(msgspec.Struct, frozen=True, order=True):
    """What an instruction makes in a context; or, with a `path`, what was there before: a formal of the entry or a static
    (whose `key` is empty), and fields of it."""

    key: ProcedureKey
    node: int
    context: Context = ()
    path: tuple[str, ...] = ()


class Effect(msgspec.Struct, frozen=True, order=True):
    """An object is stored into a field of another, at an instruction of a procedure."""

    inner: Object
    field: str
    outer: Object
    key: ProcedureKey
    node: int


NOWHERE = ProcedureKey("", "")

T = TypeVar("T")

Question = Holder | Object


class PointsTo:
    """Answers questions about an entry and its callees, one table for all of them."""

    def __init__(
        self, queries: Queries, reader: SlotReader, entry: ProcedureKey, steps: int = STEPS, cone: int = CONE
    ) -> None:
        self._queries, self._reader, self._entry, self._cone = queries, reader, entry, cone
        self._fragments: dict[ProcedureKey, Fragment | None] = {}
        self._component: dict[ProcedureKey, ProcedureKey] = {}
        self._callers: dict[ProcedureKey, list[tuple[Fragment, Invocation]]] = {}
        self._objects: dict[Holder, set[Object]] = {}
        self._holders: dict[Object, set[Holder]] = {}
        self._readers: dict[Question, dict[Question, None]] = {}
        self._waiting: dict[Question, None] = {}
        self._now: Question | None = None
        self._steps = steps
        self.is_complete = True
        """False once the budget was spent: then there may be more than is answered."""
        self._explore()

    # --- questions

    def of(self, key: ProcedureKey, name: str, context: Context = ()) -> tuple[Object, ...]:
        """What a variable may point to, sorted; without a context, in any."""
        self._solve(Holder(key, name, context))
        return tuple(sorted(self._objects[Holder(key, name, context)]))

    def holders(self, made: Object) -> tuple[Holder, ...]:
        """The variables that may hold an object, sorted."""
        self._solve(made)
        return tuple(sorted(self._holders[made]))

    def stores(self) -> tuple[Effect, ...]:
        """What is stored into which field of what, each object and its owner in one context, sorted."""
        found: set[Effect] = set()
        for fragment in self.fragments():
            for src, pairs in fragment.stores.items():
                for inner in self.of(fragment.key, src):
                    contexts = {each.context for each in self.holders(inner) if (each.key, each.name) == (fragment.key, src)}
                    for base, field in pairs:
                        found.update(
                            Effect(inner, field, outer, fragment.key, fragment.stored_at[base, field, src])
                            for context in contexts for outer in self.of(fragment.key, base, context)
                        )
        return tuple(sorted(found))

    def loads(self) -> tuple[tuple[Object, str], ...]:
        """Which fields of which objects are read, sorted."""
        return tuple(sorted({
            (outer, field)
            for fragment in self.fragments()
            for pairs in fragment.loads.values() for base, field in pairs for outer in self.of(fragment.key, base)
        }))

    def returned(self) -> tuple[Object, ...]:
        """What the entry may answer, sorted."""
        fragment = self._fragments.get(self._entry)
        names = fragment.returned if fragment is not None else ()
        return tuple(sorted({each for name in names for each in self.of(self._entry, name)}))

    def fragments(self) -> tuple[Fragment, ...]:
        """The entry and its callees, as far as they were looked at, sorted."""
        return tuple(self._all(sorted(self._fragments)))

    # --- the procedures

    def _explore(self) -> None:
        """The entry and its callees, with what of them calls each other in a circle as one."""
        for members in components((self._entry,), self._successors):
            for each in members:
                self._component[each] = members[0]
        for fragment in self.fragments():
            for call in fragment.calls:
                for body in call.bodies:
                    self._callers.setdefault(body, []).append((fragment, call))

    def _successors(self, key: ProcedureKey) -> Iterable[ProcedureKey]:
        is_near = len(self._fragments) < self._cone
        linked = self._queries.linked(key) if is_near else None
        self.is_complete = self.is_complete and is_near
        fragment = fragment_of(self._queries, self._reader, linked) if linked is not None else None
        self._fragments[key] = fragment
        return dict.fromkeys(each for call in (fragment.calls if fragment is not None else ()) for each in call.bodies)

    def _all(self, keys: Iterable[ProcedureKey]) -> list[Fragment]:
        found = [self._fragments.get(each) for each in keys]
        return [each for each in found if each is not None]

    # --- the table

    def _solve(self, asked: Question) -> None:
        self._demand(asked)
        while self._waiting and self._steps > 0:
            self._steps -= 1
            question = self._now = next(iter(self._waiting))
            del self._waiting[question]
            if isinstance(question, Holder):
                is_more = _grow(self._objects[question], set(self._pointees(question)))
            else:
                is_more = _grow(self._holders[question], self._reached(question))
            if is_more:
                self._waiting.update(self._readers.get(question, {}))
            self._now = None
        self._waiting.clear()
        self.is_complete = self.is_complete and self._steps > 0

    def _demand(self, question: Question) -> None:
        if isinstance(question, Holder) and question not in self._objects:
            self._objects[question] = set()
            self._waiting[question] = None
        elif isinstance(question, Object) and question not in self._holders:
            self._holders[question] = set()
            self._waiting[question] = None
        if self._now is not None:
            self._readers.setdefault(question, {})[self._now] = None

    def _what(self, holder: Holder) -> list[Object]:
        self._demand(holder)
        known = self._objects[holder]
        self._steps -= len(known)
        return sorted(known) if len(known) > 1 else list(known)

    def _who(self, made: Object) -> list[tuple[Fragment, Holder]]:
        self._demand(made)
        self._steps -= len(self._holders[made])
        found = ((self._fragments.get(each.key), each) for each in sorted(self._holders[made]))
        return [(fragment, each) for fragment, each in found if fragment is not None]

    # --- back to what makes an object

    def _pointees(self, at: Holder) -> Iterator[Object]:
        if at.key == NOWHERE:
            yield Object(NOWHERE, -1, (), (at.name,))
            for fragment in self.fragments():
                for source in fragment.globals_written.get(at.name, ()):
                    yield from self._what(Holder(fragment.key, source))
            return
        here = self._fragments[at.key]
        assert here is not None
        yield from (Object(at.key, node, at.context) for node in here.made.get(at.name, ()))
        for source in here.into.get(at.name, ()):
            yield from self._what(Holder(at.key, source, at.context))
        for name in here.taken.get(at.name, ()):
            yield from self._what(Holder(NOWHERE, name))
        for base, field in here.loads.get(at.name, ()):
            for outer in self._what(Holder(at.key, base, at.context)):
                yield from self._held(outer, field)
        if at.name in here.formals:
            yield from self._passed(at, here.formals.index(at.name))
        for number in here.answered.get(at.name, ()):
            for body in self._all(here.calls[number].bodies):
                context = self._entered(at, here.calls[number], body.key)
                for name in body.returned:
                    yield from self._what(Holder(body.key, name, context))

    def _held(self, outer: Object, field: str) -> Iterator[Object]:
        """What a field of an object may hold: what is stored through any name of it, and what was there before."""
        for fragment, holder in self._who(outer):
            for stored, src in fragment.stores_of.get(holder.name, ()):
                if stored == field:
                    yield from self._what(Holder(holder.key, src, holder.context))
        if outer.path:
            yield Object(outer.key, -1, (), (*outer.path, field) if len(outer.path) <= PATH else outer.path)

    def _passed(self, at: Holder, position: int) -> Iterator[Object]:
        if at.key == self._entry and not at.context:
            yield Object(at.key, -1, (), (at.name,))
        for caller, call, context in self._left(at.key, at.context):
            if position < len(call.actuals) and call.actuals[position]:
                yield from self._what(Holder(caller.key, call.actuals[position], context))

    # --- on to who holds it

    def _reached(self, made: Object) -> set[Holder]:
        seen: set[Holder] = set()
        todo = list(self._starts(made))
        while todo and self._steps > 0:
            holder = todo.pop()
            if holder not in seen:
                self._steps -= 1
                seen.add(holder)
                todo += self._next(holder)
        return seen

    def _starts(self, made: Object) -> Iterator[Holder]:
        fragment = self._fragments.get(made.key)
        if not made.path and fragment is not None:
            yield from (Holder(made.key, name, made.context) for name, nodes in fragment.made.items() if made.node in nodes)
        elif len(made.path) == 1:
            yield Holder(made.key, made.path[0])
        elif made.path:
            yield from self._loaded(Object(made.key, -1, (), made.path[:-1]), made.path[-1])
            if len(made.path) > PATH:
                yield from self._loaded(made, "")

    def _next(self, at: Holder) -> Iterator[Holder]:
        if at.key == NOWHERE:
            for fragment in self.fragments():
                yield from (Holder(fragment.key, name) for name in fragment.globals_read.get(at.name, ()))
            return
        here = self._fragments[at.key]
        assert here is not None
        yield from (Holder(at.key, name, at.context) for name in here.onto.get(at.name, ()))
        yield from (Holder(NOWHERE, name) for name in here.given.get(at.name, ()))
        for base, field in here.stores.get(at.name, ()):
            for outer in self._what(Holder(at.key, base, at.context)):
                yield from self._loaded(outer, field)
        for number, position in here.passed.get(at.name, ()):
            for body in self._all(here.calls[number].bodies):
                if position < len(body.formals):
                    context = self._entered(at, here.calls[number], body.key)
                    yield Holder(body.key, body.formals[position], context)
        if at.name in here.returned:
            for caller, call, context in self._left(at.key, at.context):
                if call.dst:
                    yield Holder(caller.key, call.dst, context)

    def _loaded(self, outer: Object, field: str) -> Iterator[Holder]:
        """The variables that a field of an object is loaded into; any field, if none is named."""
        for fragment, holder in self._who(outer):
            for loaded, dst in fragment.loads_of.get(holder.name, ()):
                if loaded == field or not field:
                    yield Holder(holder.key, dst, holder.context)

    # --- parentheses

    def _entered(self, at: Holder, call: Invocation, body: ProcedureKey) -> Context:
        """The context of a body that is called: one parenthesis more, but within a recursion."""
        if self._component[at.key] == self._component[body]:
            return at.context
        return (*at.context, Crossing(at.key, call.node))[-STRING:]

    def _left(self, key: ProcedureKey, context: Context) -> Iterator[tuple[Fragment, Invocation, Context]]:
        """Where a procedure in a context was called from: at the last call of the context; anywhere, if it has none."""
        for fragment, call in self._callers.get(key, ()):
            if self._component[fragment.key] == self._component[key]:
                yield fragment, call, context
            elif not context:
                yield fragment, call, ()
            elif context[-1] == Crossing(fragment.key, call.node):
                yield fragment, call, context[:-1]


def _grow(known: set[T], found: set[T]) -> bool:
    """Add what is new; whether there was anything."""
    before = len(known)
    known |= found
    return len(known) > before
