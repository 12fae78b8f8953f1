"""Asks each detector for the findings of a scope, and combines them.

Cold runs are shared among processes: first files are lowered, then groups of procedures analysed. Who does what makes no
difference to any result. When the time is up, procedures that were not begun stay undone: each is a Note.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from analyzers.collection import collect, young_only
from analyzers.combine import combine
from analyzers.deep import deeply
from analyzers.finding import Finding, Note, NoteKind
from analyzers.incremental.blobs import Lowered, decoded, encode
from analyzers.incremental.evaluation import Detector
from analyzers.incremental.program import Contribution, Program
from analyzers.means import Means, TimeUp, Workers
from analyzers.queries import ProcedureKey
from analyzers.schedule import scheduled
from analyzers.screen import SCREENED, Screen
from analyzers.source import Span

FILES_PER_TASK = 8

FEW_PROCEDURES = 300
FEW_FILES = 60
"""Up to so many, starting processes costs more than it brings."""


class Analysis(msgspec.Struct, frozen=True):
    """What came of analysing a scope. `undone`: the procedures and files that the time was up for; what a detector gave up after so many
    steps is a Note, and no other run would get further."""

    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    stats: Mapping[str, float]
    undone: int = 0

    @property
    def complete(self) -> bool:
        """False when the time budget cut the run."""
        return not self.undone


class _Found(msgspec.Struct, frozen=True, array_like=True):
    """What came of some procedures, fit to be sent to another process."""

    findings: list[Finding]
    notes: list[Note]
    undone: list[ProcedureKey]


def analyze(
    program: Program,
    scope: Sequence[ProcedureKey] | None = None,
    detectors: Sequence[Detector] | None = None,
    means: Means | None = None,
) -> Analysis:
    """The findings of the procedures in `scope` (None: all of the tree)."""
    if detectors is None:
        from analyzers.detectors import DETECTORS

        detectors = DETECTORS
    run = _Run(program, tuple(detectors), means or Means())
    with young_only():
        return deeply(lambda: run.whole() if scope is None else run.procedures(scope, ()))


def prepare(program: Program, means: Means) -> None:
    """Lower and index, in the processes at hand, what a run over the whole tree will want."""
    deeply(_Run(program, (), means).lower_all)


def lower(program: Program, paths: Iterable[str], means: Means) -> None:
    """Lower some files, in the processes at hand where there are many."""
    deeply(lambda: _Run(program, (), means).lower(paths))


def _by_detectors(findings: Iterable[Finding]) -> dict[str, float]:
    """Which stages the reports come from."""
    counts = collections.Counter(f"reports of {' and '.join(finding.detectors)}" for finding in findings)
    return {name: float(count) for name, count in sorted(counts.items())}


class _Run:
    def __init__(self, program: Program, detectors: tuple[Detector, ...], means: Means) -> None:
        self._program = program
        self._detectors = detectors
        self._means = means
        self._screen: Screen | None = None

    def whole(self) -> Analysis:
        """All of the tree."""
        unread = self.lower_all()
        paths = [path for path in self._program.paths() if path not in unread]
        keys = tuple(key for path in paths for key in self._program.procedures_of(path))
        notes = [Note(NoteKind.BUDGET, Span(path, 0, 0), "not analysed: the time is up") for path in sorted(unread)]
        notes += [note for path in paths for note in self._program.notes_of(path)]
        found = self.procedures(keys, notes)
        return msgspec.structs.replace(found, undone=found.undone + len(unread))

    def procedures(self, keys: Sequence[ProcedureKey], notes: Iterable[Note]) -> Analysis:
        """Some procedures. `notes` are those of their files, where they are known already."""
        program = self._program
        self._screen = Screen(program) if program.is_read_once and len(keys) > FEW_PROCEDURES else None
        told = list(notes) or [n for path in dict.fromkeys(key.path for key in keys) for n in program.notes_of(path)]
        findings: list[Finding] = []
        undone: list[ProcedureKey] = []
        for found in self._parts(keys):
            findings += found.findings
            told += found.notes
            undone += found.undone
        told += [Note(NoteKind.BUDGET, program.span(key), f"{key.name} not analysed: the time is up") for key in undone]
        told += program.notes
        ordered = sorted(set(told), key=lambda note: (note.span, note.kind, note.text))
        combined = combine(findings)
        return Analysis(combined, tuple(ordered), {**program.stats, **_by_detectors(combined)}, len(undone))

    # --- detection

    def _parts(self, keys: Sequence[ProcedureKey]) -> Iterable[_Found]:
        workers = self._means.workers
        if workers is None or workers.jobs < 2 or len(keys) <= FEW_PROCEDURES:
            yield self._detect(keys)
            return
        self._program.ready()
        lanes = scheduled(self._program.calls(), keys, workers.jobs)
        done = 0
        for group, answer in workers.share(self._contribute, lanes):
            self._means.progress("analysis", done, len(keys))
            done += len(group)
            yield self._accepted(group, answer)

    def _contribute(
        self, group: Sequence[ProcedureKey], news: Sequence[bytes]
    ) -> tuple[tuple[bytes, Contribution], bytes]:
        """In another process: the findings of a group, and what else was computed for them."""
        program = self._program
        for each in news:
            program.learn(each)
        before = program.milestone()
        found = self._detect(group)
        return (encode(found), program.contribution(before)), program.news(before)

    def _accepted(self, group: Sequence[ProcedureKey], answer: tuple[bytes, Contribution] | None) -> _Found:
        found = decoded(answer[0], _Found) if answer is not None else None
        if answer is None or found is None:
            text = "not analysed: its process ended"
            return _Found([], [Note(NoteKind.NOT_MODELLED, self._program.span(key), text) for key in group], [])
        self._program.accept(answer[1])
        return found

    def _detect(self, keys: Sequence[ProcedureKey]) -> _Found:
        program, means = self._program, self._means
        found = _Found([], [], [])
        is_here = means.workers is None or len(keys) <= FEW_PROCEDURES
        for number, key in enumerate(keys):
            if means.is_over():
                found.undone.extend(keys[number:])
                break
            if is_here and number % 50 == 0:
                means.progress("analysis", number, len(keys))
            mark = program.mark
            try:
                with program.until(means.is_over):
                    told = [each for detector in self._asked(key) for each in program.findings(detector, key)]
            except TimeUp:
                program.drop_after(mark)
                found.undone.extend(keys[number:])
                break
            found.findings.extend(each for each in told if isinstance(each, Finding))
            found.notes.extend(each for each in told if isinstance(each, Note))
            if means.is_over():
                program.drop_after(mark)
            collect()
        return found

    def _asked(self, key: ProcedureKey) -> list[Detector]:
        """The detectors that may tell something of a procedure."""
        language = self._program.language(key)
        able = [each for each in self._detectors if language in each.languages]
        if self._screen is None or self._screen.may_acquire(key):
            return able
        return [each for each in able if each.name not in SCREENED]

    # --- lowering

    def lower_all(self) -> frozenset[str]:
        """Lower all files of the tree; see `lower`."""
        return self.lower(self._program.paths())

    def lower(self, paths: Iterable[str]) -> frozenset[str]:
        """Lower those files that are not lowered yet; the paths of those that were left when the time was up."""
        program, means = self._program, self._means
        missing = [path for path in paths if not program.is_lowered(path)]
        workers = means.workers
        if workers is not None and workers.jobs > 1 and len(missing) > FEW_FILES:
            return self._lower_elsewhere(missing, workers)
        for number, path in enumerate(missing):
            if means.is_over():
                return frozenset(missing[number:])
            if number % 20 == 0:
                means.progress("lowering", number, len(missing))
            program.procedures_of(path)
        return frozenset()

    def _lower_elsewhere(self, missing: list[str], workers: Workers) -> frozenset[str]:
        groups = [missing[start : start + FILES_PER_TASK] for start in range(0, len(missing), FILES_PER_TASK)]
        for number, (_, lowered) in enumerate(workers.share(self._lower, [groups])):
            self._means.progress("lowering", number, len(groups))
            for path, each in lowered or ():
                self._program.take(path, each)
        return frozenset(path for path in missing if self._means.is_over() and not self._program.is_lowered(path))

    def _lower(self, paths: Sequence[str], _: Sequence[bytes]) -> tuple[list[tuple[str, Lowered]], bytes]:
        """In another process: lower some files; those that cannot be read are left to the parent."""
        found: list[tuple[str, Lowered]] = []
        for path in paths:
            if self._means.is_over():
                break
            lowered = self._program.lowered(path)
            if lowered is not None:
                found.append((path, lowered))
        return found, b""
