"""Instructions as pointer assignments over a slice: where operands live, what is loaded on the way, what goes out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from analyzers.detectors.heapcheck.instantiation import NOBODY
from analyzers.detectors.heapcheck.points import GHOST_AT, HERE, SCRATCH_AT, Point, assigned, without
from analyzers.detectors.heapcheck.slices import POINTEE, SCRATCH, Slice
from analyzers.domains import heap_statements as heaps
from analyzers.domains.pointer_structure import BOTTOM


class Fields:
    """The fields of a run by number. `mixed`: those that hold things that are not ours, too. `has_inner`: whether something points to a
    pointer inside an object (`list->last = &list->head`): what is stored through it lies in a member that is not modelled to be it."""

    def __init__(self, names: Iterable[str]) -> None:
        self.numbers = {name: number for number, name in enumerate(dict.fromkeys((POINTEE, *names)))}
        self.mixed: set[int] = set()
        self.has_inner = False


class Instructions:
    """The assignments of one slice. `escaped` is told where the watched cell goes out of sight."""

    def __init__(self, own: Slice, fields: Fields, escaped: Callable[[Point], None]) -> None:
        self.own = own
        self.scene = own.scene
        self.fields = fields
        self.escaped = escaped
        self.boxes = sum(1 << own.numbers[f"&{name}"] for name in sorted(own.boxed))
        self.stack = self.boxes | sum(1 << own.numbers[name] for name in own.aggregates)

    def entered(self, point: Point) -> Point:
        """Each variable that lives in a cell gets one."""
        heap = point.heap
        for name in self.own.aggregates:
            heap = heaps.allocate(heap, self.own.numbers[name]).state
        for name in sorted(self.own.boxed):
            box = self.own.numbers[f"&{name}"]
            heap = heaps.allocate(heap, box).state
            value = self.own.numbers.get(name)
            if value is not None:
                heap = heaps.store(heap, box, self.fields.numbers[POINTEE], value).state
                if point.foreign >> value & 1:
                    self.fields.mixed.add(self.fields.numbers[POINTEE])
        return msgspec.structs.replace(point, heap=heap, stack=point.stack | self.stack)

    def ended(self, point: Point, name: str) -> Point:
        number = self.own.numbers.get(f"&{name}" if name in self.own.boxed else name)
        if number is None or name in self.own.boxed:
            return point
        return assigned(point, number, heaps.assign_null(point.heap, number).state, is_foreign=False)

    def value_of(self, point: Point, operand: str) -> Iterator[tuple[Point, int]]:
        """The pointer that holds an operand, `NOBODY` for what is not ours; what lives in a cell is loaded first."""
        if operand in self.own.boxed:
            for after in self.loaded(point, SCRATCH_AT, self.own.numbers[f"&{operand}"], self.fields.numbers[POINTEE]):
                yield after, SCRATCH_AT
        else:
            yield point, self.own.numbers.get(operand, NOBODY)

    def assign(self, point: Point, dst: str, src: str) -> list[Point]:
        if dst in self.own.boxed:
            return list(self.put(point, self.own.numbers[f"&{dst}"], POINTEE, src))
        number = self.own.numbers.get(dst)
        if number is None or dst in self.own.aggregates:
            return list(self.given(point, (src,))) if dst in self.own.aggregates and src in self.own.aggregates else [point]
        return [self.assigned_from(after, dst, src, value) for after, value in self.value_of(point, src)]

    def assigned_from(self, point: Point, dst: str, src: str, value: int = NOBODY) -> Point:
        number = self.own.numbers.get(dst)
        if number is None:
            return point
        if value == NOBODY:
            heap = heaps.assign_null(point.heap, number).state
            return assigned(point, number, heap, is_foreign=src not in ("=null", "=0"))
        is_foreign = bool(point.foreign >> value & 1)
        return assigned(point, number, heaps.copy(point.heap, number, value).state, is_foreign=is_foreign)

    def place(self, base: str, field: str) -> tuple[str, str] | None:
        """(variable, field) of a place; None where it is not modelled."""
        if not base:
            return None
        path = self.scene.normalise((base, field))
        if len(path) == 1:
            return (f"&{path[0]}", POINTEE) if path[0] in self.own.boxed else None
        if len(path) != 2 or path[1] not in self.fields.numbers or path[0] not in (*self.own.numbers, *self.own.boxed):
            return None
        return path[0], path[1]

    def load(self, point: Point, dst: str, base: str, field: str) -> Iterable[Point]:
        place = self.place(base, field)
        if place is None or (dst not in self.own.numbers and dst not in self.own.boxed):
            return self.assign(point, dst, "=?")
        found: list[Point] = []
        for before, value in self.value_of(point, place[0]):
            if value == NOBODY or before.foreign >> value & 1:
                found += self.assign(before, dst, "=?")
            elif before.heap.aliases[value] != BOTTOM:
                for after in self.loaded(before, SCRATCH_AT, value, self.fields.numbers[place[1]]):
                    found += self.assign(after, dst, SCRATCH)
        return found

    def loaded(self, point: Point, number: int, base: int, field: int) -> Iterator[Point]:
        """Rule 4, or something that is not ours where such things are stored to the field."""
        heap = point.heap
        if heap.aliases[base] == BOTTOM:
            return
        if heap.reached[base][field][0] == BOTTOM:
            yield assigned(point, number, heaps.assign_null(heap, number).state, is_foreign=field in self.fields.mixed)
            return
        if base == number:
            return
        nothing = heaps.without_target(heap, base, field) if point.is_guess else None
        if nothing is not None:
            yield assigned(point, number, heaps.assign_null(nothing, number).state, is_foreign=field in self.fields.mixed)
        is_on_stack = bool((heap.aliases[base] | 1 << base) & point.stack)
        for after in heaps.load(heap, number, base, field):
            found = after.state.aliases[number]
            is_found = point.is_found or (found > 0 and bool(found >> GHOST_AT & 1) and not is_on_stack)
            each = assigned(point, number, after.state, is_foreign=False)
            yield msgspec.structs.replace(each, is_guess=point.is_guess or after.is_guess, is_found=is_found)

    def store(self, point: Point, base: str, field: str, src: str) -> Iterable[Point]:
        place = self.place(base, field)
        if place is None:
            return self.given(point, (src,))
        found: list[Point] = []
        for before, value in self.value_of(point, place[0]):
            if value == NOBODY or before.foreign >> value & 1 or (place[1] == POINTEE and self._is_inside(before, value)):
                found += self.given(before, (src,))
            elif before.heap.aliases[value] != BOTTOM:
                found += self.put(before, value, place[1], src)
        return found

    def inner(self, base: str, field: str) -> None:
        """Keep in mind that the address of a pointer inside an object has been taken."""
        owner = self.scene.type_of(base)
        self.fields.has_inner |= self.scene.c_types.member(owner, field).rstrip().endswith("*")

    def _is_inside(self, point: Point, number: int) -> bool:
        """Whether what a pointer leads to may be a member: it is no variable of its own."""
        known = point.heap.aliases[number]
        return self.fields.has_inner and known != BOTTOM and not (known | 1 << number) & self.boxes

    def put(self, point: Point, base: int, field: str, src: str) -> Iterator[Point]:
        number = self.fields.numbers[field]
        if src in self.own.boxed and base == SCRATCH_AT:
            yield from self.given(point, (src,))
            return
        for before, value in self.value_of(point, src):
            if value == NOBODY or (before.foreign >> value & 1 and before.heap.aliases[value] == BOTTOM):
                if src not in ("=null", "=0"):
                    self.fields.mixed.add(number)
                yield msgspec.structs.replace(before, heap=heaps.store_null(before.heap, base, number).state)
            else:
                yield msgspec.structs.replace(before, heap=heaps.store(before.heap, base, number, value).state)

    def given(self, point: Point, names: Iterable[str]) -> Iterator[Point]:
        """The point after something unknown got some variables; none if the cell went with them."""
        points = [point]
        for name in names:
            following = []
            for before in points:
                for after, value in self.value_of(before, name):
                    given = after if value == NOBODY else self.surrendered(after, value)
                    if given is not None:
                        following.append(given)
            points = following
        yield from points

    def surrendered(self, point: Point, number: int) -> Point | None:
        """All that a pointer leads to is somebody else's too from now on."""
        known = point.heap.aliases[number]
        if known == BOTTOM:
            return point
        gone = known | 1 << number
        for distances in point.heap.reached[number]:
            for each in distances:
                gone |= max(each, 0)
        if gone >> GHOST_AT & 1 and point.phase == HERE:
            self.escaped(point)
            return None
        gone &= ~self.stack
        return msgspec.structs.replace(point, heap=without(point.heap, gone), foreign=point.foreign | gone)

    def nullness(self, name: str, point: Point) -> bool | None:
        if name in self.own.boxed:
            box, field = self.own.numbers[f"&{name}"], self.fields.numbers[POINTEE]
            known = point.heap.reached[box][field][0]
            return None if field in self.fields.mixed or known == 0 else known == BOTTOM
        number = self.own.numbers.get(name)
        if number is None or name in self.own.aggregates or point.foreign >> number & 1:
            return None
        return point.heap.aliases[number] == BOTTOM
