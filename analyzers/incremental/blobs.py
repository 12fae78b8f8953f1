"""The first layer: what one blob says by itself, lowered once and kept by the blob's name.

A unit is stored in parts: the skeleton (declarations and signatures, without instructions), one body
per procedure, and `Symbols`: digests of all of that, so that deciding whether a result is still valid loads neither.
"""

from __future__ import annotations

import hashlib
import logging
from typing import TypeVar

import msgspec

from analyzers import c_bodies, ir, java_bodies
from analyzers.c_bodies import Facts
from analyzers.deep import shallowly
from analyzers.engine import Engine
from analyzers.index import (
    CLOSED,
    CONSTANT,
    ENUMERATOR,
    FUNCTION,
    GLOBAL,
    INITIAL,
    MACRO,
    MEMBER,
    PROTOTYPE,
    RESULT,
    RETURNING,
    STORED,
    SUPERTYPE,
    TYPE,
    index_blob,
    simple_name,
)

DIGEST_SIZE = 10

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


class Body(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a skeleton leaves out of a procedure. It keeps the formals."""

    variables: tuple[ir.Variable, ...]
    nodes: tuple[ir.Instruction, ...]
    next: tuple[tuple[int, ...], ...]
    raises: tuple[tuple[int, ...], ...]
    loops: tuple[ir.Loop, ...]


class Symbols(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Digests of a unit: of its skeleton, of each procedure (text and instructions), of each declared item; what
    others want to know of its bodies; its Notes; per procedure the names that it calls, with blanks between."""

    skeleton: bytes
    procedures: dict[str, bytes]
    items: dict[str, bytes]
    facts: Facts
    notes: tuple[ir.UnitNote, ...]
    calls: tuple[str, ...]


class Stored(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A unit as it is kept: the skeleton, and the bodies in its order."""

    skeleton: msgspec.Raw
    bodies: tuple[msgspec.Raw, ...]


class Lowered(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that is stored of one blob, encoded: what a worker sends back."""

    unit: bytes
    symbols: bytes
    index: bytes


def digest(data: bytes) -> bytes:
    """A short digest: equal bytes, equal digest, and never otherwise in practice."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


def encode(value: object) -> bytes:
    """A value as MessagePack."""
    return msgspec.msgpack.encode(value)


def decoded(data: bytes | msgspec.Raw | None, form: type[T]) -> T | None:
    """A stored value, None where there is none or it is damaged."""
    if data is None:
        return None
    try:
        return msgspec.msgpack.decode(data, type=form)
    except (msgspec.DecodeError, ValueError):
        return None


def without_position(procedure: ir.Procedure) -> ir.Procedure:
    """A procedure as it would be at the beginning of its file."""
    start = procedure.start
    return msgspec.structs.replace(
        procedure, start=0, end=procedure.end - start, header_end=procedure.header_end - start
    )


def plain_type(declared: ir.TypeDeclaration) -> ir.TypeDeclaration:
    """A declaration of a type without its places in the file."""
    fields = tuple(msgspec.structs.replace(each, start=0, end=0) for each in declared.fields)
    return msgspec.structs.replace(declared, fields=fields, start=0, end=0)


def plain_macro(macro: ir.Macro) -> ir.Macro:
    """A macro without its place in the file."""
    return msgspec.structs.replace(macro, start=0, end=0)


def plain_skeleton(unit: ir.Unit) -> ir.Unit:
    """A skeleton without places and without what only the name index and the notes want."""
    return msgspec.structs.replace(
        unit,
        procedures=tuple(msgspec.structs.replace(each, start=0, end=0, header_end=0) for each in unit.procedures),
        types=tuple(plain_type(each) for each in unit.types),
        globals=tuple(msgspec.structs.replace(each, start=0, end=0) for each in unit.globals),
        macros=tuple(plain_macro(each) for each in unit.macros),
        mentions=(),
        notes=(),
    )


def split(unit: ir.Unit) -> tuple[ir.Unit, tuple[Body, ...]]:
    """A unit as its skeleton and its bodies."""
    bodies = tuple(Body(p.variables, p.nodes, p.next, p.raises, p.loops) for p in unit.procedures)
    bare = tuple(
        msgspec.structs.replace(p, variables=_formals(p), nodes=(), next=(), raises=(), loops=())
        for p in unit.procedures
    )
    return msgspec.structs.replace(unit, procedures=bare), bodies


def _formals(procedure: ir.Procedure) -> tuple[ir.Variable, ...]:
    return tuple(
        ir.Variable(each.name, each.type, each.kind, attributes=each.attributes)
        for each in procedure.variables
        if each.kind == "parameter"
    )


def join(procedure: ir.Procedure, body: Body) -> ir.Procedure:
    """A procedure of a skeleton with its body."""
    return msgspec.structs.replace(
        procedure, variables=body.variables, nodes=body.nodes, next=body.next, raises=body.raises, loops=body.loops
    )


def _declared_items(unit: ir.Unit, facts: Facts) -> dict[str, bytes]:
    """Per item that a unit declares, its bodies left out, the digest of what it says of it."""
    found: dict[str, list[bytes]] = {}

    def say(kind: str, name: str, value: object) -> None:
        found.setdefault(kind + name, []).append(encode(value))

    for declared in unit.types:
        say(TYPE, simple_name(declared.name), plain_type(declared))
        for above in declared.supertypes:
            say(SUPERTYPE, simple_name(above), (declared.name, declared.supertypes))
        names = tuple(each.name for each in declared.fields)
        for each in declared.fields if unit.language == "c" else ():
            if declared.kind == "enum":
                say(ENUMERATOR, each.name, (each.type, each.attributes))
            elif "." not in each.name:
                say(MEMBER, each.name, (declared.name, names))
    for prototype in unit.prototypes:
        say(PROTOTYPE, prototype.name, prototype)
    for macro in unit.macros:
        say(MACRO, macro.name, plain_macro(macro))
    for used in unit.returning:
        say(RETURNING, used.removesuffix("()"), used)
    for each in unit.globals:
        say(GLOBAL, each.name, (each.type, each.attributes))
    for procedure in unit.procedures if unit.language == "c" else ():
        if procedure.kind == "function":
            plain = msgspec.structs.replace(procedure, start=0, end=0, header_end=0, error=None)
            say(FUNCTION, ir.source_name(procedure.name), plain)
    said = ((STORED, facts.stored), (CONSTANT, facts.constants), (RESULT, facts.results), (INITIAL, facts.initial), (CLOSED, facts.closed))
    for kind, values in said:
        for name, value in values.items():
            say(kind, name, value)
    return {item: digest(b"\0".join(values)) for item, values in found.items()}


def called_names(procedure: ir.Procedure) -> str:
    """The simple names that a procedure calls, in the order of its nodes, with blanks between."""
    calls = (node for node in procedure.nodes if isinstance(node, ir.Call))
    return " ".join({simple_name(node.qualifier) if node.kind == "new" else node.name: None for node in calls})


def procedure_digest(text: bytes, bare: ir.Procedure, body: bytes) -> bytes:
    """The digest of a procedure: of its text, its header and its body as it is stored."""
    return digest(b"\0".join((text, encode(without_position(bare)), body)))


def encode_unit(unit: ir.Unit, data: bytes) -> tuple[bytes, Symbols]:
    """A unit as it is stored, and its digests. `data` are the bytes of its file."""
    skeleton, bodies = split(unit)
    encoded = [encode(body) for body in bodies]
    procedures: dict[str, bytes] = {}
    calls: dict[str, str] = {}
    for procedure, bare, body in zip(unit.procedures, skeleton.procedures, encoded, strict=True):
        text = data[procedure.start : procedure.end]
        if procedure.name not in procedures:
            procedures[procedure.name] = procedure_digest(text, bare, body)
            calls[procedure.name] = called_names(procedure)
    facts = c_bodies.facts_of(unit) if unit.language == "c" else java_bodies.facts_of(unit)
    symbols = symbols_of(skeleton, facts, procedures, tuple(calls.values()))
    stored = Stored(msgspec.Raw(encode(skeleton)), tuple(msgspec.Raw(body) for body in encoded))
    return encode(stored), symbols


def symbols_of(skeleton: ir.Unit, facts: Facts, procedures: dict[str, bytes], calls: tuple[str, ...]) -> Symbols:
    """The digests of a unit, given those of its procedures and what they call."""
    # What bodies close is asked for by name: it is no part of what the file declares.
    outline = digest(encode((plain_skeleton(skeleton), msgspec.structs.replace(facts, closed={}))))
    return Symbols(outline, procedures, _declared_items(skeleton, facts), facts, skeleton.notes, calls)


def empty_unit(language: str, reason: str) -> ir.Unit:
    """The unit of a file that could not be lowered."""
    note = ir.UnitNote("not-modelled", 0, 0, reason)
    return ir.Unit(language, "", (), (), (), (), (), (), (), (note,))


def lower_blob(engine: Engine, language: str, data: bytes) -> Lowered:
    """Lower and index one blob. Never raises: what cannot be lowered is an empty unit with a Note."""
    try:
        unit = shallowly(lambda: engine.lower(language, data))
    except Exception as error:
        _LOG.info("lowering failed", exc_info=True, extra={"language": language, "size": len(data)})
        unit = empty_unit(language, f"not analysed: lowering failed ({type(error).__name__})")
    stored, symbols = encode_unit(unit, data)
    return Lowered(stored, encode(symbols), encode(index_blob(language, data)))
