"""What points into a resource because a call left it so: the rest of a text behind `strtol`, what an entry names (C).

Not the result (see `calls`), but what lies in a variable whose address the call was given. Of functions of the
repository Effects say it; a library or somebody unknown may leave there whatever points into what it was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.queries import Target
from analyzers.summaries import Certainty, Effects
from fixers.paths.places import Places
from fixers.paths.question import Site
from fixers.paths.state import DEPENDS, INSIDE, KEEPER, NULL, UNSET, WAS, State, Value, kind, locate
from fixers.paths.values import is_number, operand


class Inside:
    """What one call of C may leave in variables that it was given the addresses of."""

    def __init__(self, site: Site, effects: Effects, apart: frozenset[str] = frozenset()) -> None:
        self.site = site
        self.is_seen = bool(site.target and site.target.procedures)
        self.places = _filled(site.types, effects) if self.is_seen else pointed(site.types, site.target, effects)
        told = apart | {each.entry[0] for each in effects.transfers if len(each.entry) == 1} if self.is_seen else apart
        self.given_by = tuple(name for index, name in enumerate(site.call.args) if name and not (self.is_seen and f"${index}" in told))
        self.copies = tuple(_copies(effects, len(site.call.args)))

    def given(self, state: State) -> list[Value]:
        """The handles that the call is given, or that variables point into whose addresses it is given."""
        if not self.places or not state.handles:
            return []
        values = [operand(state, name) for name in self.given_by]
        values += [state.variables[each.name] for each in values if each.kind == "storage" and each.name in state.variables]
        return list(dict.fromkeys(each for value in values for each in state.below(value) if each in state.handles))

    def leave(self, state: State, given: list[Value], result: Value) -> None:
        """Behind the call, what those variables hold needs what it was given."""
        if not state.handles:
            return
        held = [each for each in given if each in state.handles]
        for copied, target in self.copies:
            copy_members(state, operand(state, self.site.call.args[copied]), operand(state, self.site.call.args[target]))
        for index in self.places if held else ():
            where = operand(state, self.site.call.args[index])
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


def pointed(types: Sequence[str], target: Target | None, effects: Effects) -> tuple[int, ...]:
    """The arguments of a call, by their types, behind which it may leave pointers into what it is given: those to variables that are
    pointers, whatever a model says of them (of `sqlite3_prepare`, mostly, what is made; the rest of the text lies behind another one)."""
    if target is not None and target.procedures:
        return ()
    made = {path[0] for t in effects.transfers for one in t.outcomes for path in one.paths if not t.entry or path[0] != t.entry[0]}
    below = {path[0] for path in effects.writes if path[-1] == "?"}
    written = {path[0] for path in effects.writes}
    return tuple(
        index for index, written_type in enumerate(types)
        if (root := f"${index}") not in made and root not in effects.aliases
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


def members_ended(state: State, places: Places, effects: Effects) -> list[Value]:
    """What a release releases together with the resource: the descriptor that a member is."""
    found = []
    for transfer in effects.transfers:
        is_released = any(one.fate == "released" and one.certainty is Certainty.MUST for one in transfer.outcomes)
        value = places.resolve(state, transfer.entry, NULL) if len(transfer.entry) > 1 and is_released else None
        if value is not None and value.kind == "unknown" and value not in state.handles:
            found.append(value)
    return found


def pass_on(state: State, base: Value, value: Value) -> None:
    """What is read from something that needs a resource needs it, too."""
    _depend(state, value, [held for (each, field), held in state.cells.items() if each == base and kind(field) == DEPENDS])


def lead_into(state: State, base: Value, value: Value, resource: str) -> None:
    """What a member of a library's own object points to goes with it (`res->ai_addr` with `freeaddrinfo(res)`). A block of plain memory
    takes nothing along. Errs towards needing it: what the program itself has put there is a value that it knows by another name."""
    owner = state.variables.get(base.name) if base.kind == "storage" else base
    if resource != "heap-memory" and owner is not None and owner in state.handles:
        _depend(state, value, [owner])


def made_with(state: State) -> frozenset[Value]:
    """The values that need others, and those that may be, or hold, what does: whatever a callee wrote where such a one lay."""
    found = {base for base, field in state.cells if kind(field) == DEPENDS}
    later = {base: value for (base, field), value in state.cells.items() if field == WAS}
    while new := {base for base, value in later.items() if value in found} - found:
        found |= new
    return frozenset(found)


def is_only_inside(state: State, value: Value) -> bool:
    """Whether a value is there only because something else made it and keeps it."""
    if any(held == value for held in state.variables.values()):
        return False
    kinds = {kind(field) for (_, field), held in state.cells.items() if held == value}
    return kinds == {INSIDE}


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


def _depend(state: State, value: Value, held: list[Value]) -> None:
    for each in held:
        if each != value:
            state.cells[value, f"{DEPENDS}in{each.number}"] = each
