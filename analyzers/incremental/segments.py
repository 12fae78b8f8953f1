"""How the cells of a file are stored: segments, each what one run added.

What is wanted of most cells, the digest of what came out and which other results they read, lies open; all else that they read,
and what came out where it is long, are parts that are loaded when somebody asks. The names of the facts under what they
read lie open too: a tree in which none of them is another one need not ask.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import msgspec

from analyzers.footprint import CONTENT, PROCEDURE, SEPARATOR
from analyzers.incremental.blobs import decoded, encode
from analyzers.incremental.cells import RESULTS, UNREADABLE, Basis, Cell, Fact, Read, Standing, facts_of
from analyzers.incremental.parts import Parts
from analyzers.queries import ProcedureKey
from analyzers.recording import Argument, Question

Place = tuple[str, str]
"""A procedure of the file, and the kind of the result."""

SHORT = 200
"""Bytes of what came out up to which it lies in the segment."""

Find = Callable[[bytes], bytes]
"""Gives a part by its name; empty where it is forgotten."""

_ABOUT_PROCEDURES = frozenset(("procedure", "linked", "effects", "component", "never_returns", "spliced"))


class _StoredBasis(msgspec.Struct, frozen=True, array_like=True, gc=False, omit_defaults=True):
    facts: tuple[int, ...]
    parts: tuple[int, ...]
    question: tuple[str, ...] = ()
    answer: bytes = b""


class _StoredRead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    question: msgspec.Raw
    answer: bytes
    basis: int


class _StoredResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    kind: str
    path: str
    name: str
    answer: bytes


class _StoredCell(msgspec.Struct, frozen=True, array_like=True, gc=False):
    procedure: str
    kind: str
    text: bytes
    results: tuple[int, ...]
    answer: bytes
    value: bytes
    mark: bytes
    part: bytes


class _StoredReads(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`cells`: per cell its reads in order, those of other results as the complement of their number. `path` is that of the file:
    no other segment shares this part, so that it goes with its own."""

    path: str
    facts: tuple[Fact, ...]
    bases: tuple[_StoredBasis, ...]
    reads: tuple[_StoredRead, ...]
    cells: tuple[tuple[int, ...], ...]


class _StoredSegment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`facts`: the names of all facts under what the cells read, the texts of their procedures among them; `reads`: the name
    of the part that holds what they read, packed once more than stores do: it repeats itself over long distances."""

    cells: tuple[_StoredCell, ...]
    results: tuple[_StoredResult, ...]
    facts: tuple[str, ...]
    reads: bytes


class _Numbers:
    """The numbers that reads, bases and facts have in a segment; a basis comes after its parts."""

    def __init__(self) -> None:
        self.facts: dict[Fact, int] = {}
        self.bases: list[_StoredBasis] = []
        self.reads: list[_StoredRead] = []
        self.results: list[_StoredResult] = []
        self._bases: dict[Basis, int] = {}
        self._reads: dict[tuple[Question, bytes], int] = {}

    def of_read(self, read: Read) -> int:
        """The number of a read."""
        at = (read.question, read.digest)
        place = self._reads.get(at)
        if place is None:
            place = self._reads[at] = self._new(read)
        return place

    def _new(self, read: Read) -> int:
        match read.question:
            case (str(kind), ProcedureKey(path=path, name=name)) if kind in RESULTS:
                self.results.append(_StoredResult(kind, path, name, read.digest))
                return -len(self.results)
            case question:
                basis = self._of_basis(read.basis) if read.basis is not None else -1
                self.reads.append(_StoredRead(msgspec.Raw(encode(question)), read.digest, basis))
                return len(self.reads) - 1

    def _of_basis(self, basis: Basis) -> int:
        place = self._bases.get(basis)
        if place is None:
            parts = tuple(self._of_basis(part) for part in basis.parts)
            facts = tuple(self.facts.setdefault(fact, len(self.facts)) for fact in basis.facts)
            place = self._bases[basis] = len(self.bases)
            self.bases.append(_StoredBasis(facts, parts, tuple(map(str, basis.question)), basis.digest))
        return place


def stored(path: str, cells: Sequence[Cell], parts: Parts) -> bytes:
    """Cells of a file as a segment, its parts kept in `parts`."""
    numbers = _Numbers()
    reads = [tuple(map(numbers.of_read, cell.reads)) for cell in cells]
    found = tuple(_stored_cell(cell, places, parts) for cell, places in zip(cells, reads, strict=True))
    names = dict.fromkeys(name for name, _ in numbers.facts)
    for cell in cells:
        names.update(dict.fromkeys(facts_of(path, cell)))
    kept = _StoredReads(path, tuple(numbers.facts), tuple(numbers.bases), tuple(numbers.reads), tuple(reads))
    return encode(_StoredSegment(found, tuple(numbers.results), tuple(names), parts.keep(zlib.compress(encode(kept), 1))))


def _stored_cell(cell: Cell, places: Sequence[int], parts: Parts) -> _StoredCell:
    results = tuple(-place - 1 for place in places if place < 0)
    part = cell.part or (parts.keep(cell.value) if len(cell.value) > SHORT else b"")
    value = b"" if part else cell.value
    return _StoredCell(cell.procedure, cell.kind, cell.text, results, cell.digest, value, cell.mark, part)


class Segment:
    """A stored segment: its cells are made when somebody asks. Without any where it is damaged."""

    def __init__(self, data: bytes, find: Find) -> None:
        self._stored = (decoded(data, _StoredSegment) if data else None) or _StoredSegment((), (), (), b"")
        self._find = find
        self._unpacked: _Unpacked | None = None
        self._touched: dict[Standing, frozenset[int]] = {}
        self._results: dict[int, Read] = {}
        self.places: dict[Place, list[int]] = {}
        for number, cell in enumerate(self._stored.cells):
            self.places.setdefault((cell.procedure, cell.kind), []).append(number)

    @property
    def reads(self) -> bytes:
        """The name of the part that holds what its cells read."""
        return self._stored.reads

    @property
    def facts(self) -> tuple[str, ...]:
        """The names of all facts under what its cells read, except for other results."""
        return self._stored.facts

    def cells(self, at: Place) -> list[Cell]:
        """The cells of a procedure and kind, newest first."""
        try:
            return [self._cell(number) for number in self.places.get(at, ())]
        except IndexError:
            return []

    def _cell(self, number: int) -> Cell:
        each = self._stored.cells[number]
        results = tuple(map(self._result, each.results))
        return Cell.stored(
            each.procedure, each.kind, each.text, results, lambda: self._reads(number), each.answer, each.value, each.mark,
            each.part, self._find, lambda standing: number in self._touched_by(standing),
        )  # fmt: skip

    def _result(self, place: int) -> Read:
        found = self._results.get(place)
        if found is None:
            kind, path, name, answer = msgspec.structs.astuple(self._stored.results[place])
            found = self._results[place] = Read((kind, ProcedureKey(path, name)), answer, None)
        return found

    def _touched_by(self, standing: Standing) -> frozenset[int]:
        """The numbers of the cells with a fact below that differs; all where that cannot be loaded."""
        found = self._touched.get(standing)
        if found is None:
            unpacked = self._all_reads()
            whole = len(unpacked.cells) == len(self._stored.cells)
            found = unpacked.touched(standing.facts) if whole else frozenset(range(len(self._stored.cells)))
            self._touched[standing] = found
        return found

    def _all_reads(self) -> _Unpacked:
        if self._unpacked is None:
            self._unpacked = _Unpacked(self._find(self._stored.reads))
        return self._unpacked

    def _reads(self, number: int) -> tuple[Read, ...]:
        """All that a cell read."""
        unpacked = self._all_reads()
        try:
            places = unpacked.cells[number]
            return tuple(self._result(-place - 1) if place < 0 else unpacked.read(place) for place in places)
        except (IndexError, ValueError, TypeError):
            return UNREADABLE


class _Unpacked:
    """What the cells of a segment read."""

    def __init__(self, data: bytes) -> None:
        try:
            found = decoded(zlib.decompress(data), _StoredReads)
        except zlib.error:
            found = None
        self._stored = found or _StoredReads("", (), (), (), ())
        self.cells = self._stored.cells
        self._reads: dict[int, Read] = {}
        self._bases: dict[int, Basis] = {}
        self._facts: dict[int, str] | None = None

    def touched(self, differing: frozenset[str]) -> frozenset[int]:
        """The numbers of the cells with a fact below that differs. A basis comes after its parts."""
        facts = {number for number, (name, _) in enumerate(self._stored.facts) if name in differing}
        bases: set[int] = set()
        for number, basis in enumerate(self._stored.bases if facts else ()):
            if not facts.isdisjoint(basis.facts) or not bases.isdisjoint(basis.parts):
                bases.add(number)
        reads = {number for number, read in enumerate(self._stored.reads) if read.basis in bases}
        reads |= {number for number, fact in self._without_basis().items() if not fact or fact in differing}
        return frozenset(number for number, places in enumerate(self.cells) if not reads.isdisjoint(places))

    def _without_basis(self) -> dict[int, str]:
        """The fact that the answer to a question without a basis is; empty where it may be anything. Models are the same in all."""
        if self._facts is None:
            self._facts = {}
            for number, read in enumerate(self._stored.reads):
                if read.basis < 0:
                    match _question(read.question):
                        case ("model", *_):
                            pass
                        case ("procedure", ProcedureKey(path=path, name=name)):
                            self._facts[number] = f"{PROCEDURE}{path}{SEPARATOR}{name}"
                        case ("content", str(path)):
                            self._facts[number] = CONTENT + path
                        case _:
                            self._facts[number] = ""
        return self._facts

    def read(self, place: int) -> Read:
        """A read by its number."""
        found = self._reads.get(place)
        if found is None:
            stored = self._stored.reads[place]
            basis = self._basis(stored.basis) if stored.basis >= 0 else None
            found = self._reads[place] = Read(_question(stored.question), stored.answer, basis)
        return found

    def _basis(self, place: int) -> Basis:
        found = self._bases.get(place)
        if found is None:
            stored, known = self._stored.bases[place], self._bases
            if stored.parts and max(stored.parts) >= place:
                raise IndexError(place)
            facts = tuple(map(self._stored.facts.__getitem__, stored.facts))
            parts = tuple([known.get(part) or self._basis(part) for part in stored.parts])  # calls cost more than all else
            found = known[place] = Basis(facts, parts, stored.question, stored.answer)
        return found


def _question(raw: msgspec.Raw) -> Question:
    kind, *arguments = msgspec.msgpack.decode(raw, type=list[str | int | list[str]])
    if kind in _ABOUT_PROCEDURES:
        path, name = arguments[0] if isinstance(arguments[0], list) else ("", "")
        return (str(kind), ProcedureKey(path, name))
    found: list[Argument] = [tuple(each) if isinstance(each, list) else each for each in arguments]
    return (str(kind), *found)
