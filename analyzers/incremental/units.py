"""The blobs of one or several trees: read, lowered and decoded when somebody asks, and kept by content.

Programs over nearby trees share one `Units`, so that what did not change is never lowered twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from analyzers import ir
from analyzers.deep import shallowly
from analyzers.engine import Engine
from analyzers.incremental import nearby_java
from analyzers.incremental.blobs import Body, Lowered, Stored, Symbols, decoded, digest, join, lower_blob
from analyzers.incremental.indexes import Indexes
from analyzers.incremental.nearby import Alone, Nearby, lower_nearby, patched_function
from analyzers.index import BlobIndex, index_beside, index_blob
from analyzers.stopwatch import Stopwatch
from analyzers.summaries import SummaryStore

UNIT = "unit"
SYMBOLS = "symbols"

RECENT = 512
"""Procedures that are kept with their bodies: one after the other is asked for by many."""

_BODIES = msgspec.msgpack.Decoder(Body)

class Units:
    """All blobs at hand, by language and name of the content."""

    def __init__(self, engine: Engine, store: SummaryStore, version: str, watch: Stopwatch) -> None:
        self.engine = engine
        self.store = store
        self.watch = watch
        self.lowered = 0
        self.version = version.encode()
        self.indexes = Indexes(store, self.version)
        self.recent: dict[tuple[Blob, int], ir.Procedure] = {}
        self._blobs: dict[tuple[str, str], Blob] = {}

    def blob(self, language: str, name: str, read: Callable[[], bytes], near: Blob | None = None) -> Blob:
        """The blob of that name; `read` gives its bytes. It was made by patching `near`, if that is given."""
        found = self._blobs.get((language, name))
        if found is None:
            key = digest(b"\0".join((self.version, language.encode(), name.encode())))
            found = self._blobs[language, name] = Blob(self, key, language, read, near)
        return found


class Blob:
    """One blob: `problem` says why its bytes cannot be had, empty where they can."""

    __slots__ = (
        "_alone", "_around", "_below", "_data", "_indexed", "_indexes", "_named", "_near", "_places", "_read", "_skeleton", "_stored", "_symbols", "_units", "key",
        "language", "problem",
    )  # fmt: skip

    def __init__(
        self, units: Units, key: bytes, language: str, read: Callable[[], bytes], near: Blob | None = None
    ) -> None:
        self.language = language
        self.problem = ""
        self._units = units
        self.key = key
        self._read = read
        self._near = near
        self._below = near
        self._named: frozenset[str] | None = None
        self._data: bytes | None = None
        self._symbols: Symbols | None = None
        self._stored: Stored | None = None
        self._indexed: bytes | None = None
        self._skeleton: ir.Unit | None = None
        self._places: dict[str, int] = {}
        self._alone: dict[int, Alone | None] = {}
        self._around: dict[int, nearby_java.Around | None] = {}
        self._indexes: dict[tuple[int, int], BlobIndex] = {}

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
            self._symbols = decoded(self._units.store.get(SYMBOLS, self.key), Symbols)
        if self._symbols is None:
            self._lower()
        assert self._symbols is not None
        return self._symbols

    @property
    def skeleton(self) -> ir.Unit:
        """The unit without the bodies of its procedures."""
        if self._skeleton is None:
            stored = self._parts()
            skeleton = decoded(stored.skeleton, ir.Unit)
            if skeleton is None or len(skeleton.procedures) != len(stored.bodies):
                self._lower()
                skeleton = msgspec.msgpack.decode(self._parts().skeleton, type=ir.Unit)
            self._skeleton = skeleton
            for place, procedure in enumerate(skeleton.procedures):
                self._places.setdefault(procedure.name, place)
        return self._skeleton

    def declaration(self, name: str) -> ir.Procedure | None:
        """A procedure without its body, by its name: the first of several."""
        procedures = self.skeleton.procedures
        place = self._places.get(name)
        return procedures[place] if place is not None else None

    @property
    def is_lowered(self) -> bool:
        """Whether the unit is at hand or stored."""
        if self._symbols is None:
            self._symbols = decoded(self._units.store.get(SYMBOLS, self.key), Symbols)
        return self._symbols is not None

    @property
    def index(self) -> BlobIndex:
        """What the blob can say, by its words alone."""
        known = self._units.indexes.find(self.key)
        if known is None:
            with self._units.watch.layer("index"):
                known = decoded(self._indexed, BlobIndex) or self._index_beside() or index_blob(self.language, self.data)
            if not self.problem:
                self._units.indexes.add(self.key, known)
        return known

    @property
    def is_indexed(self) -> bool:
        """Whether the index is at hand."""
        return self._indexed is not None or self._units.indexes.find(self.key) is not None

    def _index_beside(self) -> BlobIndex | None:
        """The index, told from that of the blob that was patched; None where that does not do."""
        below = self._below
        if below is None or self.language != "c" or below.language != "c" or below.problem or not self.data:
            return None
        place = patched_function(below.skeleton, below.data, self.data)
        if place is None:
            return None
        start, end = place
        index, end_now = below.index, end + len(self.data) - len(below.data)
        known = BlobIndex(index.items, index.includes, below.words())
        return index_beside(known, below.named(), below.index_of(start, end), self.data[start:end_now])

    def index_of(self, start: int, end: int) -> BlobIndex:
        """The index of a function of C alone: of what is patched, several texts are."""
        if (start, end) not in self._indexes:
            self._indexes[start, end] = index_blob("c", self.data[start:end])
        return self._indexes[start, end]

    def words(self) -> str:
        """All words of the blob, each between two line feeds."""
        return self._units.indexes.words(self.key) or index_blob(self.language, self.data).words

    def named(self) -> frozenset[str]:
        """All words of the blob."""
        return self._named if self._named is not None else frozenset(self.words().split())

    def procedure(self, name: str) -> ir.Procedure | None:
        """A procedure with its body."""
        procedures = self.skeleton.procedures
        place = self._places.get(name)
        if place is None:
            return None
        recent = self._units.recent
        found = recent.get((self, place))
        if found is None:
            if len(recent) >= RECENT:
                recent.clear()
            found = join(procedures[place], _BODIES.decode(self._parts().bodies[place]))
            recent[self, place] = found
        return found

    def naming(self, word: str) -> Iterator[ir.Procedure]:
        """The procedures in whose bodies a word occurs, in order."""
        letters = word.encode()
        for place, body in enumerate(self._parts().bodies):
            if letters in bytes(body):
                yield join(self.skeleton.procedures[place], msgspec.msgpack.decode(body, type=Body))

    def unit(self) -> ir.Unit:
        """The unit with all its bodies."""
        skeleton = self.skeleton
        bodies = (msgspec.msgpack.decode(body, type=Body) for body in self._parts().bodies)
        whole = tuple(join(each, body) for each, body in zip(skeleton.procedures, bodies, strict=True))
        return msgspec.structs.replace(skeleton, procedures=whole)

    def lowered(self) -> Lowered | None:
        """What is made of the bytes, to be sent elsewhere; None where they cannot be had."""
        with self._units.watch.layer("lowering"):
            data = self.data
            return None if self.problem else lower_blob(self._units.engine, self.language, data)

    def accept(self, lowered: Lowered) -> None:
        """Take over what was made of these bytes, here or elsewhere."""
        self._units.lowered += 1
        self._stored = msgspec.msgpack.decode(lowered.unit, type=Stored)
        self._symbols = msgspec.msgpack.decode(lowered.symbols, type=Symbols)
        self._indexed = lowered.index
        self._skeleton = None
        self._places.clear()
        self._units.recent.clear()
        if not self.problem:
            self._units.store.put(UNIT, self.key, lowered.unit)
            self._units.store.put(SYMBOLS, self.key, lowered.symbols)

    def _lower(self) -> None:
        near, self._near = self._near, None
        with self._units.watch.layer("lowering"):
            if near is not None and self._lower_nearby(near):
                return
            self.accept(lower_blob(self._units.engine, self.language, self.data))

    def _lower_nearby(self, near: Blob) -> bool:
        """Lower only what differs from another blob, if that can be done. Nothing is stored: a patch is a proposal."""
        if self.language != near.language or near.problem or not self.data:
            return False
        old, engine = Nearby(near.data, near.skeleton, near._parts(), near.symbols), self._units.engine
        try:
            if self.language == "c":
                found = shallowly(lambda: lower_nearby(engine, old, self.data, near._alone))
            else:
                found = shallowly(lambda: nearby_java.lower_nearby(engine, old, self.data, near._around))
        except RecursionError:
            return False
        if found is None:
            return False
        self._units.lowered += 1
        self._stored, self._symbols = found.stored, found.symbols
        return True

    def _parts(self) -> Stored:
        if self._stored is None:
            self._stored = decoded(self._units.store.get(UNIT, self.key), Stored)
        if self._stored is None:
            self._lower()
        assert self._stored is not None
        return self._stored

