"""When two paths are one: a state up to the names of its symbols, without what decides nothing any more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from types import MappingProxyType

from fixers.paths.liveness import Liveness
from fixers.paths.state import (
    ANY,
    DEPENDS,
    FOUND,
    OBJECT,
    REST,
    Cell,
    Fate,
    State,
    Value,
    is_outside,
    kind,
)

Key = tuple[object, ...]


_EXACT: Mapping[int, int] = MappingProxyType({})


def key_of(state: State, live: Liveness, released: Set[str] = frozenset(), alike: Mapping[int, int] = _EXACT) -> Key:
    """Equal keys: what is found on one path from here on is found on the other. `released`: members that a release of the fix ends,
    for which it matters that something lies there, though nothing is known of it. `alike`: acquisitions of which the same is asked,
    each with the one that stands for all of them."""
    return _Renaming(state, live, released, alike).key()


_RENAMED = ("unknown", "object")
"""Kinds of values whose numbers mean nothing beyond one path."""

_UNSETTLED = (Fate.OPEN, Fate.MAYBE)


class _Renaming:
    """Numbers the symbols of a state in the order in which its variables and cells show them."""

    def __init__(self, state: State, live: Liveness, released: Set[str], alike: Mapping[int, int]) -> None:
        self.state = state
        self.released = released
        self.alike = alike
        self.live = live
        self.numbers: dict[Value, int] = {}
        self.counts = _counts(state)
        self.mattering: dict[Value, bool] = {}

    def key(self) -> Key:
        """The key; the order in which its parts are computed is that of the numbers."""
        state, counts, ranges, handles = self.state, self.counts, self.state.ranges, self.state.handles
        named, numbers = self.name, self.numbers
        found: list[tuple[str, object]] = []
        for name in sorted(state.variables):
            value = state.variables[name]
            kind = value.kind
            if kind == "number":
                found.append((name, value))
            elif kind == "object":
                found.append((name, (kind, value.name, numbers.setdefault(value, len(numbers)))))
            elif not (
                kind == "unknown" and not value.name and value not in handles and counts[value] == 1 and value not in ranges
            ):
                found.append((name, named(value)))
        variables = tuple(found)
        cells = tuple(self.cells()) if state.cells else ()
        return state.node, variables, cells, self.ranges(), self.handles()

    def name(self, value: Value) -> object:
        """A value with its symbols renamed."""
        if value.kind in ("unknown", "object"):
            return value.kind, value.name, self.numbers.setdefault(value, len(self.numbers))
        if value.parts:
            return value.kind, self.field(value.name), tuple(self.name(part) for part in value.parts)
        return value

    def field(self, name: str) -> str:
        """A field with the symbols of its indices renamed."""
        if "[#" not in name:
            return name
        return ".".join(
            f"[#{self.name(Value('unknown', int(each[2:-1])))}]" if each[:2] == "[#" else each for each in name.split(".")
        )

    def is_dull(self, value: Value) -> bool:
        """Nothing is known of the value and nothing else holds it: as if it were missing."""
        state = self.state
        if value.kind != "unknown" or value.name or value in state.handles or self.counts.get(value, 0) > 1:
            return False
        return value not in state.ranges

    def is_out_of_reach(self, field: str, value: Value) -> bool:
        """Whether an element can never be read again: nobody knows its index any more, and what it holds is no handle."""
        if value in self.state.handles or value.kind not in ("unknown", "number"):
            return False
        own = 2 if (value, FOUND) in self.state.cells else 0
        if value.kind == "unknown" and self.counts[value] > 1 + own:
            return False
        indices = [each for each in field.split(".") if each[:2] == "[#"]
        if any(Value("unknown", int(each[2:-1])) in self.counts for each in indices):
            return False
        return not any(index in each.name for index in indices for each in self.counts if each.kind == "place")

    def cells(self) -> list[object]:
        """Cells by the order in which their bases have numbers. What nothing names any more but lies outside is
        still there, in the order of fields."""
        result: list[object] = []
        cells = self.state.cells
        is_plain = len({field for _, field in cells}) == len(cells)
        pending = sorted(cells.items(), key=_field_of if is_plain else _cell_order)
        fields: set[Value] = set()
        numbers = self.numbers
        while pending:
            known: list[tuple[Cell, Value]] = []
            rest: list[tuple[Cell, Value]] = []
            for each in pending:
                base = each[0][0]
                (known if base in numbers or base.kind not in _RENAMED else rest).append(each)
            if not known:
                fields = fields or {base for base, field in cells if kind(field) != DEPENDS}
                outside = (base for (base, _), value in pending if is_outside(base) and base in fields and self.matters(value))
                first = next(outside, None)
                if first is None:
                    break
                self.name(first)
                continue
            for (base, field), value in known:
                if "[#" in field and self.is_out_of_reach(field, value):
                    continue
                if not self.is_dull(value) or (base, REST) in cells or field in self.released:
                    result.append((self.name(base), self.field(field), self.name(value)))
            pending = rest
        return result

    def matters(self, value: Value) -> bool:
        """Whether a handle is what lies there, or what that needs."""
        found = self.mattering.get(value)
        if found is None:
            handles = self.state.handles
            found = value in handles or (bool(handles) and not handles.keys().isdisjoint(self.state.related([value])))
            self.mattering[value] = found
        return found

    def ranges(self) -> Key:
        """What is known of numbers that may still decide a branch; of others only whether they are nothing: a release of it is none."""
        found: list[tuple[int, int, int, bool]] = []
        open_: list[tuple[Value, tuple[int, int, int, bool]]] = []
        numbers, handles = self.numbers, self.state.handles
        for value, each in self.state.ranges.items():
            number = numbers.get(value)
            if number is None or each == (OBJECT if value.kind == "object" else ANY):
                continue
            known = (number, each.low, each.high, each.has_zero)
            if each.low == each.high == 0 or value in handles:
                found.append(known)
            else:
                open_.append((value, known))
        if open_:
            tested = self.tested()
            found += [known for value, known in open_ if value in tested]
        return tuple(sorted(found))

    def tested(self) -> set[Value]:
        """The values that a branch may still ask for, and what they compare."""
        state, live, variables = self.state, self.live, self.state.variables
        tested = {variables[name] for name in variables.keys() & live.names_tested(state.node)}
        fields, has_elements = live.fields, live.elements
        tested |= {value for (_, field), value in state.cells.items() if field in fields or (has_elements and "[" in field)}
        return tested | {part for value in tested for part in value.parts}

    def handles(self) -> Key:
        """What has become of each handle; of what is settled only where something can still name it."""
        found = [
            (self.numbers.get(value, -1), self.alike.get(each.site, each.site), int(each.fate), each.doubt, each.condition, each.is_ours)
            for value, each in self.state.handles.items() if value in self.numbers or each.fate in _UNSETTLED
        ]
        return tuple(sorted(found))


def _field_of(item: tuple[Cell, Value]) -> str:
    return item[0][1]


def _cell_order(item: tuple[Cell, Value]) -> tuple[str, str, int, str]:
    (base, field), _ = item
    return field, base.kind, base.number, base.name


def _counts(state: State) -> Counter[Value]:
    """How often each value is held, as a base or inside a comparison counting as several times."""
    counts: Counter[Value] = Counter(state.variables.values())
    counts.update(state.cells.values())
    for value, times in [each for each in counts.items() if each[0].parts]:
        for part in value.parts:
            counts[part] += 2 * times
    for base, _ in state.cells:
        counts[base] += 2
    return counts
