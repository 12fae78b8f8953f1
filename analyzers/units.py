"""The blobs of one or several trees: read, lowered and decoded when somebody asks, and kept by content.

Programs over nearby trees share one `Units`, so that what did not change is never lowered twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from analyzers import ir
from analyzers.blobs import Body, Lowered, Stored, Symbols, digest, join, lower_blob
from analyzers.engine import Engine
from analyzers.index import BlobIndex, index_blob
from analyzers.summaries import SummaryStore

UNIT = "unit"
SYMBOLS = "symbols"

_T = TypeVar("_T")


def decoded(data: bytes | None, form: type[_T]) -> _T | None:
    """A stored value, None where there is none or it is damaged."""
    if data is None:
        return None
    try:
        return msgspec.msgpack.decode(data, type=form)
    except (msgspec.DecodeError, ValueError):
        return None


class Units:
    """All blobs at hand, by language and name of the content."""

    def __init__(self, engine: Engine, store: SummaryStore, version: str) -> None:
        self.engine = engine
        self.store = store
        self.lowered = 0
        self._version = version.encode()
        self._blobs: dict[tuple[str, str], Blob] = {}

    def blob(self, language: str, name: str, read: Callable[[], bytes]) -> Blob:
        """The blob of that name; `read` gives its bytes."""
        found = self._blobs.get((language, name))
        if found is None:
            key = digest(b"\0".join((self._version, language.encode(), name.encode())))
            found = self._blobs[language, name] = Blob(self, key, language, read)
        return found


class Blob:
    """One blob: `problem` says why its bytes cannot be had, empty where they can."""

    __slots__ = (
        "_bodies", "_data", "_key", "_places", "_read", "_skeleton", "_symbols", "_units", "language", "problem",
    )

    def __init__(self, units: Units, key: bytes, language: str, read: Callable[[], bytes]) -> None:
        self.language = language
        self.problem = ""
        self._units = units
        self._key = key
        self._read = read
        self._data: bytes | None = None
        self._symbols: Symbols | None = None
        self._skeleton: ir.Unit | None = None
        self._bodies: tuple[msgspec.Raw, ...] = ()
        self._places: dict[str, int] = {}

    @property
    def data(self) -> bytes:
        """The bytes, empty where they cannot be had."""
        if self._data is None:
            try:
                self._data = self._read()
            except (OSError, ValueError, LookupError) as error:
                self.problem = f"not read: {getattr(error, 'strerror', None) or type(error).__name__}"
                self._data = b""
        return self._data

    @property
    def symbols(self) -> Symbols:
        """Digests of what the unit says."""
        if self._symbols is None:
            self._symbols = decoded(self._units.store.get(SYMBOLS, self._key), Symbols)
        if self._symbols is None:
            self._lower()
        assert self._symbols is not None
        return self._symbols

    @property
    def skeleton(self) -> ir.Unit:
        """The unit without the bodies of its procedures."""
        if self._skeleton is None and not self._open(self._units.store.get(UNIT, self._key)):
            self._lower()
        assert self._skeleton is not None
        return self._skeleton

    @property
    def is_lowered(self) -> bool:
        """Whether the unit is at hand or stored."""
        return self._symbols is not None or self._units.store.get(SYMBOLS, self._key) is not None

    def index(self) -> BlobIndex:
        """What the blob can say, by its words alone."""
        return index_blob(self.language, self.data)

    def procedure(self, name: str) -> ir.Procedure | None:
        """A procedure with its body."""
        procedures = self.skeleton.procedures
        place = self._places.get(name)
        if place is None:
            return None
        return join(procedures[place], msgspec.msgpack.decode(self._bodies[place], type=Body))

    def unit(self) -> ir.Unit:
        """The unit with all its bodies."""
        skeleton = self.skeleton
        bodies = (msgspec.msgpack.decode(body, type=Body) for body in self._bodies)
        whole = tuple(join(each, body) for each, body in zip(skeleton.procedures, bodies, strict=True))
        return msgspec.structs.replace(skeleton, procedures=whole)

    def accept(self, lowered: Lowered) -> None:
        """Take over what was made of these bytes elsewhere."""
        if not self._open(lowered.unit):
            raise ValueError("not a lowered unit")
        self._symbols = msgspec.msgpack.decode(lowered.symbols, type=Symbols)
        if not self.problem:
            self._units.store.put(UNIT, self._key, lowered.unit)
            self._units.store.put(SYMBOLS, self._key, lowered.symbols)

    def _lower(self) -> None:
        self._units.lowered += 1
        self.accept(lower_blob(self._units.engine, self.language, self.data))

    def _open(self, data: bytes | None) -> bool:
        unit = decoded(data, Stored)
        skeleton = decoded(unit.skeleton, ir.Unit) if unit is not None else None
        if unit is None or skeleton is None or len(unit.bodies) != len(skeleton.procedures):
            return False
        self._skeleton = skeleton
        self._bodies = unit.bodies
        for place, procedure in enumerate(skeleton.procedures):
            self._places.setdefault(procedure.name, place)
        return True
