"""Linked procedures, Effects and findings of one tree: taken from valid cells, else computed and kept.

Effects of mutually recursive procedures are a fixpoint per component: callees first, from
«never returns», until nothing changes; after `MAX_ROUNDS` whatever still changes is widened. One of many procedures of C is
gone through once (see `circles`). A component is found by running into a procedure that is already being computed; it grows until
it is closed and only then begins, so that what comes out does not depend on who asked first.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

import msgspec

from analyzers.anchors import Anchors, moved_effects, moved_finding, moved_note, outside
from analyzers.circles import MAX_CIRCLE, unsure, widened
from analyzers.deep import deeply
from analyzers.engine import Engine
from analyzers.finding import Finding, Note, NoteKind
from analyzers.graphs.callgraph import callees
from analyzers.incremental.blobs import decoded, digest, encode, without_position
from analyzers.incremental.cells import COMPONENT, EFFECTS, LINKED, RESULTS, Cell, Read
from analyzers.incremental.frames import BOTTOM, Frame
from analyzers.incremental.results import Results
from analyzers.incremental.rounds import EXPLORED, SKETCH, STEP, Rounds
from analyzers.means import TimeUp, never
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.recording import Question, Recorder
from analyzers.source import Span
from analyzers.stopwatch import Stopwatch
from analyzers.summaries import UNKNOWN, Effects

MAX_ROUNDS = 5
"""Rounds over a component before what still changes is widened."""

MAX_LINKED = 3000
"""Linked procedures that are kept in memory."""

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")


class Detector(Protocol):
    """One analysis. `languages` are those that it reads; it owns its search order and its limits."""

    @property
    def name(self) -> str:
        """The name that findings and `--detectors` use."""

    @property
    def languages(self) -> frozenset[str]:
        """The languages whose procedures it is asked about."""

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterable[Finding | Note]:
        """The findings of these procedures, and what of them was not analysed."""


class Subject(Queries, Protocol):
    """The Program that is evaluated."""

    anchors: Anchors

    @property
    def is_left_until_asked(self) -> bool:
        """Whether nobody will ask later what results of this tree were made of, but for trees beside it."""

    @property
    def is_read_once(self) -> bool:
        """Whether the tree is analysed for itself alone: of what is not known nothing is stored either."""

    def language(self, key: ProcedureKey) -> str:
        """The language of a procedure's file."""

    def text_digest(self, key: ProcedureKey) -> bytes:
        """Names the text and the instructions of a procedure; empty where there is none."""

    def read_of(self, question: Question) -> Read:
        """A question with what validity needs."""

    def standing(self, key: ProcedureKey, kind: str) -> bytes:
        """The mark of the cell that is known to be valid here."""

    def unchanged(self, key: ProcedureKey) -> Cell | None:
        """The cell of Effects that a patch leaves as they were."""

    def before_patch(self, keys: Sequence[ProcedureKey]) -> dict[ProcedureKey, Effects]:
        """What procedures did before a patch, places in them as if it were written there; empty where this is no patch, or not known."""

    def is_valid(self, key: ProcedureKey, cell: Cell) -> bool:
        """Whether all that a cell read is the same here."""

    def is_kept(self, key: ProcedureKey, cell: Cell) -> None:
        """A cell was made of what is here."""

    def link(self, key: ProcedureKey, queries: Queries) -> Linked | None:
        """Link a procedure anew."""

    def linked_beside(self, key: ProcedureKey, answer: bytes) -> Linked | None:
        """A procedure that was linked in the tree beside, in its place here, if that has this digest."""

    def span(self, key: ProcedureKey) -> Span:
        """The whole of a procedure."""


class _Grow(BaseException):
    """A procedure in the making was asked for: the component at `position` has these members more."""

    def __init__(self, position: int, members: frozenset[ProcedureKey]) -> None:
        super().__init__(position)
        self.position = position
        self.members = members


class _Linking(Recorder):
    """What `link` sees: Effects are not known yet."""

    def effects(self, key: ProcedureKey) -> Effects:
        """See `Queries`."""
        return UNKNOWN


class Evaluation:
    """See the module.

    known            Effects by procedure
    redone, reused   procedures that something was computed for, or taken from a cell
    failures         faults of ours that cost a procedure
    encircled        members of large circles, which were gone through once
    """

    def __init__(
        self, subject: Subject, engine: Engine, results: Results | None, rounds: Rounds | None, watch: Stopwatch
    ) -> None:
        self._subject = subject
        self._engine = engine
        self._results = results
        self._rounds = rounds
        self._watch = watch
        self._linked: dict[ProcedureKey, Linked | None] = {}
        self._linked_digests: dict[ProcedureKey, bytes] = {}
        self.known: dict[ProcedureKey, Effects] = {}
        self._effects_digests: dict[ProcedureKey, bytes] = {}
        self._components: dict[ProcedureKey, bytes] = {}
        self._findings: dict[tuple[str, ProcedureKey], tuple[Finding | Note, ...]] = {}
        self._frames: list[Frame] = []
        self._positions: dict[ProcedureKey, int] = {}
        self._failed: set[ProcedureKey] = set()
        self._linking: set[ProcedureKey] = set()
        self._noted: set[ProcedureKey] = set()
        self._due: dict[tuple[ProcedureKey, str], Callable[[], None]] = {}
        self._is_over: Callable[[], bool] = never
        self.failures: list[Note] = []
        self.encircled = 0
        self.redone: dict[ProcedureKey, None] = {}
        self.reused: dict[ProcedureKey, None] = {}

    @contextlib.contextmanager
    def until(self, is_over: Callable[[], bool]) -> Iterator[None]:
        """Begin nothing when the time is up: `TimeUp` is raised instead."""
        before, self._is_over = self._is_over, is_over
        try:
            yield
        finally:
            self._is_over = before

    def forget(self) -> None:
        """Let go of all that is known; what is asked again is taken from cells, or computed."""
        self.known.clear()
        for table in (self._linked, self._linked_digests, self._effects_digests, self._components, self._findings, self._due):
            table.clear()
        self._noted.clear()

    # --- linked

    def linked(self, key: ProcedureKey) -> Linked | None:
        """A procedure with its names resolved."""
        if key in self._linked:
            return self._linked[key]
        if key in self._linking:
            return None
        cell = self._standing(key, LINKED)
        known = self._subject.linked_beside(key, cell.digest) if cell is not None else None
        if cell is not None and known is not None:
            self._linked[key], self._linked_digests[key] = known, cell.digest
            return known
        recorder = _Linking(self._subject)
        self._linking.add(key)
        linked = self._guarded(key, "linking", lambda: self._subject.link(key, recorder), None)
        self._linking.discard(key)
        if len(self._linked) >= MAX_LINKED:
            for old in list(self._linked)[: MAX_LINKED // 2]:
                del self._linked[old]
        self._linked[key] = linked
        if self._results is not None and key not in self._linked_digests and key not in self._noted:
            self._noted.add(key)
            self._keep_when_asked(key, LINKED, lambda: self._keep_linked(key, recorder.questions))
        return linked

    def linked_before(self, key: ProcedureKey, answer: bytes) -> Linked | None:
        """A procedure that was linked already, if that has this digest."""
        return self._linked.get(key) if self._linked_digests.get(key) == answer else None

    def linked_digest(self, key: ProcedureKey) -> bytes:
        """The digest of a linked procedure, without linking it where a cell is valid."""
        found = self._linked_digests.get(key)
        if found is None:
            cell = self._valid(key, LINKED)
            if cell is None:
                linked = self.linked(key)
                return self._linked_digests.get(key) or digest(encode(_plain(linked)))
            found = self._linked_digests[key] = cell.digest
        return found

    # --- effects

    def effects(self, key: ProcedureKey) -> Effects:
        """The Effects of a procedure."""
        found = self.known.get(key)
        if found is not None:
            return found
        position = self._positions.get(key)
        if position is None:
            return self._start(key) if self._frames else deeply(lambda: self._start(key))
        frame = self._frames[position]
        if position == len(self._frames) - 1 and key in frame.table:
            return frame.table[key]
        raise _Grow(position, frozenset().union(*(each.members for each in self._frames[position:])))

    def effects_digest(self, key: ProcedureKey) -> bytes:
        """The digest of the Effects of a procedure: of what they say, not of where it lies."""
        if key not in self._effects_digests:
            cell = (self._subject.unchanged(key) or self._standing(key, EFFECTS)) if key not in self.known else None
            if cell is not None:
                self._effects_digests[key] = cell.digest
                return cell.digest
            effects = self.effects(key)
            if key not in self._effects_digests:
                self._effects_digests[key] = digest(encode(moved_effects(effects, self._subject.anchors.fix)))
        return self._effects_digests[key]

    def component_digest(self, leader: ProcedureKey) -> bytes:
        """The digest of all Effects of the component that a procedure leads; empty where no cell is valid."""
        if leader not in self._components:
            cell = self._standing(leader, COMPONENT)
            if cell is not None:
                return cell.digest
            cell = self._valid(leader, COMPONENT)
            if cell is None:
                return b""
            self._components[leader] = cell.digest
        return self._components[leader]

    def _start(self, key: ProcedureKey) -> Effects:
        self._go_on()
        position = len(self._frames)
        frame = Frame(key)
        self._frames.append(frame)
        self._positions[key] = position
        try:
            while key not in self.known:
                try:
                    if not frame.is_component:
                        self._compute_single(key)
                    else:
                        self._compute_component(frame)
                except _Grow as grow:
                    if grow.position != position:
                        raise
                    del self._frames[position + 1 :]
                    frame.grow(grow.members)
                    self._positions.update(dict.fromkeys(frame.members, position))
        finally:
            del self._frames[position:]
            for member in frame.members:
                self._positions.pop(member, None)
        return self.known[key]

    def _go_on(self) -> None:
        """TimeUp where nothing more is to begin: hundreds of procedures that call each other take minutes."""
        if self._is_over():
            raise TimeUp

    def _compute_single(self, key: ProcedureKey) -> None:
        cell = self._subject.unchanged(key) or self._valid(key, EFFECTS)
        if cell is not None and self._take(key, cell):
            return
        # What was a member of a component runs into that again by its known steps, before anything is summarised.
        step = self._rounds.find(key, STEP, {}) if self._rounds is not None else None
        if step is None and self._rounds is not None:
            self._rounds.find(key, SKETCH, {})
        recorder = Recorder(self._subject)
        if step is not None:
            recorder.questions.update(dict.fromkeys(step.questions))
        effects = step.effects if step is not None else self._summarise(key, recorder)
        self.known[key] = effects
        self._keep_when_asked(key, EFFECTS, lambda: self._keep_effects(key, recorder.questions, effects))
        self.redone[key] = None

    def _take(self, key: ProcedureKey, cell: Cell) -> bool:
        if key in self.known:
            return True
        effects = decoded(cell.value, Effects)
        if effects is None:
            return False
        self.known[key] = moved_effects(effects, self._subject.anchors.free)
        self._effects_digests[key] = cell.digest
        self.reused[key] = None
        return True

    def _compute_component(self, frame: Frame) -> None:
        for member in sorted(frame.members - frame.explored):
            self._explore(frame, member)
            frame.explored.add(member)
        members = self._callees_first(frame.members)
        recorders = {member: Recorder(self._subject) for member in members}
        frame.is_large = len(members) > MAX_CIRCLE and self._subject.language(members[0]) == "c"
        before = self._subject.before_patch(members) if not frame.is_large else {}
        if not before or not self._is_as_before(frame, members, recorders, before):
            self._from_nothing(frame, members, recorders)
        self.encircled += len(members) if frame.is_large else 0
        for member in members:
            self.known[member] = frame.table[member]
            self.redone[member] = None
        ordered = sorted(members)
        self._keep_when_asked(ordered[0], COMPONENT, lambda: self._keep_component(ordered, recorders))
        if (ordered[0], COMPONENT) in self._due:
            self._due.update(((member, EFFECTS), lambda: self.keep_due(ordered[0], COMPONENT)) for member in ordered)

    def _is_as_before(
        self, frame: Frame, members: list[ProcedureKey], recorders: dict[ProcedureKey, Recorder], before: dict[ProcedureKey, Effects]
    ) -> bool:
        """Whether the members of a circle do what they did before a patch, but for places: begun with that, a step of each says it again.
        Who would do less in a run from nothing, since only what it did itself says that it does it still, does so all the same: that errs
        towards a patch that changes nothing."""
        frame.resume(before, self._subject.anchors.fix)
        stale = set(members)
        for _ in range(MAX_ROUNDS):
            for member in members:
                if member in stale and self._is_new(frame, member, recorders, stale) and not frame.is_like(member, before[member]):
                    return False
            if not stale:
                return True
        return False

    def _from_nothing(self, frame: Frame, members: list[ProcedureKey], recorders: dict[ProcedureKey, Recorder]) -> None:
        """The fixpoint of a circle."""
        recorders.update({member: Recorder(self._subject) for member in members})
        frame.begin(members)
        stale = set(members)
        for _ in range(1 if frame.is_large else MAX_ROUNDS):
            for member in members:
                if member in stale:
                    self._is_new(frame, member, recorders, stale)
            if not stale and not frame.is_large:
                break
        else:
            settle = unsure if frame.is_large else widened
            frame.table = {member: settle(effects) for member, effects in frame.table.items()}

    def _is_new(self, frame: Frame, member: ProcedureKey, recorders: dict[ProcedureKey, Recorder], stale: set[ProcedureKey]) -> bool:
        """One step of a member: whether its Effects are others now, of which those that read them have to know."""
        self._go_on()
        stale.discard(member)
        is_new = self._advance(frame, member, recorders[member])
        if is_new:
            stale.update(each for each, recorder in recorders.items() if (EFFECTS, member) in recorder.questions)
        return is_new

    def _callees_first(self, members: set[ProcedureKey]) -> list[ProcedureKey]:
        """The members in an order that depends on nothing else: depth first along calls, from the first by key."""
        order: dict[ProcedureKey, None] = {}
        seen: set[ProcedureKey] = set()
        for root in sorted(members):
            stack = [(root, False)]
            while stack:
                key, is_done = stack.pop()
                if is_done:
                    order[key] = None
                elif key not in seen:
                    seen.add(key)
                    stack.append((key, True))
                    inside = members.intersection(self.called(key)[0])
                    stack += [(each, False) for each in sorted(inside, reverse=True)]
        return list(order)

    def called(self, key: ProcedureKey) -> tuple[Sequence[ProcedureKey], Sequence[str]]:
        """The procedures that calls of one may run, and its lambdas, without linking it where a cell is valid."""
        if key not in self._linked:
            cell = self._valid(key, LINKED)
            stored = decoded(cell.value, tuple[list[ProcedureKey], list[str]]) if cell is not None else None
            if stored is not None:
                return stored
        linked = self.linked(key)
        return (callees(linked), tuple(linked.lambdas)) if linked is not None else ((), ())

    def _advance(self, frame: Frame, member: ProcedureKey, recorder: Recorder) -> bool:
        """One step of a member: whether its Effects are others now."""
        rounds = self._rounds
        if rounds is None:
            return frame.put(member, self._summarise(member, recorder, is_sketch=frame.is_large), b"")
        kind = SKETCH if frame.is_large else STEP
        known = rounds.find(member, kind, frame.digests)
        if known is not None:
            recorder.questions.update(dict.fromkeys(known.questions))
            return frame.put(member, known.effects, known.digest)
        own = Recorder(self._subject)
        new = self._summarise(member, own, is_sketch=frame.is_large)
        recorder.questions.update(own.questions)
        if member in self._failed:
            return frame.put(member, new, digest(encode(new)))
        return frame.put(member, new, rounds.keep(member, kind, own.questions, frame.digests, new))

    def _summarise(self, key: ProcedureKey, recorder: Recorder, *, is_sketch: bool = False) -> Effects:
        linked = recorder.linked(key)
        if linked is None:
            return UNKNOWN
        summarise = self._engine.sketch if is_sketch else self._engine.summarise
        return self._guarded(key, "summarising", lambda: summarise(linked, recorder), UNKNOWN)

    def _explore(self, frame: Frame, key: ProcedureKey) -> None:
        rounds = self._rounds
        if rounds is not None and rounds.find(key, EXPLORED, frame.digests) is not None:
            return
        recorder = Recorder(self._subject)
        linked = recorder.linked(key)
        if linked is not None:
            self._guarded(key, "summarising", lambda: self._engine.explore(linked, recorder), None)
            if rounds is not None and key not in self._failed:
                rounds.keep(key, EXPLORED, recorder.questions, frame.digests, BOTTOM)

    # --- findings

    def findings(self, detector: Detector, key: ProcedureKey) -> tuple[Finding | Note, ...]:
        """What a detector says of one procedure."""
        at = (detector.name, key)
        found = self._findings.get(at)
        if found is None:
            found = self._stored_findings(detector.name, key)
            if found is None:
                found = self._detect(detector, key)
            self._findings[at] = found
        return found

    def _detect(self, detector: Detector, key: ProcedureKey) -> tuple[Finding | Note, ...]:
        recorder = Recorder(self._subject)
        recorder.questions[LINKED, key] = None
        nothing: tuple[Finding | Note, ...] = ()
        found = self._guarded(key, detector.name, lambda: tuple(detector.detect(recorder, (key,))), nothing)
        self.redone[key] = None
        if self._results is not None:
            self._keep_when_asked(key, detector.name, lambda: self._keep_findings(detector.name, key, found, recorder))
        return found

    def _keep_findings(
        self, name: str, key: ProcedureKey, found: tuple[Finding | Note, ...], recorder: Recorder
    ) -> None:
        fix = self._subject.anchors.fix
        findings = [moved_finding(each, fix) for each in found if isinstance(each, Finding)]
        notes = [moved_note(each, fix) for each in found if isinstance(each, Note)]
        spans = [span for each in findings for span in (each.acquired, each.lost, *each.exits)]
        spans += [step.span for each in findings for step in each.witness] + [each.span for each in notes]
        for path in outside(spans):
            recorder.questions["content", path] = None
        value = encode((findings, notes))
        self._keep(key, name, recorder.questions, digest(value), value)

    def _stored_findings(self, name: str, key: ProcedureKey) -> tuple[Finding | Note, ...] | None:
        cell = self._valid(key, name)
        stored = decoded(cell.value, tuple[list[Finding], list[Note]]) if cell is not None else None
        if stored is None:
            return None
        self.reused[key] = None
        free = self._subject.anchors.free
        findings, notes = stored
        return (*(moved_finding(each, free) for each in findings), *(moved_note(each, free) for each in notes))

    # --- cells

    def reads(self, key: ProcedureKey, detectors: Sequence[Detector]) -> tuple[Read, ...]:
        """What the Effects and the findings of a procedure read, other results left out."""
        for detector in detectors:
            self.findings(detector, key)
        cells = [self._whole(key, EFFECTS, lambda: self.effects(key))]
        cells += [self._whole(key, each.name, functools.partial(self.findings, each, key)) for each in detectors]
        found = {read: None for cell in cells if cell is not None for read in cell.reads if read.question[0] not in RESULTS}
        return tuple(found)

    def _whole(self, key: ProcedureKey, kind: str, compute: Callable[[], object]) -> Cell | None:
        """The valid cell, made again where a store has forgotten what it read."""
        cell = self._valid(key, kind)
        if cell is None or not cell.is_lost or self._results is None:
            return cell
        self._results.forget(key, cell)
        self.known.pop(key, None)
        self._findings.pop((kind, key), None)
        compute()
        return self._valid(key, kind)

    def _valid(self, key: ProcedureKey, kind: str) -> Cell | None:
        if self._results is None or self._subject.is_read_once:
            return None
        cell = self._standing(key, kind)
        if cell is not None:
            return cell
        text = self._subject.text_digest(key)
        return next((cell for cell in self._results.find(key, kind, text) if self._subject.is_valid(key, cell)), None)

    def _standing(self, key: ProcedureKey, kind: str) -> Cell | None:
        """The cell that is known to be valid: nothing is asked for it."""
        if self._results is None or self._subject.is_read_once:
            return None
        mark = self._subject.standing(key, kind)
        return self._results.marked(key, kind, mark) if mark else None

    def _keep_when_asked(self, key: ProcedureKey, kind: str, keep: Callable[[], None]) -> None:
        """Make a cell of a result: at once, or, where only a tree beside this one may ask for it, when that does."""
        if self._subject.is_left_until_asked and key not in self._failed:
            self._due[key, kind] = keep
        else:
            keep()

    def keep_due(self, key: ProcedureKey, kind: str) -> None:
        """Make the cell of a result that was left until somebody asks."""
        keep = self._due.pop((key, kind), None)
        if keep is not None:
            keep()

    def keep_all(self) -> None:
        """Make all cells that were left."""
        for at in list(self._due):
            self.keep_due(*at)

    def _keep_linked(self, key: ProcedureKey, questions: Iterable[Question]) -> None:
        linked = self.linked(key)
        answer = self._linked_digests[key] = digest(encode(_plain(linked)))
        called = encode((callees(linked), tuple(linked.lambdas))) if linked is not None else b""
        self._keep(key, LINKED, questions, answer, called)

    def _keep(
        self, key: ProcedureKey, kind: str, questions: Iterable[Question], answer: bytes, value: bytes
    ) -> None:
        if self._results is None or key in self._failed:
            return
        reads = tuple(self._subject.read_of(question) for question in questions)
        cell = Cell(key.name, kind, self._subject.text_digest(key), reads, answer, value)
        self._results.add(key, cell)
        self._subject.is_kept(key, cell)

    def _keep_effects(self, key: ProcedureKey, questions: dict[Question, None], effects: Effects) -> None:
        if self._results is None:
            return
        value = encode(moved_effects(effects, self._subject.anchors.fix))
        self._effects_digests[key] = digest(value)
        self._keep(key, EFFECTS, questions, digest(value), value)

    def _keep_component(self, members: list[ProcedureKey], recorders: dict[ProcedureKey, Recorder]) -> None:
        if self._results is None or not self._failed.isdisjoint(members):
            return
        leader = members[0]
        inside = {(EFFECTS, member) for member in members}
        questions: dict[Question, None] = {}
        for member in members:
            questions[LINKED, member] = None
            questions.update((each, None) for each in recorders[member].questions if each not in inside)
        fix = self._subject.anchors.fix
        values = [encode(moved_effects(self.known[member], fix)) for member in members]
        each = [(member.path, member.name, digest(value)) for member, value in zip(members, values, strict=True)]
        self._components[leader] = digest(encode(each))
        self._keep(leader, COMPONENT, questions, self._components[leader], b"")
        for member, value in zip(members, values, strict=True):
            self._effects_digests[member] = digest(value)
            self._keep(member, EFFECTS, [(COMPONENT, leader)], digest(value), value)

    def _guarded(self, key: ProcedureKey, what: str, compute: Callable[[], _T], instead: _T) -> _T:
        """A fault of ours in one procedure costs that procedure, not the run."""
        try:
            with self._watch.layer(what):
                return compute()
        except Exception as error:
            _LOG.info("%s failed", what, exc_info=True, extra={"path": key.path, "procedure": key.name})
            text = f"{key.name} not analysed: {what} failed ({type(error).__name__})"
            self.failures.append(Note(NoteKind.NOT_MODELLED, self._subject.span(key), text))
            self._failed.add(key)
            return instead


def _plain(linked: Linked | None) -> Linked | None:
    return msgspec.structs.replace(linked, body=without_position(linked.body)) if linked is not None else None
