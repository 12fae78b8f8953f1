"""A Program: the lazy, incremental view of a tree that answers every look outside a file (see `looks`).

Nothing is read or lowered before somebody asks. Results are kept with the answers that they read (see `results`); `beside`
gives a Program over a nearby tree that shares all of that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TypeVar, cast

import msgspec

from analyzers.anchors import Anchors, moved_effects
from analyzers.engine import Engine, NoSpecs, Specs, StandardEngine
from analyzers.finding import Finding, Note, NoteKind
from analyzers.footprint import Footprint
from analyzers.incremental.answers import answer_digest
from analyzers.incremental.blobs import Lowered, decoded, encode
from analyzers.incremental.cells import COMPONENT, LINKED, Basis, Cell, Read, Validity
from analyzers.incremental.evaluation import Detector, Evaluation
from analyzers.incremental.leaning import Leaning, Leans
from analyzers.incremental.looks import Looks, Options
from analyzers.incremental.results import Results, Sent
from analyzers.incremental.rounds import MAX_STEPS, Rounds
from analyzers.incremental.sources import Sources
from analyzers.incremental.trust import Trust, name_of
from analyzers.incremental.units import Units
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.recording import Question
from analyzers.source import Span, language_of
from analyzers.stopwatch import Stopwatch
from analyzers.summaries import Effects, MemoryStore, SummaryStore
from analyzers.tree import MemoryTree, Overlay, Tree

__all__ = ["MemoryTree", "Options", "Overlay", "Program", "Tree"]

T = TypeVar("T")

MAX_MADE = 1000
"""Answers to others' own questions that are kept."""

MAX_BESIDE = 4
"""Programs over this tree with some files replaced that are kept."""


class Contribution(msgspec.Struct, frozen=True, array_like=True):
    """What one process computed for another: cells by file, and what is told about the work."""

    cells: Sent
    steps: Sent
    trusted: list[tuple[str, str, str, bytes]]
    redone: list[ProcedureKey]
    reused: list[ProcedureKey]
    failures: list[Note]
    seconds: dict[str, float]


class Milestone(msgspec.Struct, frozen=True):
    """How much was computed at some moment."""

    effects: int
    trusted: int
    redone: int
    reused: int
    failures: int
    seconds: dict[str, float]


class _Shared(msgspec.Struct, frozen=True):
    """What Programs over nearby trees have in common."""

    engine: Engine
    specs: Specs
    options: Options
    units: Units
    results: Results | None
    steps: Results | None
    store: SummaryStore
    told: str
    watch: Stopwatch
    is_lasting: bool


class Program(Looks):
    """Implements `queries.Queries` over a tree."""

    _trust: Trust

    def __init__(
        self,
        tree: Tree,
        specs: Specs | None = None,
        store: SummaryStore | None = None,
        options: Options | None = None,
        engine: Engine | None = None,
    ) -> None:
        options = options or Options()
        engine = engine or StandardEngine(options.ignored_exceptions)
        version = engine.version() if store is not None else ""
        is_lasting = store is not None
        store = store or MemoryStore()
        watch = Stopwatch(options.clock)
        units = Units(engine, store, version, watch)
        told = " ".join((version, str(options.java_release), *options.told_detectors))
        results = Results(store, told) if options.keeps_results else None
        steps = Results(store, f"{told} steps", MAX_STEPS) if options.keeps_results else None
        specs = specs or NoSpecs()
        shared = _Shared(engine, specs, options, units, results, steps, store, told, watch, is_lasting)
        self._begin(tree, shared, None)

    def _begin(self, tree: Tree, shared: _Shared, near: Program | None, *, is_patched: bool = False) -> None:
        self.tree = tree
        self._shared = shared
        self._near = near
        self._is_patched = is_patched
        sources = Sources(tree, shared.units, near.sources if near is not None else None, is_patched=is_patched)
        self._open(sources, shared.specs, shared.options, near)
        self.anchors = Anchors(self.sources)
        self._beside: dict[tuple[tuple[str, bytes | None], ...], Program] = {}
        self._made: dict[Hashable, object] = {}
        self._bases: dict[Footprint, Basis] = {}
        self._digests: dict[Question, bytes] = {}
        self._reads: dict[Question, Read] = {}
        self._leans: Leans = {}
        self._validity = Validity(self, self._is_touched)
        self._trust = Trust(
            shared.store, name_of(f"{shared.told}\0{shared.specs.digest}", self.sources.names), shared.results,
            near._trust if near is not None else None, self.sources.differing,
        )  # fmt: skip
        rounds = Rounds(self, shared.steps) if shared.steps is not None else None
        self._evaluation = Evaluation(self, shared.engine, shared.results, rounds, shared.watch)
        if self.is_left_until_asked:
            self._trust.keep_due = self._evaluation.keep_due

    def beside(self, tree: Tree, *, is_patched: bool = False) -> Program:
        """A Program over a nearby tree (the other side of a change, a patched file) that shares what was lowered
        and computed. What this one computed so far is valid there wherever it read the same. Where the tree `is_patched`,
        only what differs in a changed file is lowered."""
        program = Program.__new__(Program)
        program._begin(tree, self._shared, self, is_patched=is_patched)
        return program

    def beside_with(self, changed: Mapping[str, bytes | None], wanted: int = 0) -> Program:
        """A Program over this tree with some files replaced, added, or (None) removed. The last few are kept: fixes of
        one procedure begin with the same text; where that are more, with the same `wanted` ones."""
        key = tuple(changed.items())
        found = self._beside.pop(key, None)
        if found is None:
            found = self.beside(Overlay(self.tree, changed), is_patched=True)
        while len(self._beside) >= max(wanted, MAX_BESIDE):
            self._beside.pop(next(iter(self._beside)))._forget()
        self._beside[key] = found
        return found

    def once(self, question: Hashable, compute: Callable[[], T]) -> T:
        """What others make of this tree alone, computed once: `question` tells it from all else. Where it is too much, that half goes for
        which nobody has asked longest: who remembers answers of its own is asked for again and again."""
        made = self._made
        if question in made:
            found = made[question] = made.pop(question)
        else:
            if len(made) >= MAX_MADE:
                for old in list(made)[: MAX_MADE // 2]:
                    del made[old]
            found = made[question] = compute()
        return cast(T, found)

    def _forget(self) -> None:
        """Let go of all answers: they and the Program hold each other, and would have to be collected."""
        self._close()
        self._evaluation.forget()
        for table in (self._beside, self._bases, self._digests, self._reads, self._made):
            table.clear()

    def save(self) -> None:
        """Write what was computed to the store, if one was handed in."""
        if not self._shared.is_lasting:
            return
        self.sources.save()
        for kept in (self._shared.results, self._shared.steps):
            if kept is not None:
                kept.save()
        self._trust.save()

    # --- what there is

    def paths(self) -> tuple[str, ...]:
        """The files of the tree that leakmend reads, sorted."""
        return self.sources.paths()

    def procedures(self) -> tuple[ProcedureKey, ...]:
        """All procedures of the tree, by path and then in the order of their source. Lowers everything."""
        return tuple(key for path in self.paths() for key in self.procedures_of(path))

    def procedures_of(self, path: str) -> tuple[ProcedureKey, ...]:
        """The procedures of one file, in the order of their source."""
        blob = self.sources.blob(path)
        return tuple(ProcedureKey(path, name) for name in blob.symbols.procedures) if blob is not None else ()

    def calls(self) -> dict[ProcedureKey, list[str]]:
        """The simple names that each procedure of the tree calls, in order. Lowers everything."""
        found: dict[ProcedureKey, list[str]] = {}
        for path in self.paths():
            blob = self.sources.blob(path)
            symbols = blob.symbols if blob is not None else None
            for name, called in zip(symbols.procedures, symbols.calls, strict=True) if symbols is not None else ():
                found[ProcedureKey(path, name)] = called.split()
        return found

    def language(self, key: ProcedureKey) -> str:
        """The language of a procedure's file."""
        return language_of(key.path) or ""

    def notes_of(self, path: str) -> tuple[Note, ...]:
        """What of one file was not read or not modelled."""
        blob = self.sources.blob(path)
        if blob is None:
            return ()
        found = blob.symbols.notes
        if blob.problem:
            return (Note(NoteKind.UNREADABLE, Span(path, 0, 0), blob.problem),)
        return tuple(Note(NoteKind(each.kind), Span(path, each.start, each.end), each.text) for each in found)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What failed in this run, sorted."""
        return tuple(sorted(set(self._evaluation.failures), key=lambda note: (note.span, note.kind, note.text)))

    @property
    def redone(self) -> tuple[ProcedureKey, ...]:
        """The procedures that something was computed for in this run."""
        return tuple(self._evaluation.redone)

    @property
    def reused(self) -> tuple[ProcedureKey, ...]:
        """The procedures that something was taken from a stored result for."""
        return tuple(self._evaluation.reused)

    @property
    def encircled(self) -> int:
        """How many procedures were gone through once for being members of large circles (see `circles`)."""
        return self._evaluation.encircled

    @property
    def units_lowered(self) -> int:
        """Blobs that were lowered in this process, by all Programs beside each other."""
        return self._shared.units.lowered

    @property
    def stats(self) -> dict[str, float]:
        """Seconds per layer, by all Programs beside each other; procedures redone and reused in this one."""
        found = {f"seconds {layer}": count for layer, count in sorted(self._shared.watch.seconds.items()) if count}
        found["procedures redone"] = float(len(self._evaluation.redone))
        found["procedures reused"] = float(len(self._evaluation.reused))
        found["units lowered"] = float(self._shared.units.lowered)
        return found

    def items(self, path: str) -> dict[str, bytes]:
        """Digests of what a file declares, by kind and name."""
        blob = self.sources.blob(path)
        return blob.symbols.items if blob is not None else {}

    def places_of(self, function: str) -> tuple[str, ...]:
        """The fields and globals that files of C store a function of this name to, sorted."""
        found: set[str] = set()
        for path in self.sources.mentioning_all(function):
            blob = self.sources.blob(path)
            stored = blob.symbols.facts.stored if blob is not None else {}
            for place, names in stored.items():
                if function in names:
                    found.add(self.member_at(path, place))
        return tuple(sorted(found - {""}))

    def member_at(self, path: str, place: str) -> str:
        """The name of `struct s#2`, the third member of that struct as a file sees it; any other place as it is."""
        written, mark, position = place.partition("#")
        if not mark:
            return place
        declared = self.c_type(path, written)
        if declared is not None and declared.kind == "typedef" and declared.supertypes:
            declared = self.c_type(path, declared.supertypes[0])
        names = [each.name for each in declared.fields if "." not in each.name] if declared is not None else []
        return names[int(position)] if position.isdecimal() and int(position) < len(names) else ""

    def reads(self, key: ProcedureKey, detectors: Sequence[Detector]) -> tuple[Read, ...]:
        """What the Effects and the findings of a procedure read of the tree, other results left out."""
        return self._evaluation.reads(key, detectors)

    def has_same_answers(self, reads: Sequence[Read]) -> bool:
        """Whether questions that have these answers in the tree beside have the same ones here."""
        return all(map(self._validity.still_holds, reads))

    # --- sharing the work

    def is_lowered(self, path: str) -> bool:
        """Whether a file is lowered or stored; True for one that is not there."""
        blob = self.sources.blob(path)
        return blob is None or blob.is_lowered

    def lowered(self, path: str) -> Lowered | None:
        """A file lowered anew, to be sent to another process; None where it cannot be read."""
        blob = self.sources.blob(path)
        return blob.lowered() if blob is not None else None

    def take(self, path: str, lowered: Lowered) -> None:
        """Take over a file that another process lowered."""
        blob = self.sources.blob(path)
        if blob is not None and not blob.is_lowered:
            blob.accept(lowered)

    def ready(self) -> None:
        """Have at hand what processes are better off to inherit than to make each."""
        with self._shared.watch.layer("index"):
            self.sources.index.paths("", "")

    def milestone(self) -> Milestone:
        """How much is computed by now."""
        evaluation = self._evaluation
        counts = len(evaluation.redone), len(evaluation.reused), len(evaluation.failures)
        return Milestone(len(evaluation.known), self._trust.size, *counts, dict(self._shared.watch.seconds))

    def contribution(self, since: Milestone) -> Contribution:
        """What was computed since, to be sent to another process."""
        evaluation, results, steps = self._evaluation, self._shared.results, self._shared.steps
        evaluation.keep_all()
        seconds = self._shared.watch.seconds
        return Contribution(
            results.drain() if results is not None else Sent([], []),
            steps.drain() if steps is not None else Sent([], []),
            self._trust.drain(since.trusted),
            list(evaluation.redone)[since.redone :],
            list(evaluation.reused)[since.reused :],
            evaluation.failures[since.failures :],
            {layer: count - since.seconds.get(layer, 0.0) for layer, count in seconds.items()},
        )

    def accept(self, contribution: Contribution) -> None:
        """Take over what another process computed."""
        evaluation = self._evaluation
        evaluation.redone.update(dict.fromkeys(contribution.redone))
        evaluation.reused.update(dict.fromkeys(contribution.reused))
        evaluation.failures += contribution.failures
        self._shared.watch.add(contribution.seconds)
        for kept, sent in ((self._shared.results, contribution.cells), (self._shared.steps, contribution.steps)):
            if kept is not None:
                kept.accept(sent)
        self._trust.accept(contribution.trusted)

    def news(self, since: Milestone) -> bytes:
        """The Effects that were computed since, for other processes."""
        return encode(list(islice(self._evaluation.known.items(), since.effects, None)))

    def learn(self, news: bytes) -> None:
        """Take over Effects that another process computed."""
        for key, effects in decoded(news, list[tuple[ProcedureKey, Effects]]) or ():
            self._evaluation.known.setdefault(key, effects)

    def until(self, is_over: Callable[[], bool]) -> AbstractContextManager[None]:
        """Begin no procedure when the time is up: `TimeUp` is raised instead."""
        return self._evaluation.until(is_over)

    @property
    def mark(self) -> int:
        """How many results are new."""
        return self._shared.results.mark if self._shared.results is not None else 0

    def drop_after(self, mark: int) -> None:
        """Do not store what was computed after a mark."""
        if self._shared.results is not None:
            self._shared.results.drop_after(mark)

    # --- results

    @property
    def is_read_once(self) -> bool:
        """Whether nobody will ask later what results of this tree were made of."""
        return self._shared.options.is_read_once and self._near is None

    @property
    def is_left_until_asked(self) -> bool:
        """Whether what is computed is made a stored result only where a tree beside this one asks for it: few patched texts have one."""
        return self._shared.options.is_read_once and (self._near is None or self._is_patched)

    def findings(self, detector: Detector, key: ProcedureKey) -> tuple[Finding | Note, ...]:
        """What a detector says of one procedure."""
        return self._evaluation.findings(detector, key)

    def linked(self, key: ProcedureKey) -> Linked | None:
        """See `Queries`."""
        return self._evaluation.linked(key)

    def effects(self, key: ProcedureKey) -> Effects:
        """See `Queries`."""
        return self._evaluation.effects(key)

    def called(self, key: ProcedureKey) -> tuple[Sequence[ProcedureKey], Sequence[str]]:
        """The procedures that calls of one may run, and its lambdas."""
        return self._evaluation.called(key)

    def link(self, key: ProcedureKey, queries: Queries) -> Linked | None:
        """Link a procedure anew, with looks through `queries`."""
        # All that C has linked of its own file it asks for by name: another declaration beside it is none of its business.
        unit = queries.unit(key.path) if self.language(key) == "java" else self.sources.outline(key.path)
        blob = self.sources.blob(key.path)
        procedure = blob.procedure(key.name) if blob is not None else None
        if unit is None or procedure is None:
            return None
        return self._shared.engine.link(key, unit, procedure, queries)

    def linked_beside(self, key: ProcedureKey, answer: bytes) -> Linked | None:
        """A procedure that was linked in the tree beside, in its place here, if that has this digest."""
        linked = self._near._evaluation.linked_before(key, answer) if self._near is not None else None
        blob = self.sources.blob(key.path)
        place = blob.declaration(key.name) if linked is not None and blob is not None else None
        if linked is None or place is None or place.start == linked.body.start:
            return linked
        body = msgspec.structs.replace(linked.body, start=place.start, end=place.end, header_end=place.header_end)
        return msgspec.structs.replace(linked, body=body)

    def text_digest(self, key: ProcedureKey) -> bytes:
        """Names the text and the instructions of a procedure; empty where there is none."""
        blob = self.sources.blob(key.path)
        return blob.symbols.procedures.get(key.name, b"") if blob is not None else b""

    # --- validity

    def answer(self, question: Question) -> bytes:
        """The digest of the answer to a question."""
        found = self._digests.get(question)
        if found is None:
            found = self._digest(question)
            if question[0] != COMPONENT or found:
                self._digests[question] = found
        return found

    def _digest(self, question: Question) -> bytes:
        match question:
            case ("linked", ProcedureKey() as key):
                return self._evaluation.linked_digest(key)
            case ("effects", ProcedureKey() as key):
                return self._evaluation.effects_digest(key)
            case ("component", ProcedureKey() as key):
                return self._evaluation.component_digest(key)
            case ("procedure", ProcedureKey() as key):
                return self.text_digest(key)
            case ("unit", str(path)):
                blob = self.sources.blob(path)
                return blob.symbols.skeleton if blob is not None else b""
            case ("content", str(path)):
                return self.sources.name(path).encode()
            case _:
                return answer_digest(self.ask(question))

    def read_of(self, question: Question) -> Read:
        """A question with the digest of its answer and the facts that it was made of."""
        found = self._reads.get(question)
        if found is None:
            answer = self.answer(question)
            known = self._answers.get(question)
            basis = self._basis(known[1]) if known is not None else None
            found = Read(question, answer, basis)
            if question[0] != COMPONENT or answer:
                self._reads[question] = found
        return found

    def _basis(self, footprint: Footprint) -> Basis:
        found = self._bases.get(footprint)
        if found is None:
            facts = tuple((name, self.fact(name)) for name in footprint.facts)
            question = _cheap(footprint.name)
            answer = self.answer(question) if question else b""
            found = self._bases[footprint] = Basis(facts, tuple(map(self._basis, footprint.parts)), question, answer)
        return found

    def is_same(self, read: Read) -> bool:
        """Whether a question has the same answer here."""
        return self._validity.holds(read)

    def standing(self, key: ProcedureKey, kind: str) -> bytes:
        """The mark of the cell that is known to be valid here. Of a function of C that the patch changes none is known but its own: no cell
        of another text holds (`Results.find`), and to look for one would have the tree beside make its."""
        if self._is_patched and self._is_other_text(key):
            return self._trust.mark(key, kind)
        return self._trust.standing(key, kind)

    def _is_other_text(self, key: ProcedureKey) -> bool:
        """Whether a procedure of C has another text, or other instructions, in the tree beside."""
        near = self._near
        if near is None or near.sources.name(key.path) == self.sources.name(key.path) or self.language(key) != "c":
            return False
        return near.text_digest(key) != self.text_digest(key)

    def unchanged(self, key: ProcedureKey) -> Cell | None:
        """The cell of Effects that a patch leaves as they were."""
        return self._leaning.cell(key) if self._leaning is not None else None

    def before_patch(self, keys: Sequence[ProcedureKey]) -> dict[ProcedureKey, Effects]:
        """What procedures of C did before a patch, places in them as if it were written there; empty where this is none."""
        near = self._near
        if near is None or not self._is_patched or any(self.language(key) != "c" or not near.text_digest(key) for key in keys):
            return {}
        return {key: moved_effects(moved_effects(near.effects(key), near.anchors.fix), self.anchors.free) for key in keys}

    @functools.cached_property
    def _leaning(self) -> Leaning | None:
        near, results = self._near, self._shared.results
        if near is None or results is None or not self._is_patched:
            return None
        return Leaning(near._trust, results, self.sources.differing(), near._leans)

    def is_valid(self, key: ProcedureKey, cell: Cell) -> bool:
        """Whether all that a cell read is the same here."""
        if self._trust.standing(key, cell.kind) == cell.mark:
            return True
        if self._trust.beside(key, cell.kind) == cell.mark:
            is_same = self._is_valid_beside(key, cell)
        else:
            is_same = all(map(self._validity.holds, cell.reads))
        if is_same:
            self._trust.note(key, cell.kind, cell.mark)
        return is_same

    def _is_valid_beside(self, key: ProcedureKey, cell: Cell) -> bool:
        """The same of a cell that is valid in the tree beside."""
        still_holds = self._validity.still_holds
        if cell.kind == COMPONENT and not all(still_holds(read) for read in cell.results if read.question[0] == LINKED):
            return False
        return all(map(still_holds, cell.results if self._trust.is_clear(key, cell) else cell.reads))

    def is_kept(self, key: ProcedureKey, cell: Cell) -> None:
        """A cell was made of what is here."""
        self._trust.note(key, cell.kind, cell.mark)

    def _is_touched(self, fact: str) -> bool:
        return self._near is None or self.sources.changes.touches(fact[0], fact[1:])


def _cheap(name: object) -> Question:
    """A question that is answered by looking at declarations, all words; empty for any other name of an answer."""
    match name:
        case ("macro" | "constant" as kind, str(path), str(asked)):
            return (kind, path, asked)
        case _:
            return ()
