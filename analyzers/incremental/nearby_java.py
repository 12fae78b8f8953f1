"""A file of Java of which one method is patched, lowered without the bodies of the others: they are as they were.

They are blanked, so that every place stays where it is; of anonymous classes there is left that they are, so that those behind them keep their names. What comes out is what lowering all of it gives, but that `mentions` keeps what only the old text mentions. It is asked for where
that can be shown: the old text, blanked alike, has to give what all of it gave, and what the file keeps of bodies (`java_bodies`) has
to be known without them. Else None, and all is lowered.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from analyzers import ir, java_bodies
from analyzers.c_bodies import Facts, literal_result
from analyzers.engine import Engine
from analyzers.incremental.blobs import (
    Body,
    Stored,
    Symbols,
    called_names,
    encode,
    join,
    plain_type,
    procedure_digest,
    split,
    symbols_of,
)
from analyzers.incremental.nearby import MOST_BYTES, Change, Nearby, change_of, moved, moved_header

Placed = TypeVar("Placed", ir.Procedure, ir.TypeDeclaration)

_BODIES = msgspec.msgpack.Decoder(Body)


class Around(msgspec.Struct, frozen=True):
    """What is beside one method of a file.

    start, end   the method
    blank        what stands for bodies that are left out: where it begins, and as many bytes
    kept         the numbers of the procedures that are taken over
    taken        where these stand
    types        the names of all types beside the method, without those in others that are left out
    closed       what all procedures beside the method close
    stored       what the method, and what is in it, stores to fields
    """

    start: int
    end: int
    blank: tuple[tuple[int, bytes], ...]
    kept: frozenset[int]
    taken: tuple[tuple[int, int], ...]
    types: tuple[str, ...]
    closed: frozenset[str]
    stored: tuple[tuple[str, str, str], ...]

    def has(self, each: ir.Procedure | ir.TypeDeclaration) -> bool:
        """Whether it stands in the method, or is the method."""
        return self.start <= each.start and each.end <= self.end


def lower_nearby(engine: Engine, old: Nearby, data: bytes, known: dict[int, Around | None]) -> Nearby | None:
    """The file with its one method patched; None where it has to be lowered as a whole. `known`: what is beside the methods of the
    old file, by their numbers."""
    if len(data) > MOST_BYTES or b"\0" in data or old.skeleton.notes:
        return None
    change = change_of(old.data, data)
    place = _method(old, change)
    if place is None:
        return None
    if place not in known:
        known[place] = _around(engine, old, place)
    around = known[place]
    return _spliced(engine, old, change, around, data) if around is not None else None


def _method(old: Nearby, change: Change) -> int | None:
    """The outermost method or constructor in whose body the change lies."""
    found = [
        number for number, each in enumerate(old.skeleton.procedures)
        if each.header_end < change.start and change.end < each.end and _is_whole(each, old.data)
    ]
    return min(found, key=lambda number: old.skeleton.procedures[number].start, default=None)


def _is_whole(each: ir.Procedure, data: bytes) -> bool:
    """Whether a procedure is written as a method with a body."""
    is_braced = data[each.header_end : each.header_end + 1] == b"{" and data[each.end - 1 : each.end] == b"}"
    return each.kind in ("method", "constructor") and is_braced and each.header_end + 1 < each.end


def _around(engine: Engine, old: Nearby, place: int) -> Around | None:
    """What is beside a method, where the file says the same of all but the blanked bodies without these."""
    unit = old.skeleton
    method = unit.procedures[place]
    tops = _outermost(each for each in unit.procedures if _is_whole(each, old.data))
    tops = [each for each in tops if each.kind == "method" and (each.end <= method.start or method.end <= each.start)]
    spans = tuple((each.start, each.end) for each in tops)
    kept = frozenset(number for number, each in enumerate(unit.procedures) if _is_inside(each, spans))
    types = _outermost(each for each in unit.types if _is_inside(each, spans))
    blank = tuple((each.header_end, body) for each in tops if (body := _body(each, types, old.data)))
    if not blank or len({each.name for each in unit.procedures}) != len(unit.procedures):
        return None
    found = engine.lower("java", _blanked(old.data, blank))
    if (found.package, found.imports, found.notes) != (unit.package, unit.imports, ()):
        return None
    if _beside(found, spans) != _beside(unit, spans):
        return None
    bare, bodies = split(found)
    numbers = {each.name: number for number, each in enumerate(unit.procedures)}
    for each, code in zip(bare.procedures, bodies, strict=True):
        number = numbers.pop(each.name, None)
        if number is None or (number not in kept and (each, encode(code)) != (unit.procedures[number], bytes(old.stored.bodies[number]))):
            return None
    if not kept.issuperset(numbers.values()):
        return None
    around = Around(method.start, method.end, blank, kept, spans, (), frozenset(), ())
    within = [_whole(old, number) for number, each in enumerate(unit.procedures) if around.has(each)]
    beside = (
        _whole(old, number) for number, each in enumerate(unit.procedures)
        if not around.has(each) and b"close" in bytes(old.stored.bodies[number])
    )
    names = tuple(each.name for each in found.types if not around.has(each))
    return msgspec.structs.replace(around, types=names, closed=java_bodies.closed_in(beside, unit.types), stored=_stored(within, unit.types))


def _outermost(all_of_them: Iterable[Placed]) -> list[Placed]:
    """Those that stand in none of the others."""
    found: list[Placed] = []
    for each in sorted(all_of_them, key=lambda each: (each.start, -each.end)):
        if not found or found[-1].end <= each.start:
            found.append(each)
    return found


def _is_inside(each: Placed, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a procedure or a type stands in one of some stretches, in their order."""
    place = bisect.bisect_right(spans, each.start, key=lambda span: span[0]) - 1
    return place >= 0 and each.end <= spans[place][1]


def _beside(unit: ir.Unit, spans: Sequence[tuple[int, int]]) -> list[ir.TypeDeclaration]:
    return [each for each in unit.types if not _is_inside(each, spans)]


def _body(method: ir.Procedure, types: Sequence[ir.TypeDeclaration], data: bytes) -> bytes:
    """What stands for a body: its braces, and a class without members for each anonymous one. Empty where there are others."""
    start, end = method.header_end, method.end
    found = bytearray(b" " * (end - start))
    found[0], found[-1] = b"{}"
    for each in types[bisect.bisect_left(types, start, key=lambda each: each.start) :]:
        if each.start >= end:
            break
        place = each.start - start
        if not each.name.rpartition("$")[2].isdigit() or data[each.start : each.start + 1] != b"{":
            return b""
        found[place - len(_CREATION) : place + len(_CLASS)] = _CREATION + _CLASS
    return bytes(found) if len(found) == end - start else b""


_CREATION, _CLASS = b"new A()", b"{};"


def _blanked(data: bytes, blank: Iterable[tuple[int, bytes]]) -> bytes:
    parts, last = [], 0
    for start, body in blank:
        parts += [data[last:start], body]
        last = start + len(body)
    return b"".join((*parts, data[last:]))


def _whole(old: Nearby, number: int) -> ir.Procedure:
    return join(old.skeleton.procedures[number], _BODIES.decode(old.stored.bodies[number]))


def _stored(procedures: Iterable[ir.Procedure], types: Iterable[ir.TypeDeclaration]) -> tuple[tuple[str, str, str], ...]:
    """What procedures store to fields that the file declares, as `java_bodies` looks at it."""
    fields = {field.name for each in types for field in each.fields}
    found = (
        (each.name, node.field if node.base else node.field.rpartition(".")[2], node.src)
        for each in procedures for node in each.nodes if isinstance(node, ir.Store)
    )
    return tuple(each for each in found if each[1] in fields)


def _spliced(engine: Engine, old: Nearby, change: Change, around: Around, data: bytes) -> Nearby | None:
    """The file with what the patched method and its likes became, and all else as it was, moved."""
    blank = tuple((change.move(start), body) for start, body in around.blank)
    unit = engine.lower("java", _blanked(data, blank))
    if (unit.package, unit.imports, unit.notes) != (old.skeleton.package, old.skeleton.imports, ()):
        return None
    now = msgspec.structs.replace(around, end=around.end + change.by)
    taken = tuple((change.move(start), change.move(end)) for start, end in around.taken)
    known = [_moved_type(each, change) for each in old.skeleton.types if not around.has(each)]
    found_types = [each for each in unit.types if not now.has(each)]
    if tuple(each.name for each in found_types) != around.types:
        return None
    if [each for each in known if not _is_inside(each, taken)] != [each for each in found_types if not _is_inside(each, taken)]:
        return None
    types = sorted((*known, *(each for each in unit.types if now.has(each))), key=lambda each: (each.start, each.end, each.name))
    bare, bodies = split(unit)
    found = {each.name: number for number, each in enumerate(bare.procedures)}
    rows: list[tuple[ir.Procedure, bytes, bytes, str]] = []
    calls = dict(zip(old.symbols.procedures, old.symbols.calls, strict=True))
    for number, each in enumerate(old.skeleton.procedures):
        if around.has(each):
            continue
        header, place = moved_header(each, change), found.pop(each.name, None)
        if number in around.kept:
            rows.append((header, bytes(old.stored.bodies[number]), old.symbols.procedures[each.name], calls[each.name]))
        elif place is None or bare.procedures[place] != header:
            return None
        else:
            rows.append(_row(unit.procedures[place], header, bodies[place], data))
    within = [unit.procedures[place] for place in found.values()]
    if not all(now.has(each) for each in within):
        return None
    rows += [_row(unit.procedures[place], bare.procedures[place], bodies[place], data) for place in found.values()]
    rows.sort(key=lambda row: (row[0].start, row[0].end, row[0].name))
    if _declared(unit, now) != _declared(old.skeleton, around) or _stored(_in_order(within), unit.types) != around.stored:
        return None
    facts = _facts(old, around, within, unit)
    skeleton = msgspec.structs.replace(
        bare, types=tuple(types), procedures=tuple(row[0] for row in rows), mentions=tuple(sorted({*old.skeleton.mentions, *unit.mentions}))
    )
    symbols: Symbols = symbols_of(skeleton, facts, {row[0].name: row[2] for row in rows}, tuple(row[3] for row in rows))
    return Nearby(data, skeleton, Stored(msgspec.Raw(encode(skeleton)), tuple(msgspec.Raw(row[1]) for row in rows)), symbols)


def _row(whole: ir.Procedure, header: ir.Procedure, body: Body, data: bytes) -> tuple[ir.Procedure, bytes, bytes, str]:
    """A procedure without its body, that as it is stored, its digest, and what it calls."""
    stored = encode(body)
    return header, stored, procedure_digest(data[header.start : header.end], header, stored), called_names(whole)


def _moved_type(each: ir.TypeDeclaration, change: Change) -> ir.TypeDeclaration:
    return msgspec.structs.replace(moved(each, change), fields=tuple(moved(field, change) for field in each.fields))


def _declared(unit: ir.Unit, around: Around) -> list[ir.TypeDeclaration]:
    """The types inside of the method: their fields are perhaps constants."""
    return [plain_type(each) for each in unit.types if around.has(each)]


def _in_order(procedures: Iterable[ir.Procedure]) -> list[ir.Procedure]:
    return sorted(procedures, key=lambda each: (each.start, each.end, each.name))


def _facts(old: Nearby, around: Around, within: list[ir.Procedure], unit: ir.Unit) -> Facts:
    """What the file keeps of bodies, where the method stores what it stored."""
    known = old.symbols.facts
    gone = {each.name for each in old.skeleton.procedures if around.has(each)}
    results = {name: value for name, value in known.results.items() if name not in gone}
    results |= {each.name: value for each in within if each.kind == "method" and (value := literal_result(each))}
    closed = java_bodies.named(around.closed | java_bodies.closed_in(within, unit.types))
    return Facts(constants=known.constants, results=dict(sorted(results.items())), closed=dict(sorted(closed.items())))
