"""What a path no longer knows behind a call that may assign variables and fields.

A field that holds a handle keeps it, in doubt.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence

from analyzers.handles.c.error_number import ERROR_NUMBER, may_set
from analyzers.handles.unknown import words_of
from analyzers.summaries import AccessPath, Effects
from fixers.paths.names import CAPTURED, RUNNING
from fixers.paths.overlaid import keep_over
from fixers.paths.places import Places
from fixers.paths.question import Question
from fixers.paths.state import (
    COPIED,
    DEPENDS,
    FOUND,
    GLOBALS,
    KEEPER,
    NULL,
    OTHER,
    REST,
    UNSET,
    WAS,
    Cell,
    State,
    Value,
    is_outside,
    kind,
    locate,
)
from fixers.paths.values import is_number, operand

LIBRARY = ("java.", "javax.")
"""Packages whose classes assign nothing but what they are given."""

ANY_GLOBAL = "::?"
"""The root of a path that stands for every global."""

SAME = "="
"""The cell in which a call's result waits that turned out to be another value."""


class Written:
    """What one call with its Effects may assign. `unasked`: where it leaves what the question is not about. In new
    memory what was written is told from what was not."""

    def __init__(self, places: Places, effects: Effects, unasked: frozenset[AccessPath], question: Question) -> None:
        self.unasked = unasked
        self.question = question
        self.places = places
        self.site = places.site
        self.effects = effects

    def forget(self, state: State) -> None:
        """Forget what the callee may assign."""
        if self.effects.is_known:
            if self._is_answered_by_number:
                state.cells.pop((GLOBALS, ERROR_NUMBER[0][2:]), None)
            self._forget_written(state)
            self._forget_passed(state)
            self._store(state)
            return
        roots = [operand(state, name) for name in (self.site.call.receiver, *self.site.call.args) if name]
        filled = [operand(state, self.site.call.args[index]) for index in self._filled]
        passed = dict.fromkeys(
            base for base in state.reachable(roots)
            if base not in filled or base.kind != "storage" or state.variables.get(base.name) not in state.handles
        )
        self._forget_all_below(state, passed)
        target = self.site.target
        if target is None or not target.type.startswith(LIBRARY):
            self._forget_all_below(state, dict.fromkeys(base for base, _ in state.cells if is_outside(base) and base not in passed))

    @functools.cached_property
    def _is_answered_by_number(self) -> bool:
        """Whether a function of the library of C may set `errno`."""
        has_body = self.site.target is not None and bool(self.site.target.procedures)
        return self.question.language == "c" and not has_body and may_set(self.site.call.name, self.effects)

    def _store(self, state: State) -> None:
        """What a function of the program surely stores to new memory is there."""
        if not self.question.looked_at or not self.site.target or not self.site.target.procedures:
            return
        for index in range(len(self.site.call.args)):
            base = self.places.actual(state, f"${index}")
            for field in sorted(self.question.stored(self.site.node, f"${index}")) if base is not None and (base, REST) in state.cells else ():
                if base is not None and (base, field) not in state.cells:
                    state.cells[base, field] = state.unknown()

    def _forget_passed(self, state: State) -> None:
        """A library of C may set a variable, or members of a struct, whose address it is given, though its model does not say so
        (`g_variant_get(v, "(&s)", &name)`, `stat(path, &st)`). What holds a handle it is said to take, or leaves alone."""
        for cell in [cell for cell in state.cells if cell[0] == GLOBALS] if self._is_running else ():
            if not kind(cell[1]) and state.cells[cell] not in state.handles:
                self._forget_cell(state, *cell)
        for index in self._passed:
            place = operand(state, self.site.call.args[index])
            if place.kind == "storage":
                held = state.variables.get(place.name)
                if held is not None and held not in state.handles and not place.name.endswith("[]"):
                    state.variables.pop(place.name)
            base, member = locate(place, "*")
            for cell in [cell for cell in state.cells if cell[0] == base and (member == "*" or cell[1] == member or cell[1].startswith(f"{member}."))]:
                if not (kind(cell[1]) or cell[1][:1] == "=" or state.cells[cell] in state.handles):
                    self._forget_cell(state, *cell)

    @functools.cached_property
    def _is_running(self) -> bool:
        """Whether other functions of the program may run before a call of a library of C returns: it is given one, or it waits."""
        target, call = self.site.target, self.site.call
        if self.question.language != "c" or target is None or target.procedures:
            return False
        return not RUNNING.isdisjoint(words_of(call.name)) or any(each.startswith("=&") for each in call.args)

    @functools.cached_property
    def _passed(self) -> list[int]:
        """The arguments of a call of a library of C of which its model says nothing, and which it may write to."""
        target = self.site.target
        if self.question.language != "c" or self.effects.is_pure or target is None or target.procedures:
            return []
        paths = (path for t in self.effects.transfers for one in t.outcomes for path in one.paths)
        told = {path[0] for path in (*paths, *(t.entry for t in self.effects.transfers)) if path}
        written = target.parameters
        is_const = [each.split()[:1] == ["const"] and each.count("*") == 1 for each in written]
        return [
            index for index, name in enumerate(self.site.call.args)
            if name and name[0] != "=" and f"${index}" not in told and not (index < len(is_const) and is_const[index])
        ]

    @functools.cached_property
    def _filled(self) -> list[int]:
        """The arguments that are addresses of objects which the callee, surely, only works on: `buffer_append(&b, text)` leaves the
        same object there."""
        lent = {t.entry[0] for t in self.effects.transfers if len(t.entry) == 1 and all(one.fate == "held" for one in t.outcomes)}
        return [
            index for index, written in enumerate(self.site.types)
            if f"${index}" in lent and written.count("*") == 1 and not is_number(written.replace("*", " "))
        ]

    @functools.cached_property
    def _written(self) -> dict[str, list[AccessPath]]:
        """The paths that the callee may assign, by their roots."""
        held = {path for t in self.effects.transfers for o in t.outcomes for path in o.paths} - self.unasked
        if self.question.language == "java":  # What lies in between is new, too.
            held |= {path[:end] for path in held for end in range(2, len(path))}
        found: dict[str, list[AccessPath]] = {}
        for path in dict.fromkeys((*self.effects.writes, *sorted(self.unasked))):
            if path not in held:
                found.setdefault(path[0], []).append(path)
        return found

    def _forget_written(self, state: State) -> None:
        globals_ = {f"::{field}" for base, field in state.cells if base == GLOBALS}
        if ANY_GLOBAL in self._written and globals_:
            self._forget_below(state, GLOBALS)
        leading = self.places.leading_on(state, self._written)
        for root, paths in self._written.items():
            if root[:2] == "::":
                value = GLOBALS if root in globals_ else None
            else:
                value = self.places.actual(state, root) if root in leading else None
            if value is not None and value not in (NULL, UNSET):
                for path in paths:
                    self._forget(state, path)

    def _forget(self, state: State, path: AccessPath) -> None:
        base = self.places.resolve(state, path[:-1], NULL) if len(path) > 1 else self.places.actual(state, path[0])
        if base is None:
            return
        if path[-1] == "?":
            for each in state.reachable([base]):
                self._forget_below(state, each)
            return
        self._forget_cell(state, base, path[-1] if len(path) > 1 else path[0][2:])

    def _forget_below(self, state: State, base: Value) -> None:
        if base.kind == "storage":
            self._forget_cell(state, base, "*")
        self._forget_cells(state, [cell for cell in state.cells if cell[0] == base])

    def _forget_all_below(self, state: State, bases: Collection[Value]) -> None:
        """The same for several, whose cells are looked for once."""
        cells: dict[Value, list[Cell]] = {}
        for cell in state.cells if bases else ():
            if cell[0] in bases:
                cells.setdefault(cell[0], []).append(cell)
        for base in bases:
            if base.kind == "storage":
                self._forget_cell(state, base, "*")
            self._forget_cells(state, cells.get(base, ()))

    def _forget_cells(self, state: State, cells: Sequence[Cell]) -> None:
        for base, field in cells:
            if base != KEEPER and not kind(field) and field not in (SAME, FOUND, WAS) and not field.startswith(COPIED):
                self._forget_cell(state, base, field)

    def _is_moved_on(self, state: State, name: str, value: Value) -> bool:
        """Whether a library moves a variable on inside of what it holds (`strsep`), and its result or another one still holds that."""
        target = self.site.target
        if target is None or target.procedures or not self.effects.is_known or not target.models:
            return False
        is_given_out = any(
            t.entry[1:] == ("*",) and all(one.fate == "held" and one.paths == (("$ret",),) for one in t.outcomes) for t in self.effects.transfers if t.outcomes
        )
        return is_given_out or any(held == value for other, held in state.variables.items() if other != name)

    def _forget_cell(self, state: State, base: Value, field: str) -> None:
        """A cell that holds a handle keeps it, in doubt: it may have been overwritten."""
        if base.kind == "storage" and field == "*":
            value = state.variables.get(base.name)
            if value in state.handles and value is not None and not self._is_moved_on(state, base.name, value):
                state.doubt(value, f"`{self.site.call.name}` may assign the variable that holds it")
            else:
                state.variables.pop(base.name, None)
            return
        value = state.cells.get((base, field))
        if field in self.question.fixed and value in state.handles and base == state.variables.get("this"):
            return
        if field.startswith(CAPTURED):
            return  # Nobody assigns what an object of Java has captured.
        is_new = (base, REST) in state.cells
        is_unasked = is_new and self._is_unasked(state, base, field)
        if value is None and not is_unasked:
            return
        if value in state.handles:
            state.doubt(value, f"`{self.site.call.name}` may assign the field that holds it")
            return
        below = self._below(state, value)
        if not is_new and not below:
            del state.cells[base, field]
            if self.places.is_followed:
                keep_over(state, base, value)
            return
        state.cells[base, field] = known = state.unknown()
        if is_unasked:
            state.cells[known, OTHER] = NULL
        if below and value is not None:
            state.cells[known, WAS] = state.cells[value, WAS] if below == [WAS] else value

    def _below(self, state: State, value: Value | None) -> list[str]:
        """The fields of what lay in a cell, and what it needs: who writes there may have kept what they lead to, as `realloc` does."""
        if value is None or value.kind not in ("unknown", "object"):
            return []
        return [
            field for base, field in state.cells
            if base == value and (field == WAS or kind(field) == DEPENDS or not (field[0] == "=" or kind(field)))
        ]

    def _is_unasked(self, state: State, base: Value, field: str) -> bool:
        """Whether a member is where the call leaves what the question is not about."""
        return any(len(path) == 2 and path[1] == field and self.places.actual(state, path[0]) == base for path in self.unasked)
