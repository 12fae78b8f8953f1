"""What points into a resource because a call left it so: the rest of a text behind `strtol`, what an entry names (C).

Not the result (see `calls`), but what lies in a variable whose address the call was given. Of functions of the
repository Effects say it; a library or somebody unknown may leave there whatever points into what it was given.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.handles.unknown import is_formatted, words_of
from analyzers.queries import Target
from analyzers.summaries import Certainty, Effects
from fixers.paths.names import COPYING_TEXT
from fixers.paths.outcomes import is_lent
from fixers.paths.places import Places
from fixers.paths.question import Question, Site
from fixers.paths.state import DEPENDS, INSIDE, KEEPER, LEFT, NULL, UNSET, WAS, State, Value, kind, locate
from fixers.paths.values import is_number, operand


class Inside:
    """What one call of C may leave in variables that it was given the addresses of."""

    def __init__(self, site: Site, effects: Effects, question: Question) -> None:
        self.site = site
        self._told = effects, question
        self.is_seen = bool(site.target and site.target.procedures)
        self.places = _filled(site.types, effects) if self.is_seen else pointed(site.types, site.target, effects)
        held = frozenset(t.entry[0] for t in effects.transfers if len(t.entry) == 1 and all(one.fate == "held" for one in t.outcomes))
        printed = frozenset(f"${index}" for index in range(len(site.call.args)) if is_formatted(site.call, index))
        shown = question.shown.get(site.node, frozenset[str]()) | held | printed
        parameters = site.target.parameters if site.target is not None else ()
        self.unshown = tuple(index for index, name in enumerate(site.call.args) if name and f"${index}" not in shown)
        """The arguments of which nobody shows that the call needs them no more behind it, and that it does not print."""
        self.typed = tuple(index for index in self.unshown if is_lent(parameters, site.call.args, index))
        """Those of them that are lent by nothing but their type."""
        self.keepers = () if self.is_seen or effects.is_known else _keepers(site)
        self.copies = tuple(_copies(effects, len(site.call.args)))
        self.renewed = () if self.is_seen else _renewed(site.call.args, effects)

    @functools.cached_property
    def given_by(self) -> tuple[str, ...]:
        """The arguments that what the call leaves elsewhere may need."""
        effects, question = self._told
        node, none = self.site.node, frozenset[str]()
        if self.is_seen:
            untied = question.apart.get(node, none) | {each.entry[0] for each in effects.transfers if len(each.entry) == 1}
        else:
            untied = question.untied.get(node, none)
        return tuple(name for index, name in enumerate(self.site.call.args) if name and f"${index}" not in untied)

    def given(self, state: State) -> list[Value]:
        """The handles that the call is given, or that variables point into whose addresses it is given; what it gives another block for."""
        olds = [old for name in self.renewed if (old := operand(state, name)).kind == "unknown" and old not in state.handles]
        if not (self.places or self.keepers) or not state.handles:
            return olds
        values = [operand(state, name) for name in self.given_by]
        values += [state.variables[each.name] for each in values if each.kind == "storage" and each.name in state.variables]
        return list(dict.fromkeys((*olds, *(each for value in values for each in state.below(value) if each in state.handles))))

    def leave(self, state: State, given: list[Value], result: Value) -> None:
        """Behind the call, what those variables hold needs what it was given. What it gives for something (`realloc`) may be the same block:
        where somebody outside still has that, the new one may not go."""
        if not state.handles:
            return
        for each in given if result in state.handles else ():
            if each not in state.handles:
                _depend(state, each, [result])
        held = [each for each in given if each in state.handles]
        for copied, target in self.copies:
            copy_members(state, operand(state, self.site.call.args[copied]), operand(state, self.site.call.args[target]))
        kept = self._of(state, self.unshown) if held and not self.is_seen else []
        typed = self._of(state, self.typed) if kept and self.keepers else []
        for index in self.keepers if typed else ():
            where = operand(state, self.site.call.args[index])
            if where not in held:
                _leave(state, where, typed)
        for index in self.places if held else ():
            where = operand(state, self.site.call.args[index])
            if where.kind == "unknown" and not self.is_seen and where not in held and where not in state.handles:
                _leave(state, where, kept)
                continue
            if where.kind not in ("storage", "place") or where.name.endswith("[]"):
                for each in held if self.is_seen and where not in held else ():
                    state.doubt(each, f"what `{self.site.call.name}` leaves behind may need it")
                continue
            if self.site.types[index].count("*") == 1:
                _depend(state, where, held)
                continue
            base, field = locate(where, "*")
            known = state.variables.get(base.name) if base.kind == "storage" and field == "*" else state.cells.get((base, field))
            if known is None or known in (NULL, UNSET) or known.kind == "unknown":
                value = state.unknown()
                state.set_cell(where, "*", value)
                _depend(state, value, held)
                _depend(state, result, held)

    def _of(self, state: State, positions: Sequence[int]) -> list[Value]:
        """The handles that the call is given at some positions."""
        names = (self.site.call.args[index] for index in positions)
        return list(dict.fromkeys(each for name in names for each in state.below(operand(state, name)) if each in state.handles))


def _keepers(site: Site) -> tuple[int, ...]:
    """The arguments of a call of a function that nobody knows which are objects that it may write to: they may keep what it is lent
    besides (`scanner_begin(&scanner, text)`), but where it is named for printing, copying or looking."""
    if site.call.kind != "function" or not COPYING_TEXT.isdisjoint(words_of(site.call.name)):
        return ()
    return tuple(
        index for index, written in enumerate(site.types)
        if written.count("*") == 1 and "const" not in written.split() and not is_number(written.replace("*", " "))
    )


def _renewed(actuals: Sequence[str], effects: Effects) -> tuple[str, ...]:
    """The arguments of a library call that it releases and gives another block for."""
    is_made = any(("$ret",) in one.paths for t in effects.transfers if not t.entry for one in t.outcomes)
    ended = (t.entry[0] for t in effects.transfers if len(t.entry) == 1 and any(one.fate == "released" for one in t.outcomes))
    positions = [int(root[1:]) for root in ended if root[1:].isdigit() and int(root[1:]) < len(actuals)] if is_made else []
    return tuple(name for n in positions if (name := actuals[n]) and not ir.is_literal(name))


def pointed(types: Sequence[str], target: Target | None, effects: Effects) -> tuple[int, ...]:
    """The arguments of a call, by their types, behind which it may leave pointers into what it is given: those to variables that are
    pointers, whatever a model says of them (of `sqlite3_prepare`, mostly, what is made; the rest of the text lies behind another one)."""
    if target is not None and target.procedures:
        return ()
    made = {path[0] for t in effects.transfers for one in t.outcomes for path in one.paths if not t.entry or (len(t.entry) == 1 and path[0] != t.entry[0])}
    below = {path[0] for path in effects.writes if path[-1] == "?"}
    written = {path[0] for path in effects.writes}
    return tuple(
        index for index, written_type in enumerate(types)
        if (root := f"${index}") not in made and root not in effects.aliases and "(*" not in written_type
        and (written_type.count("*") > 1 or (written_type.count("*") == 1 and root in below and (not effects.is_known or root in written)))
    )


def _filled(types: Sequence[str], effects: Effects) -> tuple[int, ...]:
    """The arguments of a call of a function of the repository, by their types, behind which it may leave pointers."""
    written = {path[0] for path in effects.writes}
    return tuple(
        index for index, each in enumerate(types)
        if f"${index}" in written and (each.count("*") > 1 or (each.count("*") == 1 and not is_number(each.replace("*", " "))))
    )


def _copies(effects: Effects, count: int) -> Iterator[tuple[int, int]]:
    """The arguments of a call of which it copies what they point to, and where to."""
    for transfer in effects.transfers:
        if len(transfer.entry) == 2 and transfer.entry[1] == "*" and all(one.fate == "held" for one in transfer.outcomes):
            for path in {path for one in transfer.outcomes for path in one.paths if path[0] not in (transfer.entry[0], "$ret")}:
                found = [int(root[1:]) for root in (transfer.entry[0], path[0]) if root[1:].isdigit() and int(root[1:]) < count]
                if len(found) == 2:
                    yield found[0], found[1]


def made_by(effects: Effects, places: Places, state: State, result: Value) -> list[Value]:
    """What a call makes: its result, or what it leaves in variables."""
    paths = dict.fromkeys(path for t in effects.transfers if not t.entry for one in t.outcomes for path in one.paths)
    return [each for path in paths if (each := places.resolve(state, path, result)) is not None] or [result]


def members_ended(state: State, places: Places, effects: Effects) -> list[Value]:
    """What a release releases together with the resource: the descriptor that a member is."""
    found = []
    for transfer in effects.transfers:
        is_released = any(one.fate == "released" and one.certainty is Certainty.MUST for one in transfer.outcomes)
        value = places.resolve(state, transfer.entry, NULL) if len(transfer.entry) > 1 and is_released else None
        if value is not None and value.kind == "unknown" and value not in state.handles:
            found.append(value)
    return found


def pass_on(state: State, base: Value, value: Value, mark: str = "") -> None:
    """What is read from something that needs a resource needs it, too."""
    _depend(state, value, [held for (each, field), held in state.cells.items() if each == base and kind(field) == DEPENDS], mark)


def leave_in(state: State, value: Value, base: Value) -> None:
    """What is read through a pointer behind which something was stored that needs a resource needs it, too. Who gave the pointer has it then:
    it points to a place of its own, not into the resource."""
    pass_on(state, value, base, "*")


def lead_into(state: State, base: Value, value: Value, resource: str) -> None:
    """What a member of a library's own object points to goes with it (`res->ai_addr` with `freeaddrinfo(res)`). A block of plain memory
    takes nothing along. Errs towards needing it: what the program itself has put there is a value that it knows by another name."""
    owner = state.variables.get(base.name) if base.kind == "storage" else base
    if resource != "heap-memory" and owner is not None and owner in state.handles:
        _depend(state, value, [owner])


def made_with(state: State) -> frozenset[Value]:
    """The values that need others, but for pointers behind which such a one was stored; and those that may be, or hold, what does: whatever
    a callee wrote where such a one lay."""
    found = {base for base, field in state.cells if kind(field) == DEPENDS and field[:2] != f"{DEPENDS}*"}
    later = {base: value for (base, field), value in state.cells.items() if field == WAS}
    while new := {base for base, value in later.items() if value in found} - found:
        found |= new
    return frozenset(found)


def is_only_inside(state: State, value: Value) -> bool:
    """Whether a value is there only because something else made it and keeps it."""
    return is_made_inside(state, value) and not any(held == value for held in state.variables.values())


def is_made_inside(state: State, value: Value) -> bool:
    """Whether a value lies only where something else made it and keeps it, whatever variables name it."""
    return {kind(field) for (_, field), held in state.cells.items() if held == value} == {INSIDE}


def copy_members(state: State, base: Value, copy: Value) -> None:
    """A copy of a struct leads to what its members hold."""
    if not state.handles:
        return
    members = [held for (each, field), held in state.cells.items() if each == base and not kind(field)]
    _depend(state, copy, [each for each in state.reachable(members) if each in state.handles])


def whole(value: Value) -> Value:
    """What a place lies in: who has the place of a member has the struct."""
    while value.kind == "place":
        value = value.parts[0]
    return value


def keep_whole(state: State, value: Value) -> None:
    """Somebody keeps an object that a path made: what is stored in it from here on is there, too."""
    kept = whole(value)
    if kept.kind == "object" and kept not in state.handles:
        state.cells[KEEPER, f"[#{kept.number}]"] = kept


def end_whole(state: State, value: Value) -> None:
    """An object is released: nobody keeps it any more."""
    state.cells.pop((KEEPER, f"[#{value.number}]"), None)


def let_go(state: State) -> None:
    """Where nothing leads to an object any more that somebody keeps, and nothing lies in it, nothing will ever: that it is kept says no more."""
    _let_go_of_earlier(state)
    kept = [cell for cell in state.cells if cell[0] == KEEPER]
    if not kept:
        return
    named = set(state.variables.values())
    for (base, _), held in state.cells.items():
        if base != KEEPER:
            named.update((base, held))
    named = _with_parts(named)
    for cell in kept:
        if state.cells[cell] not in named and state.cells[cell] not in state.handles:
            del state.cells[cell]


def _let_go_of_earlier(state: State) -> None:
    """Of several values that took the place of one and the same, those that nothing leads to any more: that one of them did says it all."""
    places: dict[Value, list[Value]] = {}
    for (base, field), value in state.cells.items():
        if field == WAS:
            places.setdefault(value, []).append(base)
    if all(len(bases) < 2 for bases in places.values()):
        return
    named = {*state.variables.values(), *state.cells.values(), *state.handles, *(base for base, field in state.cells if field != WAS)}
    named = _with_parts(named)
    for bases in places.values():
        gone = [base for base in bases if base not in named]
        for base in gone if len(gone) < len(bases) else gone[1:]:
            del state.cells[base, WAS]


def _with_parts(named: set[Value]) -> set[Value]:
    """Values with all that they are made of."""
    pending = [each for each in named if each.parts]
    while pending:
        parts = pending.pop().parts
        named.update(parts)
        pending += [each for each in parts if each.parts]
    return named


def _leave(state: State, where: Value, held: list[Value]) -> None:
    """What a call that nobody knows leaves in an object may need what it was given. Who has that object has it then."""
    if not held:
        return
    if where.kind in ("storage", "place", "object"):
        _depend(state, where, held)
    elif where.kind == "unknown":
        left = state.unknown(LEFT)
        _depend(state, left, held)
        state.set_cell(where, "*", left)


def _depend(state: State, value: Value, held: list[Value], mark: str = "") -> None:
    for each in held:
        if each != value:
            state.cells[value, f"{DEPENDS}{mark}in{each.number}"] = each
