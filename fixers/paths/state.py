"""What is known at one point of one path: values of variables and cells, and the fate of each handle.

A value is exact about identity: two variables with one symbol are aliases on this path. What two
symbols from outside the procedure have to do with each other is not known, so a store through one may
change what the other reaches. Numbers stand for null (0), false (0) and true (1).
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence, Set

import msgspec

from fixers.paths.elements import ELEMENT, advanced, is_element, may_be_one

INFINITY = 1 << 70

_LITERALS = 4096
"""Literals whose values are kept."""


class Value(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """What a variable or cell holds.

    kind "number" (`number`), "unknown" and "object" (symbol `number`; an object came to be on this path),
    "storage" (the place of variable `name`), "globals" (the storage of all globals), "place" (of field
    `name` of `parts[0]`), "unset", "truth" (of the comparison `name` of its two parts)
    """

    kind: str
    number: int = 0
    name: str = ""
    parts: tuple[Value, ...] = ()


UNSET = Value("unset")
NULL = Value("number", 0)
TRUE = Value("number", 1)
GLOBALS = Value("globals")
KEEPER = Value("keeper")
"""Somebody whom a call has left objects of the procedure's own with: nothing that is called later takes them out again."""
LENT = "lent"
"""The name of an unknown value that is surely not the procedure's own."""

STREAM = "stream"
"""The name of an unknown value that is a standard stream of the process."""

STREAMS = frozenset(("stdin", "stdout", "stderr"))

LEFT = "left"
"""The name of an unknown value that somebody unknown left in an object, with the help of what it may need."""

WRAPPED = "~"
INSIDE = "^"
DEPENDS = "&"
CLOSED_WITH = DEPENDS + INSIDE
"""How the cells begin of what depends on an object and is closed with it."""

IN_ARRAY = "it is held in an array"
"""A doubt about what others may find in an array."""

OF = DEPENDS + "="
"""How the cells begin of what is a number and yet of no use without an object: its descriptor."""

_MARKS = (WRAPPED, INSIDE, DEPENDS)

_RELATIONS = WRAPPED + INSIDE + DEPENDS

_INNER = WRAPPED + INSIDE

OUTSIDE = ("unknown", "globals", "keeper")
"""Kinds of values that may be known under other names: they did not come to be on this path."""

NEEDED = (WRAPPED, DEPENDS)
"""What an object cannot be used without."""

COPIED = "=dup"
"""How the cells begin that say which number a descriptor was copied to, and what the call answered."""

LAST_STANDARD = 2
"""The last of the descriptors that every process has."""

FOUND = "=found"
"""The cell that says of an element that it was in its array before anybody stored anything there."""

WAS = "=was"
"""The cell that says of an unknown value what it may be, or may hold, still: what lay there before a callee wrote (`realloc` copies)."""

OTHER = "=other"
"""The cell that says of a value that it was acquired, but is of a kind that is not asked for."""

NAMING = "=naming"
"""The mark of a number of Java that is the name of what is open."""

REST = "=rest"
"""The cell that says what those members of new memory hold that have no cell: nothing, zeros, or what somebody has written."""

Cell = tuple[Value, str]


def storage(variable: str) -> Value:
    """The place of a variable."""
    return Value("storage", 0, variable)


def place(base: Value, field: str) -> Value:
    """The place of a field."""
    return Value("place", 0, field, (base,))


def truth(operator: str, left: Value, right: Value) -> Value:
    """Whether a comparison holds."""
    return Value("truth", 0, operator, (left, right))


class Fate(enum.IntEnum):
    """What has become of a handle. MAYBE: released by a call that need not do so."""

    OPEN = 0
    MAYBE = 1
    RELEASED = 2
    RETAINED = 3
    RETURNED = 4


class Instance(msgspec.Struct, frozen=True):
    """A handle that a site handed out on this path.

    doubt       why what is known of it may be wrong
    condition   what nobody knows, and kept the path from a release of it
    is_ours     whether the fix released it
    """

    site: int
    fate: Fate = Fate.OPEN
    doubt: str = ""
    condition: str = ""
    is_ours: bool = False


class Range(msgspec.Struct, frozen=True):
    """The numbers that a symbol can be. `hole`: one between, other than 0, that it is not (the first that a path has excluded)."""

    low: int = -INFINITY
    high: int = INFINITY
    has_zero: bool = True
    hole: int | None = None


ZEROED = Value("number", 0, "zeroed")
"""What lies in the elements of memory that was zeroed, until something is stored to it."""

ANY = Range()
OBJECT = Range(has_zero=False)
NOTHING = Range(0, 0)
"""Of what is surely null or zero."""

NEGATED: dict[str, str] = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED: dict[str, str] = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


_ALONE = frozenset(("number", "truth", "unset"))
"""Kinds of values of which little is known but what they are."""

MANY = 8
"""Handles on one path from which on its steps count for more."""


class State:
    """One point of one path. Changed in place along a straight line, copied where paths part.

    variables   what each variable holds; a variable that is missing holds something unknown
    cells       what fields hold, by the value of their base
    ranges      numbers that unknown values can be
    handles     the instances, by the symbol that stands for each
    turns       how often each loop header was met on the way
    left        the loops, by their headers, that could have been left on the way since they were entered
    is_coarse   whether something was forgotten on the way: it may be no path of the procedure
    has_elements   whether some cell is an element of an array (C): then two fields may be one place
    """

    __slots__ = ("cells", "handles", "has_elements", "is_coarse", "left", "node", "ranges", "symbols", "turns", "variables")

    def __init__(self, node: int) -> None:
        self.node = node
        self.variables: dict[str, Value] = {}
        self.cells: dict[Cell, Value] = {}
        self.ranges: dict[Value, Range] = {}
        self.handles: dict[Value, Instance] = {}
        self.turns: dict[int, int] = {}
        self.left: frozenset[int] = frozenset()
        self.symbols = 0
        self.has_elements = False
        self.is_coarse = False

    def at(self, node: int) -> State:
        """This state, gone on to another node."""
        self.node = node
        return self

    @property
    def weight(self) -> int:
        """How many steps one with this state counts for: what is done at a node looks at all that was made."""
        return 1 + len(self.handles) // MANY

    def copy(self, node: int) -> State:
        """The same state at another node."""
        other = State.__new__(State)
        other.node = node
        other.variables = self.variables.copy()
        other.cells = self.cells.copy()
        other.ranges = self.ranges.copy()
        other.handles = self.handles.copy()
        other.turns = self.turns
        other.left = self.left
        other.symbols = self.symbols
        other.has_elements = self.has_elements
        other.is_coarse = self.is_coarse
        return other

    def unknown(self, whose: str = "") -> Value:
        """A value that nothing is known of but perhaps whose it is."""
        self.symbols += 1
        return Value("unknown", self.symbols, whose)

    def object(self) -> Value:
        """A new object."""
        self.symbols += 1
        return Value("object", self.symbols)

    def variable(self, name: str) -> Value:
        """What a variable holds."""
        value = self.variables.get(name)
        if value is None:
            value = self.variables[name] = self.unknown()
        return value

    def cell(self, base: Value, field: str, apart: Set[Value] = frozenset()) -> Value:
        """What a field holds; `*` of a variable's storage is the variable itself. `apart`: the objects that are surely others."""
        base, field = locate(base, field)
        if base.kind == "storage" and field == "*" and base.name[-1] != "]":
            return self.variable(base.name)
        value = self.cells.get((base, field))
        if value is None and base is GLOBALS and field in STREAMS:
            value = self.cells[base, field] = self.unknown(STREAM)
            self.ranges[value] = OBJECT
            return value
        if value is None and (self.has_elements or is_element(field)) and (held := self._perhaps(base, field)) is not None:
            return held
        if value is None:
            value = self.cells[base, field] = self.unknown()
            if is_outside(base):
                self._doubt_others(base, field, apart)
            self._doubt_overlaid(base, field)
        return value

    def read_element(self, base: Value, field: str) -> Value:
        """What lies in an element. What the procedure finds in an array that it was given as a whole is a part of that."""
        is_found = (base, field) not in self.cells and base in self.handles and (base, REST) not in self.cells
        value = self.cell(base, field)
        if is_found and value not in self.handles:
            self.cells[value, FOUND] = NULL
        return value

    def inner_array(self, base: Value, field: str) -> Value:
        """The place of the elements of a member that is an array: a part of an object that came to be on this path. What it is of
        others is not known."""
        base, field = locate(base, field)
        if is_outside(base):
            return self.cell(base, field)
        held = self.cells.get((base, field))
        if held is None or held == NULL:
            rest = NULL if held == NULL else self.cells.get((base, REST))
            held = self.cells[base, field] = storage(f"{base.kind}{base.number}{base.name}.{field}[]")
            if rest == NULL:
                self.cells[held, ELEMENT] = ZEROED
            elif rest == UNSET:
                self.cells[held, REST] = UNSET
        return held

    def set_cell(self, base: Value, field: str, value: Value, apart: Set[Value] = frozenset()) -> None:
        """Store to a field; through a pointer from outside other cells of that name may change too, but for those `apart`."""
        base, field = locate(base, field)
        if base.kind == "storage" and field == "*" and base.name[-1] != "]":
            self.variables[base.name] = value
            return
        if is_outside(base):
            self._doubt_others(base, field, apart)
            for cell in [cell for cell in self.cells if cell[1] == field and cell[0] != base]:
                if is_outside(cell[0]) and self.cells[cell] not in self.handles:
                    del self.cells[cell]
        if self.has_elements or is_element(field):
            self.has_elements = True
            for each in [each for each in self.cells if each[0] == base and may_be_one(each[1], field)]:
                if self.cells[each] in self.handles:
                    self.doubt(self.cells[each], IN_ARRAY)
                else:
                    del self.cells[each]
        self.cells[base, field] = value

    def some_element(self, base: Value, field: str = "") -> Value | None:
        """A handle that lies in an element of an array, or in a member of one, in doubt where that need not be the one that is meant."""
        member = f"{ELEMENT}.{field}" if field else ELEMENT
        base, member = locate(base, member) if base.kind == "place" else (base, member)
        found = [held for (other, name), held in self.cells.items() if other == base and held in self.handles and (name == member or may_be_one(name, member))]
        for each in found:
            self.doubt(each, IN_ARRAY)
        return found[-1] if found else None

    def taken_out(self, array: Value) -> Value:
        """What is taken out of an array of Java: a handle that was put there, or something that may need all that what was put there holds."""
        value = self.cell(array, ELEMENT)
        if value in self.handles or value == ZEROED:
            return NULL if value == ZEROED else value
        found = self.unknown()
        needed = [each for each in (*self.below(array), *self.related([value])) if each in self.handles] if self.handles else []
        self.cells.update({(found, f"{DEPENDS}{number}"): each for number, each in enumerate(dict.fromkeys(needed))})
        return found

    def far_below(self, value: Value) -> list[Value]:
        """The handles that an object of Java has by way of a field of what it has in a field: no Effects follow what a method gives so far."""
        fields = [held for (base, field), held in self.cells.items() if base == value and not kind(field)]
        near = {each for held in fields for each in self.below(held)}
        return [each for held in fields for each in self.reachable([held]) if each in self.handles and each not in near]

    def _perhaps(self, base: Value, field: str) -> Value | None:
        """A handle that may lie in an element, though another element is named."""
        found = [held for cell, held in self.cells.items() if cell[0] == base and held in self.handles and may_be_one(cell[1], field)]
        for each in found:
            self.doubt(each, IN_ARRAY)
        return found[-1] if found else None

    def _doubt_overlaid(self, base: Value, field: str) -> None:
        """In an embedded struct, which may be a union, another member may be the same place."""
        prefix = field.rpartition(".")[0]
        for (other, name), value in self.cells.items():
            if other != base or value not in self.handles or name == field:
                continue
            if prefix and name.startswith(f"{prefix}."):
                self.doubt(value, f"`{field}` may be the same place as `{name}`")

    def _doubt_others(self, base: Value, field: str, apart: Set[Value]) -> None:
        """A handle under the same field of another outer object may be the one that is meant."""
        for (other, name), value in self.cells.items():
            if name == field and other != base and is_outside(other) and value in self.handles and other not in apart:
                self.doubt(value, f"`{field}` of another object may be the same place")

    def trust(self, value: Value, *reasons: str) -> None:
        """Some doubts about a handle do not matter any more."""
        if self.handles[value].doubt in reasons:
            self.handles[value] = msgspec.structs.replace(self.handles[value], doubt="")

    def doubt(self, value: Value, reason: str) -> None:
        """From here on, what is known of a handle holds only if `reason` is not the case."""
        instance = self.handles[value]
        if not instance.doubt:
            self.handles[value] = msgspec.structs.replace(instance, doubt=reason)

    def lend(self, value: Value, reason: str) -> None:
        """From here on somebody else has something that can reach a handle: no other doubt is as strong."""
        self.handles[value] = msgspec.structs.replace(self.handles[value], doubt=reason)

    def set_fate(self, value: Value, fate: Fate) -> None:
        """Change what has become of a handle."""
        self.handles[value] = msgspec.structs.replace(self.handles[value], fate=fate)

    def range_of(self, value: Value) -> Range:
        """The numbers that a value can be; anything for what is no number."""
        match value.kind:
            case "number":
                return Range(value.number, value.number, value.number == 0)
            case "storage" | "globals" | "place":
                return OBJECT
            case _:
                return self.ranges.get(value, OBJECT if value.kind == "object" else ANY)

    def below(self, value: Value) -> list[Value]:
        """The value, what it wraps, and what it depends on, transitively."""
        found = [value]
        for each in found:
            inner = [held for (base, field), held in self.cells.items() if base == each and kind(field) in NEEDED]
            if each.kind == "place":
                inner += each.parts
            found += [value for value in inner if value not in found]
        return found

    def wrapped(self, value: Value) -> list[Value]:
        """The value and what a release of it releases, too: what it wraps, what was made inside of it."""
        below: dict[Value, list[Value]] = {}
        for (base, field), held in self.cells.items():
            if field[0] in _INNER:
                below.setdefault(base, []).append(held)
        return self._closure([value], below) if value in below else [value]

    def reachable(self, values: Sequence[Value]) -> list[Value]:
        """All that some values own or point to: through fields, wrappers and the storage of variables."""
        if self._is_alone(values):
            return list(values)
        below: dict[Value, list[Value]] = {}
        for (base, field), held in self.cells.items():
            if field[0] != DEPENDS:
                below.setdefault(base, []).append(held)
        return self._closure(values, below, through_fields=True)

    def _is_alone(self, values: Sequence[Value]) -> bool:
        """Whether it is one value of a kind that seldom leads anywhere, and does not."""
        if len(values) != 1 or values[0].kind not in _ALONE:
            return False
        kind = values[0].kind
        return all(base.kind != kind for base, _ in self.cells)

    def related(self, values: Sequence[Value]) -> list[Value]:
        """All that some values reach or depend on."""
        if self._is_alone(values):
            return list(values)
        below: dict[Value, list[Value]] = {}
        for (base, _), held in self.cells.items():
            below.setdefault(base, []).append(held)
        return self._closure(values, below, through_fields=True)

    def _closure(
        self, values: Sequence[Value], below: dict[Value, list[Value]], *, through_fields: bool = False
    ) -> list[Value]:
        found = dict.fromkeys(values)
        pending = list(found)
        while pending:
            each = pending.pop()
            inner: Sequence[Value] = below.get(each, ())
            if through_fields and each.kind in ("place", "storage"):
                stored = self.variables.get(each.name) if each.kind == "storage" else None
                inner = [*inner, *each.parts] if stored is None else [*inner, stored, *each.parts]
            for value in inner:
                if value not in found:
                    found[value] = None
                    pending.append(value)
        return list(found)


def kind(field: str) -> str:
    """What a cell says: `~` wraps, `^` made inside of it (closed with it), `&` depends on; empty for a field."""
    return field[0] if field[0] in _RELATIONS else ""


def locate(base: Value, field: str) -> Cell:
    """The cell that is meant: `*` of the place of a field is that field, `g` of it is `field.g`."""
    while base.kind == "place":
        field = base.name if field == "*" else advanced(base.name, field) if field[0] == "[" else f"{base.name}.{field}"
        base = base.parts[0]
    return base, field


def beginning(state: State, value: Value) -> Value:
    """The handle that a place lies in; the place itself where that is none."""
    whole = value
    while whole.kind == "place":
        whole = whole.parts[0]
    return whole if whole in state.handles else value


def element(index: Value) -> str:
    """The name of an element: `*` is the first, `[2]` and `[#5]` (of a symbol) are others, `[]` is any."""
    match index.kind:
        case "number":
            return f"[{index.number}]" if index.number else "*"
        case "unknown":
            return f"[#{index.number}]"
        case _:
            return ELEMENT


def is_outside(base: Value) -> bool:
    """Whether a base may be known under other names: it did not come to be on this path."""
    return base.kind in OUTSIDE


@functools.lru_cache(_LITERALS)
def number(operand: str) -> Value | None:
    """The value of a literal operand, None for one that is not known: a constant of which there is but the name, too."""
    match operand:
        case "=null" | "=0" | "=false":
            return NULL
        case "=true":
            return TRUE
        case _:
            try:
                value = int(operand[1:], 0)
            except ValueError:
                return None
            return Value("number", value) if -INFINITY < value < INFINITY else None


def compare(operator: str, left: Range, right: Range) -> bool | None:
    """Whether a comparison holds for all numbers of the ranges (True), none (False), or some (None)."""
    match operator:
        case "==":
            if left.low == left.high == right.low == right.high:
                return True
            apart = left.high < right.low or right.high < left.low
            zero = left.low == left.high == 0 and not right.has_zero
            zero = zero or (right.low == right.high == 0 and not left.has_zero)
            holed = (left.hole is not None and left.hole == right.low == right.high) or (right.hole is not None and right.hole == left.low == left.high)
            return False if apart or zero or holed else None
        case "!=":
            equal = compare("==", left, right)
            return None if equal is None else not equal
        case "<":
            if left.high < right.low:
                return True
            return False if left.low >= right.high else None
        case "<=":
            if left.high <= right.low:
                return True
            return False if left.low > right.high else None
        case ">" | ">=":
            return compare(MIRRORED[operator], right, left)
        case _:
            return None


def narrow(operator: str, known: Range, other: Range) -> Range:
    """The numbers of `known` for which the comparison with some number of `other` can hold."""
    low, high, has_zero, hole = known.low, known.high, known.has_zero, known.hole
    match operator:
        case "==":
            low, high = max(low, other.low), min(high, other.high)
            has_zero = has_zero and other.has_zero
        case "!=" if other.low == other.high:
            if other.low == 0:
                has_zero = False
            if low == other.low:
                low += 1
            if high == other.low:
                high -= 1
            if hole is None and other.low != 0:
                hole = other.low
        case "<":
            high = min(high, other.high - 1)
        case "<=":
            high = min(high, other.high)
        case ">":
            low = max(low, other.low + 1)
        case ">=":
            low = max(low, other.low)
    if not has_zero:
        low, high = low + (low == 0), high - (high == 0)
    if hole is not None:
        low, high = low + (low == hole), high - (high == hole)
    return Range(low, high, has_zero and low <= 0 <= high, hole if hole is not None and low < hole < high else None)
