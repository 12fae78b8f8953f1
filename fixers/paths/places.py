"""Where access paths of an Effects lie in the state of a path, at one call."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.summaries import AccessPath
from fixers.paths.elements import ELEMENT, may_be_one
from fixers.paths.overlaid import store_over
from fixers.paths.question import Site
from fixers.paths.report import HELD, OUT_OF_SIGHT
from fixers.paths.state import GLOBALS, INSIDE, NULL, UNSET, ZEROED, State, Value, is_outside, locate
from fixers.paths.values import operand

_PLAIN = frozenset(("unknown", "object", "number"))
"""Kinds of values that lie nowhere themselves: what lies below one has a cell."""


class Places:
    """The places that one call can name."""

    def __init__(self, site: Site, *, is_followed: bool = False) -> None:
        """`is_followed`: whether what a callee of Java puts into fields of fields is followed. Where nothing was patched it is not: who
        keeps such an object need not keep what it has, and a second look must not take that for a reason to be silent."""
        self.site = site
        self.is_followed = is_followed
        call = site.call
        self._operands = {f"${index}": name for index, name in enumerate(call.args)}
        if call.receiver:
            self._operands["this"] = call.receiver

    def actual(self, state: State, root: str) -> Value | None:
        """The value of a root of an access path at this call."""
        name = self._operands.get(root)
        if name is not None:
            return operand(state, name)
        return GLOBALS if root[:2] == "::" else None

    def resolve(self, state: State, path: AccessPath, result: Value) -> Value | None:
        """The value that lies at a path."""
        if path[0] == "$ret":
            value: Value | None = result
        elif path[0][:2] == "::":
            value = state.cells.get((GLOBALS, path[0][2:]))
        else:
            value = self.actual(state, path[0])
        at, end = 1, len(path)
        while at < end:
            if value is None or value in (NULL, UNSET):
                return None
            field = path[at]
            at += 1
            is_variable = value.kind == "storage" and field == "*" and value.name[-1] != "]"
            known = is_variable or (value, field) in state.cells
            if field == ELEMENT and not known:
                array, value = value, state.some_element(value)
                if value is None and at < end:  # structs, not pointers to them
                    value = state.some_element(array, path[at])
                    at += 1
                continue
            value = state.cell(value, field) if known else None
        return value

    def leading_on(self, state: State, roots: Iterable[str]) -> set[str]:
        """Those of some roots below which this path may know of anything; a call may name hundreds of places below one of which it knows of none."""
        bases = {base for base, _ in state.cells}
        values = ((root, self.actual(state, root)) for root in roots)
        return {root for root, value in values if value is not None and (value in bases or value.kind not in _PLAIN)}

    def all_of(self, state: State, path: AccessPath, result: Value) -> list[Value]:
        """What lies at a path that leads through elements of arrays, as far as this path has stored it: one value for each place."""
        at = path.index(ELEMENT)
        base = self.resolve(state, path[:at], result)
        found = [] if base is None or base in (NULL, UNSET) else [base]
        ends: list[Value] = []
        for place, field in enumerate(path[at:], at):
            if field == ELEMENT and place + 1 < len(path):
                members = self._held(state, found, f"{ELEMENT}.{path[place + 1]}")  # structs, not pointers to them
                ends += self._below(state, members, path[place + 2:])
            found = self._held(state, found, field)
        return found + [each for each in ends if each not in found]

    def _below(self, state: State, found: list[Value], path: AccessPath) -> list[Value]:
        for field in path:
            found = self._held(state, found, field)
        return found

    @staticmethod
    def _held(state: State, found: list[Value], field: str) -> list[Value]:
        """What lies in a field of any of some values; under an element what lies under that of any."""
        cells = [locate(each, field) for each in found]
        return [
            held for base, name in cells for (other, stored), held in state.cells.items()
            if other == base and held != ZEROED and (stored == name or (field.startswith(ELEMENT) and may_be_one(stored, name)))
        ]

    def place(self, state: State, path: AccessPath, value: Value, result: Value) -> None:
        """Let the value lie at a path. A root alone names the same object: its fields move to the value."""
        if len(path) == 1:
            if path[0].startswith("::"):
                state.set_cell(GLOBALS, path[0][2:], value)
            return
        base = self.resolve(state, path[:-1], result)
        if base is None and len(path) == 2:
            base = result if path[0] == "$ret" else self.actual(state, path[0])
        if base is None:
            base = self._outside(state, path[:-1])
        if base is None and ELEMENT in path[1:-1]:
            at = path.index(ELEMENT, 1)
            base, path = self.resolve(state, path[:at], result), (*path[:at], ".".join(path[at:]))
            if base is not None and base not in (NULL, UNSET) and value in state.handles:
                state.doubt(value, HELD)
        if base is None or base in (NULL, UNSET):
            base = self._between(state, path, result) if base is None else None
            if base is None and value in state.handles:
                state.doubt(value, OUT_OF_SIGHT)
            if base is None:
                return
        if path[-1] == INSIDE:
            if not is_outside(base):
                state.cells[base, f"{INSIDE}{value.number}"] = value
            return
        if self.is_followed:
            store_over(state, base, path[-1], value)
        else:
            state.set_cell(base, path[-1], value)
        if path[-1] == ELEMENT and value in state.handles and not is_outside(base):
            state.doubt(value, HELD)

    def _between(self, state: State, path: AccessPath, result: Value) -> Value | None:
        """The object that a callee has put into a field and that wraps or holds something (`this.in = new BufferedInputStream(given)`):
        whoever has that field has what lies in it."""
        value = result if path[0] == "$ret" else self.actual(state, path[0])
        if not self.is_followed or len(path) < 3 or ELEMENT in path:
            return None
        for field in path[1:-1]:
            if value is None or value in (NULL, UNSET):
                return None
            found = state.cells.get((value, field))
            if found is None or found in (NULL, UNSET):
                found = state.object()
                state.set_cell(value, field, found)
            value = found
        return value

    def _outside(self, state: State, path: AccessPath) -> Value | None:
        """What lies at a path below something that the procedure was passed: nobody has looked, but it is there."""
        value = self.actual(state, path[0])
        for field in path[1:]:
            if value is None or not is_outside(value):
                return None
            value = state.some_element(value) if field == ELEMENT else state.cell(value, field)
        return value
