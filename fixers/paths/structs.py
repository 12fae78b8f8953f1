"""Structs of C as values on a path: an assignment, a call or a copy of the content brings all members along."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.queries import Linked
from analyzers.summaries import Effects
from fixers.paths.elements import ELEMENT
from fixers.paths.inside import pass_on
from fixers.paths.places import Places
from fixers.paths.report import HELD
from fixers.paths.shape import struct_types
from fixers.paths.state import ANY, State, Value, is_outside, kind, locate, storage
from fixers.paths.values import operand

_CONTENT = ("*", ELEMENT)


class Structs:
    """The variables of one function that are structs themselves.

    names   those of the source, by their type or since their members are named: they are where they lie; of `regions`
    """

    def __init__(self, linked: Linked, regions: frozenset[str]) -> None:
        self._linked = linked
        named = {
            node.base for node in linked.body.nodes
            if isinstance(node, ir.Load | ir.Store | ir.AddressOf) and node.field not in ("", *_CONTENT)
        }
        types = {each.name: linked.types.get(each.name) or each.type for each in linked.body.variables}
        self.names = frozenset(
            name for name in regions
            if name in named or types[name].replace("const ", "").split()[:1] in (["struct"], ["union"])
        )
        self._types = struct_types(linked) if linked.language == "c" else frozenset[str]()

    def is_one(self, name: str) -> bool:
        """Whether a variable is surely a struct: a type of which there is but the name may be a pointer or a number."""
        written = self._linked.types.get(name, "").replace("const ", "").replace("volatile ", "")
        is_told = written.split()[:1] in (["struct"], ["union"]) or written.strip() in self._types
        return name in self.names or (self._linked.language == "c" and "*" not in written and is_told)

    def value(self, state: State, name: str) -> Value:
        """The value of an operand."""
        return storage(name) if name in self.names else operand(state, name)

    def read(self, state: State, name: str, base: Value, source: Value) -> None:
        """A variable becomes a copy of what lies at a place below a base; it needs what that needs."""
        state.variables[name] = copy = state.object()
        state.ranges[copy] = ANY  # a type of which there is but the name may be a number
        pass_on(state, base, copy)
        assign(state, source, copy)
        self.become(state, name, copy)

    def become(self, state: State, name: str, value: Value | None) -> None:
        """A variable of the source gets the members of a value."""
        if name in self.names and value is not None:
            assign(state, value, storage(name))
            pass_on(state, value, storage(name))
            state.variables.pop(name, None)


def members(state: State, base: Value) -> list[tuple[str, Value]]:
    """What is known of the members of a struct: their names below it, and what they hold."""
    root, name = locate(base, "*")
    prefix = f"{name}." if base.kind == "place" else ""
    found = []
    for (each, field), held in state.cells.items():
        if each == root and field.startswith(prefix) and not kind(field):
            rest = field[len(prefix) :]
            if rest and rest not in _CONTENT and rest[0] not in "[=|":
                found.append((rest, held))
    return found


def assign(state: State, source: Value, target: Value) -> None:
    """A struct becomes another one: what its members held is there no more."""
    if source == target:
        return
    moved = members(state, source)
    names = {name for name, _ in moved}
    for name, _ in members(state, target):
        if name not in names:
            state.cells.pop(locate(target, name), None)
    for name, held in moved:
        state.set_cell(target, name, held)


def copy_content(state: State, places: Places, effects: Effects) -> None:
    """What a library call copies by its content (`memcpy`) has the members of what it was copied from, and the elements of an array
    are in both."""
    for transfer in effects.transfers:
        if len(transfer.entry) != 2 or transfer.entry[1] != "*" or any(each.fate != "held" for each in transfer.outcomes):
            continue
        source = places.actual(state, transfer.entry[0])
        for root in _roots(path for outcome in transfer.outcomes for path in outcome.paths if path[1:] == (ELEMENT,)):
            target = places.actual(state, root)
            if source is not None and target is not None and source != target:
                for name, held in members(state, source):
                    state.set_cell(target, name, held)
                for field, held in _elements(state, source):
                    state.set_cell(target, field, held)
                    if not is_outside(target):
                        state.doubt(held, HELD)


def _elements(state: State, array: Value) -> list[tuple[str, Value]]:
    """The handles that lie in an array, each with the name of its element."""
    return [(field, held) for (base, field), held in state.cells.items() if base == array and field[:1] == "[" and held in state.handles]


def doubt_exchanged(state: State, places: Places, effects: Effects, name: str) -> None:
    """A function that assigns whole structs (`swap(&a, &b)`) may leave what their members held under other names; so may one that is
    passed a struct itself and puts it somewhere."""
    for transfer in effects.transfers if state.handles else ():
        is_struct = transfer.entry[1:] == ("*",) or _is_by_value(places, transfer.entry)
        if is_struct and any(path != transfer.entry for each in transfer.outcomes for path in each.paths):
            value = places.actual(state, transfer.entry[0])
            for _, held in members(state, value) if value is not None else ():
                if held in state.handles:
                    state.doubt(held, f"`{name}` may assign the field that holds it")


def _is_by_value(places: Places, entry: tuple[str, ...]) -> bool:
    """Whether an argument is a struct and no pointer."""
    types, number = places.site.types, entry[0][1:] if len(entry) == 1 else ""
    return number.isdigit() and int(number) < len(types) and "*" not in types[int(number)]


def _roots(paths: Iterable[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(path[0] for path in paths))
