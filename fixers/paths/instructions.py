"""What an instruction that is no call does to a path: it assigns variables, fields and elements, takes addresses, hands out."""

from __future__ import annotations

from collections.abc import Sequence, Set

from analyzers import ir
from analyzers.queries import Linked
from fixers.paths.branches import assume
from fixers.paths.elements import ELEMENT
from fixers.paths.inside import lead_into, leave_in, pass_on
from fixers.paths.layout import Layout
from fixers.paths.leaving import Leaving
from fixers.paths.overlaid import store_over
from fixers.paths.question import Question
from fixers.paths.report import UNKNOWN as NOT_KNOWN
from fixers.paths.report import Report
from fixers.paths.state import (
    DEPENDS,
    GLOBALS,
    IN_ARRAY,
    NEGATED,
    NULL,
    OBJECT,
    OF,
    REST,
    UNSET,
    ZEROED,
    Cell,
    Fate,
    State,
    Value,
    element,
    is_outside,
    kind,
    locate,
    place,
    storage,
)
from fixers.paths.structs import assign
from fixers.paths.values import is_number, operand, operation, told_apart


class Instructions:
    """The instructions of one procedure, for one walk."""

    def __init__(self, layout: Layout, question: Question, report: Report, leaving: Leaving, holders: frozenset[str] | None) -> None:
        """`holders`: the variables that may hold the resource, where no others are looked at."""
        self.linked = linked = layout.linked
        self.question = question
        self.report = report
        self.leaving = leaving
        self.holders = holders
        self.is_dead = False
        self.ours = frozenset(name for node in question.ours for name in _arguments(linked, node) if ir.is_temporary(name))
        self.regions, self.structs, self.fields = layout.regions, layout.structs, layout.fields
        self.arrays, self.inner, self.renewals = layout.arrays, layout.inner, layout.renewals

    def run(self, state: State, instruction: ir.Instruction) -> bool:
        """Do what it does; False where the path cannot go on behind it: it would look through null."""
        self.is_dead = False
        self._run(state, instruction)
        return not self.is_dead

    def _run(self, state: State, instruction: ir.Instruction) -> None:
        match instruction:
            case ir.Alloc(dst=dst):
                value = state.object()
                state.ranges[value] = OBJECT
                state.variables[dst] = value
            case ir.Copy(dst=dst, src=src):
                value = self.structs.value(state, src)
                self.take_over(state, state.variables.get(dst), state.node)
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
                    self.compare(state, instruction.operands)
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
                    value = self.structs.value(state, src)
                    self.report.returns(state, value)
                    self.leaving.hand_out(state, value)
            case ir.Throw(src=src):
                if src:
                    self.leaving.hand_out(state, self.structs.value(state, src))
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

    def take_over(self, state: State, value: Value | None, node: int) -> None:
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

    def compare(self, state: State, operands: Sequence[str]) -> None:
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
        known = state.range_of(value)
        if not assume(state, "!=", value, NULL) or known.low == known.high == -1:  # Nothing lies at `MAP_FAILED` either.
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
        if base.kind == "storage" and field not in ("*", ELEMENT) and base.name in state.variables and base.name not in self.regions and self.question.language == "c":
            state.variables[base.name] = state.unknown()  # A pointer that is looked at as a struct (`((struct pair *)&p)->first = q;`).
        old = state.cells.get((base, field))
        if field == ELEMENT and old is not None and old in state.handles:
            state.doubt(old, IN_ARRAY)
            if self.question.language == "java" and old != value:
                state.cells[base, f"{ELEMENT}{old.number}"] = old  # another element
        if self.question.language == "java":
            store_over(state, base, field, value, apart)
        else:
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

    def _havoc(self, state: State, variables: tuple[str, ...], reason: str) -> None:
        roots = [value for name in variables if (value := state.variables.get(name)) is not None]
        for each in state.related(roots):
            if each in state.handles:
                state.doubt(each, f"not modelled: {reason}")
        for name in variables:
            if state.variables.get(name) not in state.handles:
                state.variables.pop(name, None)


def _arguments(linked: Linked, node: int) -> tuple[str, ...]:
    call = linked.body.nodes[node]
    return call.args if isinstance(call, ir.Call) else ()
