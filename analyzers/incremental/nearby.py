"""A file of C of which one function is patched, lowered by lowering that function anew: the rest is as it was.

What comes out is what lowering all of it gives, but that `mentions` keeps what only the old text mentions. It is asked for
where that can be shown: the old text of the function, lowered alone among the declarations of its file, has to give what it gave as a
part of it, and what the file keeps of bodies (`c_bodies`) must be the same before and after. Else None, and all is lowered.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from analyzers import c_bodies, ir
from analyzers.engine import Engine
from analyzers.incremental.blobs import (
    Body,
    Stored,
    Symbols,
    called_names,
    encode,
    procedure_digest,
    split,
    without_position,
)

Placed = TypeVar("Placed", ir.TypeDeclaration, ir.FieldDeclaration, ir.Macro, ir.UnitNote)

MOST_BYTES = 1_000_000
"""Files beyond that are lowered by other rules: tables are left out."""


class Nearby(msgspec.Struct, frozen=True):
    """A lowered file that others lie near to: its bytes, its unit without bodies, the bodies as they are stored."""

    data: bytes
    skeleton: ir.Unit
    stored: Stored
    symbols: Symbols


class Alone(msgspec.Struct, frozen=True):
    """A function lowered alone: whole, without its body, that as it is stored, the names that it mentions, and the attributes that stand
    in front of it (`LOCAL char *name(`), of which its own text knows nothing."""

    procedure: ir.Procedure
    header: ir.Procedure
    body: bytes
    mentions: tuple[str, ...]
    before: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """The bytes [start, end) of a file that others took the place of, and by how much what follows moved."""

    start: int
    end: int
    by: int

    def move(self, offset: int) -> int:
        """Where a byte beside the change is now."""
        return offset if offset <= self.start else offset + self.by


def lower_nearby(engine: Engine, old: Nearby, data: bytes, lowered: dict[int, Alone | None]) -> Nearby | None:
    """The file with its one function patched; None where it has to be lowered as a whole. `lowered`: the functions of the old file that
    were lowered alone, by their numbers; None for those that give another result so."""
    if len(data) > MOST_BYTES or b"\0" in data:
        return None
    change = change_of(old.data, data)
    place = _function(old.skeleton, change)
    if place is None:
        return None
    known = old.skeleton.procedures[place]
    if place not in lowered:
        lowered[place] = _as_before(engine, old, place)
    before = lowered[place]
    if before is None:
        return None
    after = _alone(engine, old, data[known.start : known.end + change.by], known.name)
    after = _behind(after, before.before) if after is not None else None
    if after is None or after.header.error is not None or not _says_the_same(before, after, old.skeleton):
        return None
    return _spliced(old, change, (place, after), data)


def _as_before(engine: Engine, old: Nearby, place: int) -> Alone | None:
    """A function of the old file lowered alone; None where that gives something else than lowering the file does."""
    known = old.skeleton.procedures[place]
    found = _alone(engine, old, old.data[known.start : known.end], known.name)
    if found is not None:
        found = _behind(found, known.attributes[: max(len(known.attributes) - len(found.header.attributes), 0)])
    if found is None or (found.header, found.body) != (without_position(known), bytes(old.stored.bodies[place])):
        return None
    return found


def change_of(old: bytes, new: bytes) -> Change:
    """The bytes that differ, between the longest beginning and the longest end that both have."""
    most = min(len(old), len(new))
    first = _common(old[:most], new[:most])
    left = most - first
    last = _common(old[len(old) - left :][::-1], new[len(new) - left :][::-1])
    return Change(first, len(old) - last, len(new) - len(old))


def _common(left: bytes, right: bytes) -> int:
    """How many bytes two texts of one length begin with alike."""
    least, beyond = 0, len(left) + 1
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if left[least:middle] == right[least:middle]:
            least = middle
        else:
            beyond = middle
    return least


def patched_function(unit: ir.Unit, old: bytes, new: bytes) -> tuple[int, int] | None:
    """Where the function lies in the old text of a file in whose body all that differs does; None where there is none."""
    place = _function(unit, change_of(old, new))
    return (unit.procedures[place].start, unit.procedures[place].end) if place is not None else None


def _function(unit: ir.Unit, change: Change) -> int | None:
    """The number of the function in whose body the change lies; None where it lies elsewhere, or beside declarations of the file."""
    found = None
    for number, each in enumerate(unit.procedures):
        if each.end <= change.start or change.end <= each.start or each.kind == c_bodies.INITIALISER:
            continue
        if found is not None or each.kind != "function" or each.error is not None:
            return None
        if not (each.header_end < change.start and change.end < each.end):
            return None
        found = number
    if found is None:
        return None
    around = unit.procedures[found]
    placed = [(each.start, each.end) for each in unit.types]
    placed += [(each.start, each.end) for each in unit.globals]
    placed += [(each.start, each.end) for each in unit.macros]
    placed += [(each.start, each.end) for each in unit.notes]
    if any(start < around.end and around.start < end for start, end in placed):
        return None
    names = [each.name for each in unit.procedures]
    return found if names.count(around.name) == 1 else None


def _alone(engine: Engine, old: Nearby, text: bytes, name: str) -> Alone | None:
    """The text of a function, lowered among the declarations of its file."""
    unit = engine.lower_again(text, old.skeleton)
    if len(unit.procedures) != 1 or unit.types or unit.globals or unit.macros or unit.notes or unit.prototypes:
        return None
    [found] = unit.procedures
    if (found.start, found.end) != (0, len(text)) or found.kind != "function" or found.name != ir.source_name(name):
        return None
    found = msgspec.structs.replace(found, name=name)
    return Alone(found, *_parts(found), unit.mentions)


def _behind(each: Alone, attributes: tuple[str, ...]) -> Alone:
    """A function behind attributes, which no patch of its body changes."""
    procedure, header = (msgspec.structs.replace(one, attributes=(*attributes, *one.attributes)) for one in (each.procedure, each.header))
    return msgspec.structs.replace(each, procedure=procedure, header=header, before=attributes)


def _parts(procedure: ir.Procedure) -> tuple[ir.Procedure, bytes]:
    """A procedure without its body, and that as it is stored."""
    skeleton, bodies = split(ir.Unit("c", "", (), (procedure,), (), (), (), (), (), ()))
    return skeleton.procedures[0], encode(bodies[0])


def _says_the_same(before: Alone, after: Alone, unit: ir.Unit) -> bool:
    """Whether others learn the same from both bodies, and from both headers."""
    plain = [msgspec.structs.replace(each.header, end=0, header_end=0) for each in (before, after)]
    said = [c_bodies.said_by(each.procedure, unit) for each in (before, after)]
    return plain[0] == plain[1] and said[0] == said[1]


def _spliced(old: Nearby, change: Change, patched: tuple[int, Alone], data: bytes) -> Nearby:
    """The file with another body in its place, and all behind it moved."""
    place, after = patched
    unit, start = old.skeleton, old.skeleton.procedures[place].start
    headers, bodies = [moved_header(each, change) for each in unit.procedures], list(old.stored.bodies)
    headers[place] = msgspec.structs.replace(
        after.header, start=start, end=start + after.header.end, header_end=start + after.header.header_end
    )
    bodies[place] = msgspec.Raw(after.body)
    changed = [place]
    for number, each in enumerate(headers):
        if each.kind == c_bodies.INITIALISER:  # it reaches over all of the file
            bodies[number] = _moved_body(bodies[number], change)
            changed.append(number)
    skeleton = msgspec.structs.replace(
        unit,
        procedures=tuple(headers),
        types=tuple(
            msgspec.structs.replace(moved(each, change), fields=tuple(moved(field, change) for field in each.fields))
            for each in unit.types
        ),
        globals=tuple(moved(each, change) for each in unit.globals),
        macros=tuple(moved(each, change) for each in unit.macros),
        mentions=tuple(sorted({*unit.mentions, *after.mentions})),
        notes=tuple(moved(each, change) for each in unit.notes),
    )
    procedures = dict(old.symbols.procedures)
    for number in changed:
        header = headers[number]
        procedures[header.name] = procedure_digest(data[header.start : header.end], header, bytes(bodies[number]))
    calls = list(old.symbols.calls)
    calls[list(procedures).index(after.header.name)] = called_names(after.procedure)
    symbols = msgspec.structs.replace(old.symbols, procedures=procedures, calls=tuple(calls), notes=skeleton.notes)
    return Nearby(data, skeleton, Stored(msgspec.Raw(encode(skeleton)), tuple(bodies)), symbols)


def moved_header(each: ir.Procedure, change: Change) -> ir.Procedure:
    """A procedure where it is now."""
    if each.end <= change.start:
        return each
    return msgspec.structs.replace(
        each, start=change.move(each.start), end=change.move(each.end), header_end=change.move(each.header_end)
    )


def moved(each: Placed, change: Change) -> Placed:
    """A declaration where it is now."""
    if each.end <= change.start:
        return each
    return msgspec.structs.replace(each, start=change.move(each.start), end=change.move(each.end))


def _moved_body(stored: msgspec.Raw, change: Change) -> msgspec.Raw:
    """The body of a procedure that begins where the file does."""
    body = msgspec.msgpack.decode(stored, type=Body)
    nodes = tuple(
        msgspec.structs.replace(each, start=change.move(each.start), end=change.move(each.end)) for each in body.nodes
    )
    return msgspec.Raw(encode(msgspec.structs.replace(body, nodes=nodes)))
