"""The third layer: what was computed for a procedure, kept with all that it read (see `cells`).

One record per file names the segments with the cells of its procedures, another one those of components that they lead. What is new
becomes one more segment, so that nothing old is written again. Old variants are dropped where segments are made one.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers.incremental.blobs import decoded, digest, encode
from analyzers.incremental.cells import COMPONENT, Cell, Standing
from analyzers.incremental.parts import Parts
from analyzers.incremental.segments import Place, Segment, stored
from analyzers.queries import ProcedureKey
from analyzers.summaries import SummaryStore

RESULTS = "results"

MAX_VARIANTS = 3
"""Cells of one procedure and kind that are kept, newest first: base and head of a review, and one more."""

MAX_SEGMENTS = 6
"""Segments of a file's record before they are made one."""


class Sent(msgspec.Struct, frozen=True, array_like=True):
    """What one process computed for another: per record the name of a segment, and all parts."""

    segments: list[tuple[str, bytes]]
    parts: list[bytes]


class Results:
    """The cells of all files: those of the store, and those of this run.

    What another process sends is added without being read.
    """

    def __init__(self, store: SummaryStore, version: str, most: int = MAX_VARIANTS) -> None:
        self._store = store
        self._version = version.encode()
        self._most = most
        self._parts = Parts(store)
        self._cells: dict[str, _Record] = {}
        self._fresh: list[tuple[str, Cell]] = []
        self._sent: dict[str, list[bytes]] = {}

    def find(self, key: ProcedureKey, kind: str, text: bytes) -> list[Cell]:
        """The cells of a procedure with this text, newest first."""
        return [cell for cell in self._of(key, kind).variants((key.name, kind)) if cell.text == text]

    def marked(self, key: ProcedureKey, kind: str, mark: bytes) -> Cell | None:
        """The cell with a mark."""
        return next((cell for cell in self._of(key, kind).variants((key.name, kind)) if cell.mark == mark), None)

    def is_clear(self, key: ProcedureKey, cell: Cell, standing: Standing) -> bool:
        """Whether a cell of a procedure read nothing that differs, other results left out."""
        if cell.is_stored and self._of(key, cell.kind).is_clear(standing):
            return True
        return standing.is_clear(key.path, cell)

    def forget(self, key: ProcedureKey, cell: Cell) -> None:
        """Let go of a cell that cannot be read."""
        variants = self._of(key, cell.kind).variants((key.name, cell.kind))
        variants[:] = [each for each in variants if each.mark != cell.mark]

    def add(self, key: ProcedureKey, cell: Cell) -> None:
        """Keep a new cell."""
        variants = self._of(key, cell.kind).variants((cell.procedure, cell.kind))
        variants.insert(0, cell)
        del variants[self._most :]
        self._fresh.append((_record_of(key, cell.kind), cell))

    @property
    def mark(self) -> int:
        """How many cells are new."""
        return len(self._fresh)

    def drop_after(self, mark: int) -> None:
        """Do not store what came after a mark."""
        del self._fresh[mark:]

    def drain(self) -> Sent:
        """What is new, to be sent to another process; here it is no longer new."""
        fresh, self._fresh = self._fresh, []
        segments = [(record, self._segment(record, cells)) for record, cells in _by_record(fresh).items()]
        return Sent(segments, self._parts.drain())

    def accept(self, sent: Sent) -> None:
        """Take over what another process drained."""
        self._parts.accept(sent.parts)
        for record, name in sent.segments:
            self._sent.setdefault(record, []).append(name)
            if record in self._cells:
                self._cells[record].add(self._loaded(name))

    def save(self) -> None:
        """Write what is new to the store."""
        fresh = _by_record(self._fresh)
        for record in dict.fromkeys((*fresh, *self._sent)):
            names = [*self._names(record), *self._sent.get(record, ())]
            if record in fresh:
                names.append(self._segment(record, fresh[record]))
            if len(names) > MAX_SEGMENTS:
                names = [self._as_one(record, names)]
            self._store.put(RESULTS, self._name(record), encode(names))
        self._parts.save()
        self._fresh.clear()
        self._sent.clear()

    def _as_one(self, record: str, names: Sequence[bytes]) -> bytes:
        cells: dict[Place, list[Cell]] = {}
        gone: list[bytes] = []
        for name in names:
            loaded = self._loaded(name)
            for at in loaded.places:
                cells[at] = _merged(loaded.cells(at), cells.get(at, ()), self._most)
            gone += (name, loaded.reads)
        one = self._segment(record, cells)
        kept = (one, self._loaded(one).reads)
        self._parts.drop(name for name in gone if name not in kept)
        return one

    def _of(self, key: ProcedureKey, kind: str) -> _Record:
        record = _record_of(key, kind)
        found = self._cells.get(record)
        if found is None:
            found = self._cells[record] = _Record(self._most)
            for name in (*self._names(record), *self._sent.get(record, ())):
                found.add(self._loaded(name))
        return found

    def _segment(self, record: str, cells: dict[Place, list[Cell]]) -> bytes:
        """The name of a new segment."""
        path = record.partition("\0")[0]
        return self._parts.keep(stored(path, [cell for variants in cells.values() for cell in variants], self._parts))

    def _loaded(self, name: bytes) -> Segment:
        return Segment(self._parts.find(name), self._parts.find)

    def _names(self, record: str) -> list[bytes]:
        """The names of the segments of a record, the oldest first."""
        return decoded(self._store.get(RESULTS, self._name(record)), list[bytes]) or []

    def _name(self, record: str) -> bytes:
        return digest(self._version + b"\0" + record.encode("utf-8", "surrogatepass"))


def _record_of(key: ProcedureKey, kind: str) -> str:
    """The record of a cell: what components read is much, and of all their files."""
    return f"{key.path}\0{kind}" if kind == COMPONENT else key.path


def _by_record(fresh: Sequence[tuple[str, Cell]]) -> dict[str, dict[Place, list[Cell]]]:
    found: dict[str, dict[Place, list[Cell]]] = {}
    for record, cell in reversed(fresh):
        found.setdefault(record, {}).setdefault((cell.procedure, cell.kind), []).append(cell)
    return found


def _merged(new: Sequence[Cell], old: Sequence[Cell], most: int) -> list[Cell]:
    """Variants of one result, without those that say the same of the same."""
    found: dict[bytes, Cell] = {}
    for cell in (*new, *old):
        found.setdefault(cell.mark, cell)
    return list(found.values())[:most]


class _Record:
    """The cells of one file, from all its segments."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._segments: list[Segment] = []
        self._made: dict[Place, list[Cell]] = {}
        self._clear: dict[tuple[int, Standing], bool] = {}

    def add(self, segment: Segment) -> None:
        """Take a later segment in."""
        self._segments.append(segment)
        for at in self._made.keys() & segment.places.keys():
            self._made[at][:] = _merged(segment.cells(at), self._made[at], self._most)

    def variants(self, at: Place) -> list[Cell]:
        """The cells of a procedure and kind, newest first: a list that more may be put into."""
        found = self._made.get(at)
        if found is None:
            found = self._made[at] = []
            for segment in self._segments:
                if at in segment.places:
                    found[:] = _merged(segment.cells(at), found, self._most)
        return found

    def is_clear(self, standing: Standing) -> bool:
        """Whether no fact under any of the stored cells differs."""
        at = (len(self._segments), standing)
        found = self._clear.get(at)
        if found is None:
            found = self._clear[at] = not any(standing.has_any(segment.facts) for segment in self._segments)
        return found
