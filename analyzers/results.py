"""The third layer: what was computed for a procedure, kept with all that it read.

One record per file holds the cells of its procedures. A cell is valid in a tree where every answer that it
read has the same digest; which of several valid ones is used makes no difference. Old variants are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from analyzers.blobs import decoded, digest, encode
from analyzers.footprint import CONTENT
from analyzers.queries import ProcedureKey
from analyzers.recording import Argument, Question
from analyzers.summaries import SummaryStore

RESULTS = "results"

MAX_VARIANTS = 3
"""Cells of one procedure and kind that are kept, newest first: base and head of a review, and one more."""

MAX_SEGMENTS = 6
"""Segments of a file's record before they are made one."""

_ABOUT_PROCEDURES = frozenset(("procedure", "linked", "effects", "component", "never_returns", "spliced"))

Fact = tuple[str, bytes]


class Basis:
    """A footprint with the digests that its facts had. Equal only to itself.

    question, digest   what it is the footprint of, where asking that again costs less than what is made of it
    """

    __slots__ = ("digest", "facts", "parts", "question")

    def __init__(
        self, facts: tuple[Fact, ...], parts: tuple[Basis, ...], question: Question = (), answer: bytes = b""
    ) -> None:
        self.facts = facts
        self.parts = parts
        self.question = question
        self.digest = answer


class Read:
    """A question, the digest of its answer, and what that answer was made of (None: not known)."""

    __slots__ = ("basis", "digest", "question")

    def __init__(self, question: Question, answer: bytes, basis: Basis | None) -> None:
        self.question = question
        self.digest = answer
        self.basis = basis


class Cell:
    """One result: of which procedure (with which text), of which kind, what it read, what came out.

    mark   tells it from other results of that procedure and kind
    """

    __slots__ = ("digest", "kind", "mark", "procedure", "reads", "text", "value")

    def __init__(
        self, procedure: str, kind: str, text: bytes, reads: tuple[Read, ...], answer: bytes, value: bytes,
        mark: bytes = b"",
    ) -> None:
        self.procedure = procedure
        self.kind = kind
        self.text = text
        self.reads = reads
        self.digest = answer
        self.value = value
        self.mark = mark or digest(b"".join((text, answer, *(read.digest for read in reads))))


class Trees(Protocol):
    """The tree that validity is asked about."""

    def fact(self, name: str) -> bytes:
        """The digest of a fact of the name index or of a file's declarations."""

    def answer(self, question: Question) -> bytes:
        """The digest of the answer to a question."""


class Validity:
    """Whether reads and cells hold in one tree; each read is decided once. `is_touched` tells of a fact whether it may be
    another one than in the tree beside."""

    def __init__(self, tree: Trees, is_touched: Callable[[str], bool]) -> None:
        self._tree = tree
        self._is_touched = is_touched
        self._decided: dict[Read, bool] = {}
        self._standing: dict[Basis, bool] = {}
        self._remaining: dict[Basis, bool] = {}
        self._touched: dict[str, bool] = {}

    def holds(self, read: Read) -> bool:
        """Whether the question has the same answer."""
        found = self._decided.get(read)
        if found is None:
            is_same = read.basis is not None and self._stands(read.basis)
            found = self._decided[read] = is_same or self._is_answered(read)
        return found

    def still_holds(self, read: Read) -> bool:
        """The same of a question that has this answer in the tree beside: asked again only where the difference touches it."""
        found = self._decided.get(read)
        if found is None:
            found = self._decided[read] = self._is_untouched(read) or self._is_answered(read)
        return found

    def _is_untouched(self, read: Read) -> bool:
        match read.question:
            case ("model", *_):
                return True
            case ("procedure", ProcedureKey(path=path)) | ("content" | "unit", str(path)):
                return not self._may_differ(CONTENT + path)
            case _:
                return read.basis is not None and self._remains(read.basis)

    def _may_differ(self, fact: str) -> bool:
        found = self._touched.get(fact)
        if found is None:
            found = self._touched[fact] = self._is_touched(fact)
        return found

    def _remains(self, basis: Basis) -> bool:
        found = self._remaining.get(basis)
        if found is None:
            found = all(
                not self._may_differ(name) or self._tree.fact(name) == known for name, known in basis.facts
            ) and all(map(self._remains, basis.parts))
            if not found and basis.question:
                found = self._tree.answer(basis.question) == basis.digest
            self._remaining[basis] = found
        return found

    def _is_answered(self, read: Read) -> bool:
        """Whether asking again gives the same. That no component was known is no answer."""
        is_answer = bool(read.digest) or read.question[0] != "component"
        return is_answer and self._tree.answer(read.question) == read.digest

    def _stands(self, basis: Basis) -> bool:
        """Whether no fact of a basis changed, nor any answer that it was made of."""
        found = self._standing.get(basis)
        if found is None:
            fact = self._tree.fact
            found = all(fact(name) == known for name, known in basis.facts) and all(map(self._stands, basis.parts))
            if not found and basis.question:
                found = self._tree.answer(basis.question) == basis.digest
            self._standing[basis] = found
        return found


class _StoredBasis(msgspec.Struct, frozen=True, array_like=True, gc=False, omit_defaults=True):
    facts: tuple[int, ...]
    parts: tuple[int, ...]
    question: tuple[str, ...] = ()
    answer: bytes = b""


class _StoredRead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    question: msgspec.Raw
    answer: bytes
    basis: int


class _StoredCell(msgspec.Struct, frozen=True, array_like=True, gc=False):
    procedure: str
    kind: str
    text: bytes
    reads: tuple[int, ...]
    answer: bytes
    value: bytes
    mark: bytes


class _StoredFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    facts: tuple[Fact, ...]
    bases: tuple[_StoredBasis, ...]
    reads: tuple[_StoredRead, ...]
    cells: tuple[_StoredCell, ...]


class Results:
    """The cells of all files: those of the store, and those of this run.

    A file's record is a list of segments, so that what another process sends is added without being read.
    """

    def __init__(self, store: SummaryStore, version: str, most: int = MAX_VARIANTS) -> None:
        self._store = store
        self._version = version.encode()
        self._most = most
        self._cells: dict[str, _Record] = {}
        self._fresh: list[tuple[str, Cell]] = []
        self._sent: dict[str, list[bytes]] = {}

    def find(self, key: ProcedureKey, kind: str, text: bytes) -> list[Cell]:
        """The cells of a procedure with this text, newest first."""
        return [cell for cell in self._of(key.path).variants((key.name, kind)) if cell.text == text]

    def add(self, path: str, cell: Cell) -> None:
        """Keep a new cell."""
        variants = self._of(path).variants((cell.procedure, cell.kind))
        variants.insert(0, cell)
        del variants[self._most :]
        self._fresh.append((path, cell))

    @property
    def mark(self) -> int:
        """How many cells are new."""
        return len(self._fresh)

    def drop_after(self, mark: int) -> None:
        """Do not store what came after a mark."""
        del self._fresh[mark:]

    def drain(self) -> list[tuple[str, bytes]]:
        """What is new, by file, to be sent to another process; here it is no longer new."""
        fresh, self._fresh = self._fresh, []
        return [(path, encode(_stored(cells))) for path, cells in _by_file(fresh).items()]

    def accept(self, path: str, segment: bytes) -> None:
        """Take over what another process drained."""
        self._sent.setdefault(path, []).append(segment)
        if path in self._cells:
            self._cells[path].add(_Segment(segment))

    def save(self) -> None:
        """Write what is new to the store."""
        fresh = _by_file(self._fresh)
        for path in dict.fromkeys((*fresh, *self._sent)):
            segments = [*self._segments(path), *self._sent.get(path, ())]
            if path in fresh:
                segments.append(encode(_stored(fresh[path])))
            if len(segments) > MAX_SEGMENTS:
                cells: dict[tuple[str, str], list[Cell]] = {}
                for segment in segments:
                    _merge(cells, segment, self._most)
                segments = [encode(_stored(cells))]
            self._store.put(RESULTS, self._key(path), encode(segments))
        self._fresh.clear()
        self._sent.clear()

    def _of(self, path: str) -> _Record:
        found = self._cells.get(path)
        if found is None:
            found = self._cells[path] = _Record(self._most)
            for segment in (*self._segments(path), *self._sent.get(path, ())):
                found.add(_Segment(segment))
        return found

    def _segments(self, path: str) -> list[bytes]:
        return decoded(self._store.get(RESULTS, self._key(path)), list[bytes]) or []

    def _key(self, path: str) -> bytes:
        return digest(self._version + b"\0" + path.encode("utf-8", "surrogatepass"))


def _by_file(fresh: Sequence[tuple[str, Cell]]) -> dict[str, dict[tuple[str, str], list[Cell]]]:
    found: dict[str, dict[tuple[str, str], list[Cell]]] = {}
    for path, cell in reversed(fresh):
        found.setdefault(path, {}).setdefault((cell.procedure, cell.kind), []).append(cell)
    return found


def _merge(cells: dict[tuple[str, str], list[Cell]], segment: bytes, most: int) -> None:
    """Add the cells of a later segment."""
    loaded = _Segment(segment)
    for at in loaded.places:
        cells[at] = _merged(loaded.cells(at), cells.get(at, ()), most)


def _merged(new: Sequence[Cell], old: Sequence[Cell], most: int) -> list[Cell]:
    """Variants of one result, without those that say the same of the same."""
    found: dict[bytes, Cell] = {}
    for cell in (*new, *old):
        found.setdefault(cell.mark, cell)
    return list(found.values())[:most]


class _Numbers:
    """The numbers that reads, bases and facts have in the record of a file; a basis comes after its parts."""

    def __init__(self) -> None:
        self.facts: dict[Fact, int] = {}
        self.bases: list[_StoredBasis] = []
        self.reads: list[_StoredRead] = []
        self._bases: dict[Basis, int] = {}
        self._reads: dict[tuple[Question, bytes], int] = {}

    def of_read(self, read: Read) -> int:
        """The number of a read."""
        at = (read.question, read.digest)
        place = self._reads.get(at)
        if place is None:
            basis = self._of_basis(read.basis) if read.basis is not None else -1
            place = self._reads[at] = len(self.reads)
            self.reads.append(_StoredRead(msgspec.Raw(encode(read.question)), read.digest, basis))
        return place

    def _of_basis(self, basis: Basis) -> int:
        place = self._bases.get(basis)
        if place is None:
            parts = tuple(self._of_basis(part) for part in basis.parts)
            facts = tuple(self.facts.setdefault(fact, len(self.facts)) for fact in basis.facts)
            place = self._bases[basis] = len(self.bases)
            self.bases.append(_StoredBasis(facts, parts, tuple(map(str, basis.question)), basis.digest))
        return place


def _stored(cells: dict[tuple[str, str], list[Cell]]) -> _StoredFile:
    numbers = _Numbers()
    stored_cells = tuple(
        _StoredCell(
            cell.procedure, cell.kind, cell.text, tuple(map(numbers.of_read, cell.reads)), cell.digest, cell.value,
            cell.mark,
        )
        for variants in cells.values()
        for cell in variants
    )
    return _StoredFile(tuple(numbers.facts), tuple(numbers.bases), tuple(numbers.reads), stored_cells)


class _Segment:
    """A stored segment: its cells are made when somebody asks. Without any where it is damaged."""

    def __init__(self, data: bytes) -> None:
        self._stored = (decoded(data, _StoredFile) if data else None) or _StoredFile((), (), (), ())
        self._reads: dict[int, Read] = {}
        self._bases: dict[int, Basis] = {}
        self.places: dict[tuple[str, str], list[_StoredCell]] = {}
        for cell in self._stored.cells:
            self.places.setdefault((cell.procedure, cell.kind), []).append(cell)

    def cells(self, at: tuple[str, str]) -> list[Cell]:
        """The cells of a procedure and kind, newest first."""
        try:
            return [
                Cell(each.procedure, each.kind, each.text, tuple(map(self._read, each.reads)), each.answer, each.value, each.mark)
                for each in self.places.get(at, ())
            ]
        except (IndexError, ValueError, TypeError):
            return []

    def _read(self, place: int) -> Read:
        found = self._reads.get(place)
        if found is None:
            stored = self._stored.reads[place]
            basis = self._basis(stored.basis) if stored.basis >= 0 else None
            found = self._reads[place] = Read(_question(stored.question), stored.answer, basis)
        return found

    def _basis(self, place: int) -> Basis:
        found = self._bases.get(place)
        if found is None:
            stored = self._stored.bases[place]
            if any(part >= place for part in stored.parts):
                raise IndexError(place)
            facts = tuple(self._stored.facts[each] for each in stored.facts)
            parts = tuple(map(self._basis, stored.parts))
            found = self._bases[place] = Basis(facts, parts, stored.question, stored.answer)
        return found


class _Record:
    """The cells of one file, from all its segments."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._segments: list[_Segment] = []
        self._made: dict[tuple[str, str], list[Cell]] = {}

    def add(self, segment: _Segment) -> None:
        """Take a later segment in."""
        self._segments.append(segment)
        for at in self._made.keys() & segment.places.keys():
            self._made[at][:] = _merged(segment.cells(at), self._made[at], self._most)

    def variants(self, at: tuple[str, str]) -> list[Cell]:
        """The cells of a procedure and kind, newest first: a list that more may be put into."""
        found = self._made.get(at)
        if found is None:
            found = self._made[at] = []
            for segment in self._segments:
                if at in segment.places:
                    found[:] = _merged(segment.cells(at), found, self._most)
        return found


def _question(raw: msgspec.Raw) -> Question:
    kind, *arguments = msgspec.msgpack.decode(raw, type=list[str | int | list[str]])
    if kind in _ABOUT_PROCEDURES:
        path, name = arguments[0] if isinstance(arguments[0], list) else ("", "")
        return (str(kind), ProcedureKey(path, name))
    found: list[Argument] = [tuple(each) if isinstance(each, list) else each for each in arguments]
    return (str(kind), *found)
