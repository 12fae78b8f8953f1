"""Cells: what was computed for a procedure, with all that it read, and whether that is the same in a tree.

A cell is valid in a tree where every answer that it read has the same digest; which of several valid ones is used makes no
difference.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from analyzers.footprint import CONTENT, PROCEDURE, SEPARATOR
from analyzers.incremental.blobs import digest
from analyzers.queries import ProcedureKey
from analyzers.recording import Question

LINKED = "linked"
EFFECTS = "effects"
COMPONENT = "component"

RESULTS = frozenset((LINKED, EFFECTS, COMPONENT))
"""Kinds of questions about what was computed."""

Fact = tuple[str, bytes]

_name_of = operator.itemgetter(0)


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


UNREADABLE = (Read(("unreadable",), b"\0", None),)
"""Stands for what cannot be loaded: no tree has this answer."""


class Cell:
    """One result: of which procedure (with which text), of which kind, what it read, what came out.

    results   what it read of other results, in order
    mark      tells it from other results of that procedure and kind
    part      the name of what came out where that is kept apart; empty for a short one
    """

    __slots__ = (
        "_find", "_load", "_reads", "_value", "digest", "is_touched", "kind", "mark", "part", "procedure", "results", "text",
    )  # fmt: skip

    def __init__(
        self, procedure: str, kind: str, text: bytes, reads: tuple[Read, ...], answer: bytes, value: bytes,
        mark: bytes = b"",
    ) -> None:
        self.procedure = procedure
        self.kind = kind
        self.text = text
        self._reads: tuple[Read, ...] | None = reads
        self._load: Callable[[], tuple[Read, ...]] = tuple
        self.results = tuple(read for read in reads if read.question[0] in RESULTS)
        self.digest = answer
        self.part = b""
        self._value: bytes | None = value
        self._find: Callable[[bytes], bytes] = bytes
        self.is_touched: Callable[[Standing], bool] | None = None
        self.mark = mark or digest(b"".join((text, answer, *(read.digest for read in reads))))

    @classmethod
    def stored(
        cls, procedure: str, kind: str, text: bytes, results: tuple[Read, ...], load: Callable[[], tuple[Read, ...]],
        answer: bytes, value: bytes, mark: bytes, part: bytes, find: Callable[[bytes], bytes],
        is_touched: Callable[[Standing], bool],
    ) -> Cell:
        """A cell of a store: all that it read, and what came out if `part` names it, is loaded when somebody asks. `is_touched` tells
        whether any fact under that differs, without loading it one by one."""
        cell = cls(procedure, kind, text, results, answer, value, mark)
        cell._reads, cell._load, cell.is_touched = None, load, is_touched
        if part:
            cell.part, cell._value, cell._find = part, None, find
        return cell

    @property
    def value(self) -> bytes:
        """What came out; empty where a store has forgotten it."""
        if self._value is None:
            self._value = self._find(self.part)
        return self._value

    @property
    def is_lost(self) -> bool:
        """Whether what it read cannot be loaded."""
        return self.reads == UNREADABLE

    @property
    def is_stored(self) -> bool:
        """Whether what it read is still to be loaded."""
        return self._reads is None

    @property
    def reads(self) -> tuple[Read, ...]:
        """All that it read, in order."""
        if self._reads is None:
            self._reads = self._load()
        return self._reads


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


def facts_of(path: str, cell: Cell) -> Iterator[str]:
    """The names of facts that answers without a basis are: texts of procedures, and files."""
    yield f"{PROCEDURE}{path}{SEPARATOR}{cell.procedure}"
    for read in cell.reads:
        match read.question:
            case ("procedure", ProcedureKey(path=other, name=name)):
                yield f"{PROCEDURE}{other}{SEPARATOR}{name}"
            case ("content", str(other)):
                yield CONTENT + other


class Standing:
    """Which cells read nothing that differs between two trees, other results left out. `facts`: those that differ."""

    def __init__(self, differing: frozenset[str]) -> None:
        self.facts = differing
        self._bases: dict[Basis, bool] = {}

    def has_any(self, facts: Iterable[str]) -> bool:
        """Whether one of these facts differs."""
        return not self.facts.isdisjoint(facts)

    def is_clear(self, path: str, cell: Cell) -> bool:
        """Whether none of the facts under a cell of a file differs."""
        if cell.is_touched is not None:
            return f"{PROCEDURE}{path}{SEPARATOR}{cell.procedure}" not in self.facts and not cell.is_touched(self)
        return not self.has_any(facts_of(path, cell)) and all(map(self._is_same, cell.reads))

    def _is_same(self, read: Read) -> bool:
        match read.question:
            case ("model" | "procedure" | "content" | "linked" | "effects" | "component", *_):
                return True
            case _:
                return read.basis is not None and self._is_clear(read.basis)

    def _is_clear(self, basis: Basis) -> bool:
        found = self._bases.get(basis)
        if found is None:
            is_touched = not self.facts.isdisjoint(map(_name_of, basis.facts))
            found = self._bases[basis] = not is_touched and all(map(self._is_clear, basis.parts))
        return found
