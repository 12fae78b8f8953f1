"""The steps of the fixpoint of mutually recursive procedures, kept with what each was made of.

A step is one summary of one member, from the Effects that the members had at that moment. Where a nearby tree has the same
component but for a few procedures, most steps read what they read there, and are not computed again: what comes out is the
same, since the steps are those of a run from nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from analyzers.anchors import Anchors, moved_effects
from analyzers.incremental.blobs import decoded, digest, encode
from analyzers.incremental.cells import Cell, Read
from analyzers.incremental.results import Results
from analyzers.queries import ProcedureKey
from analyzers.recording import Question
from analyzers.summaries import Effects

STEP = "step"
SKETCH = "sketch"
"""A step in a large circle, of which less is asked."""

EXPLORED = "explored"

MAX_STEPS = 16
"""Steps of one member that are kept: those of a few rounds on both sides of a change."""


class Subject(Protocol):
    """The Program that is evaluated."""

    anchors: Anchors

    def text_digest(self, key: ProcedureKey) -> bytes:
        """Names the text and the instructions of a procedure; empty where there is none."""

    def read_of(self, question: Question) -> Read:
        """A question with what validity needs."""

    def is_same(self, read: Read) -> bool:
        """Whether a question has the same answer here."""


class Step(msgspec.Struct, frozen=True):
    """What came of a step, its digest, and what was asked for it."""

    effects: Effects
    digest: bytes
    questions: tuple[Question, ...]


class Rounds:
    """The steps of one tree and of those beside it. `table` gives the digest of each member's Effects so far."""

    def __init__(self, subject: Subject, steps: Results) -> None:
        self._subject = subject
        self._steps = steps

    def find(self, key: ProcedureKey, kind: str, table: Mapping[ProcedureKey, bytes]) -> Step | None:
        """A kept step that read what it would read now.

        Answers are compared in the order in which they were read: nothing is asked that a new step would not ask."""
        for cell in self._steps.find(key, kind, self._subject.text_digest(key)):
            if all(self._is_same(read, table) for read in cell.reads):
                effects = decoded(cell.value, Effects)
                if effects is not None:
                    moved = moved_effects(effects, self._subject.anchors.free)
                    return Step(moved, cell.digest, tuple(read.question for read in cell.reads))
        return None

    def _is_same(self, read: Read, table: Mapping[ProcedureKey, bytes]) -> bool:
        question = read.question
        if question[0] == "effects" and isinstance(question[1], ProcedureKey):
            known = table.get(question[1])
            if known is not None:
                return known == read.digest
        return self._subject.is_same(read)

    def keep(
        self, key: ProcedureKey, kind: str, questions: Iterable[Question], table: Mapping[ProcedureKey, bytes],
        effects: Effects,
    ) -> bytes:
        """Keep a step; the digest of what came of it."""
        value = encode(moved_effects(effects, self._subject.anchors.fix))
        reads = tuple(self._read(question, table) for question in questions)
        cell = Cell(key.name, kind, self._subject.text_digest(key), reads, digest(value), value)
        self._steps.add(key, cell)
        return cell.digest

    def _read(self, question: Question, table: Mapping[ProcedureKey, bytes]) -> Read:
        if question[0] == "effects" and isinstance(question[1], ProcedureKey):
            known = table.get(question[1])
            if known is not None:
                return Read(question, known, None)
        return self._subject.read_of(question)
