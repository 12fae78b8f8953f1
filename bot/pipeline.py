"""The one way: from a change and a config to a Report. The only place where all folders meet."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

import analyzers
import fixers
from analyzers import Analysis, Detector, Program, ir
from analyzers.collection import young_only
from analyzers.deep import deeply
from analyzers.detectors import DETECTORS
from analyzers.detectors.leakchecker import LeakChecker
from analyzers.detectors.leakchecker.events import Events, missing
from analyzers.finding import LIVE_AT_EXIT, Confidence, Finding, Note, NoteKind
from analyzers.habits import Users, without_habits
from analyzers.incremental import trust
from analyzers.means import never, nobody
from analyzers.queries import ProcedureKey
from analyzers.source import LineIndex, Span
from analyzers.specs import SpecError, SpecLibrary
from analyzers.specs import load as load_specs
from analyzers.summaries import SummaryStore
from analyzers.tree import Tree
from bot.alignment import Side, align
from bot.baseline import from_tree as baseline_of
from bot.build_files import BuildFiles
from bot.changes import ChangeSet
from bot.config import Config
from bot.errors import CannotRun
from bot.globs import matches
from bot.merging import merged, without_halves, without_leftovers
from bot.outcomes import believed, fingerprint, is_enough, is_test, names, spans
from bot.processes import Processes
from bot.report import Outcome, Report
from bot.scope import affected, counterpart, renames
from bot.suppression import Silenced, silence
from bot.widening import new_exits
from bot.withdrawing import taken_out
from fixers.fix import Declined, Fix

T = TypeVar("T")

Progress = Callable[[str, int, int], None]
"""Told the stage of a run, how much of it is done, and of how much."""

OLD = "it was here before this change: `leakmend fix PATH` mends what stands"
"""Why a review mends nothing that the change did not introduce."""

FEW_FIXES = 12
"""Up to so many findings, starting processes for their fixes costs more than it brings."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What one run is asked for beside its config. It ends early after `time_budget` seconds, or where `is_over` says so."""

    detectors: tuple[str, ...] = ()
    min_confidence: Confidence | None = None
    time_budget: float | None = None
    jobs: int = 1
    store: SummaryStore | None = None
    progress: Progress = nobody
    is_over: Callable[[], bool] = never


def run(change: ChangeSet, config: Config, asked: Asked | None = None) -> Report:
    """Analyse a change, or all of a tree: what is found, what is introduced, what mends it."""
    with young_only():
        return deeply(_Run(change, config, asked or Asked()).report)


def learn(change: ChangeSet, config: Config, asked: Asked) -> int:
    """Analyse all of a tree for later reviews beside it, into the store. How many procedures and files are left undone."""
    with young_only():
        return deeply(_Run(change, config, asked).learned)


class _Run:
    def __init__(self, change: ChangeSet, config: Config, asked: Asked) -> None:
        self._change, self._config, self._asked = change, config, asked
        events = events_of(config)
        self._detectors = chosen(asked.detectors, events)
        self._baseline = baseline_of(change.settings)
        self._builds = BuildFiles(change.after)
        specs = library(change.settings, config)
        # The base comes first: more is known of it, and the head asks again only for what the change touches.
        first = self._known(change.before or change.after, specs)
        self._before = first if change.before is not None else None
        self._after = first.beside(change.after) if change.before is not None else first
        check_events(self._after, events)
        self._seconds: dict[str, float] = {}
        self._is_scope_cut = False
        self._end = time.monotonic() + asked.time_budget if asked.time_budget else None
        workers = Processes(asked.jobs)
        self._means = analyzers.Means(workers, self._is_over, asked.progress)

    def report(self) -> Report:
        change = self._change
        start = time.monotonic()
        scope, known_scope = self._timed("scope", self._scopes)
        # The base first: should the time run out, nothing old is taken for new.
        known = self._timed("base", lambda: self._analyse(self._before, known_scope))
        found = self._timed("head", lambda: self._analyse(self._after, scope))
        outcomes, gone = self._timed("fixes", lambda: self._outcomes(found, scope, known.findings))
        for program in (self._before, self._after):
            if program is not None:
                program.save()
        self._remember()
        silenced = self._silence(outcomes, scope)
        every_note = {*change.notes, *found.notes, *silenced.notes, *self._file_notes(), *self._scope_notes()}
        notes = sorted(every_note, key=lambda note: (note.span, note.kind, note.text))
        fixed = tuple(outcome for outcome in gone if self._baseline.entry(outcome.fingerprint) is None)
        self._seconds["seconds"] = time.monotonic() - start
        return Report(
            outcomes=silenced.kept,
            fixed=fixed,
            suppressed=silenced.suppressed,
            notes=tuple(notes),
            sources=_sources(change.after, outcomes, notes),
            baseline_sources=_sources(change.before, fixed, ()),
            complete=found.complete and known.complete and not self._is_scope_cut,
            stats={**found.stats, **self._after.stats, **self._counts(scope), **self._seconds},
            base=change.base,
            head=change.head,
            repository=change.repository,
            hunks={file.after: file.ranges for file in change.files if file.after},
            remarks=change.remarks,
            changed_settings=change.changed_settings,
        )

    def learned(self) -> int:
        """See `learn`."""
        scope, _ = self._scopes()
        found = self._analyse(self._after, scope)
        self._after.save()
        self._remember()
        return found.undone

    def _known(self, tree: Tree, specs: SpecLibrary) -> Program:
        """A Program over a tree, beside the nearest one that an earlier run knew."""
        store, earlier = self._asked.store, self._change.earlier
        near = trust.nearest(store, self._change.repository, tree) if store is not None and earlier is not None else {}
        if near and earlier is not None:
            return analyzers.load(earlier(sorted(near.items())), specs, store, self._options()).beside(tree)
        return analyzers.load(tree, specs, store, self._options())

    def _remember(self) -> None:
        """Let later runs know of these trees."""
        change, store = self._change, self._asked.store
        if store is not None and change.earlier is not None:
            committed = change.after if change.head is not None else None
            trust.remember(store, change.repository, [each for each in (committed, change.before) if each is not None])

    # --- the stages

    def _scopes(self) -> tuple[Sequence[ProcedureKey], Sequence[ProcedureKey]]:
        """What is analysed in the head and in the base."""
        if self._before is None:
            analyzers.prepare(self._after, self._means)
            return self._reported(self._after.procedures()), ()
        scope = affected(self._after, self._before, self._change.files, self._detectors, self._means)
        self._is_scope_cut = not scope.is_complete
        return self._reported(scope.after), self._reported(scope.before)

    def _reported(self, keys: Iterable[ProcedureKey]) -> Sequence[ProcedureKey]:
        """Procedures of files whose findings are wanted."""
        wanted: dict[str, bool] = {}
        for key in keys:
            if key.path not in wanted:
                path = self._change.prefix + key.path
                local = self._config.at(path)
                wanted[key.path] = local.has(path) and not (local.tests == "off" and is_test(path))
        return tuple(key for key in keys if wanted[key.path])

    def _analyse(self, program: Program | None, scope: Sequence[ProcedureKey]) -> Analysis:
        if program is None:
            return Analysis((), (), {})
        analysis = analyzers.analyze(program, scope, self._detectors, self._means)
        if self._before is None:
            return analysis
        kept = tuple(finding for finding in analysis.findings if finding.detail != LIVE_AT_EXIT)
        return msgspec.structs.replace(analysis, findings=kept)

    def _outcomes(
        self, analysis: Analysis, scope: Sequence[ProcedureKey], known: Sequence[Finding]
    ) -> tuple[tuple[Outcome, ...], tuple[Outcome, ...]]:
        """The findings of the head with their names and answers, and those of the base that are gone."""
        prefix = self._change.prefix
        alone = analysis.findings
        partners: list[Finding | None] = [None] * len(alone)
        widened: dict[int, Finding] = {}
        gone: list[Finding] = []
        if self._before is not None:
            alignment = align(known, alone, self._change.files, _side(self._before), _side(self._after))
            partners = [None if index is None else known[index] for index in alignment.partner]
            widened = self._widened(alone, partners)
            gone = [known[index] for index in alignment.gone if not self._is_undone(known[index], analysis.notes)]
        both = self._taken_out(alone)
        found, partners = (*alone, *both), [*partners, *(None for _ in both)]
        told = [
            (widened.get(index, finding), partner is None or index in widened, name)
            for index, (finding, partner, name) in enumerate(zip(found, partners, names(found, partners, prefix), strict=True))
        ]
        new = [index for index, (_, is_new, _) in enumerate(told) if is_new]
        judged = without_habits([finding for finding, _, _ in told], new, Users(self._after.callers, self._beside, frozenset(scope)))
        told = [(finding, is_new, name) for finding, (_, is_new, name) in zip(judged, told, strict=True)]
        wanted = [each for each in told if self._is_wanted(each[0])]
        answers = self._answers([(finding, is_new) for finding, is_new, _ in wanted])
        outcomes = [
            Outcome(
                finding=believed(finding, answer),
                answer=answer,
                fingerprint=name.fingerprint,
                was=name.was,
                introduced=is_new if self._before is not None else None,
                is_test=is_test(prefix + finding.path),
            )
            for (finding, is_new, name), answer in zip(wanted, answers, strict=True)
        ]
        lost = [
            Outcome(finding=finding, answer=Declined(finding, "fixed"), fingerprint=fingerprint(finding, prefix))
            for finding in gone
            if self._is_wanted(finding)
        ]
        outcomes = [each for each in outcomes if self._is_wanted(each.finding)]
        joined = merged(outcomes, self._fix_together, self._fix_behind)
        joined = without_halves(joined, lambda one, other: fixers.belong_together(one, other, self._after))
        return without_leftovers(joined, lambda answer: fixers.left_over(answer, self._after)), tuple(lost)

    def _beside(self, keys: Sequence[ProcedureKey]) -> Sequence[Finding]:
        """The findings of procedures of the head that are not reported."""
        return self._analyse(self._after, keys).findings

    def _widened(self, found: Sequence[Finding], partners: Sequence[Finding | None]) -> dict[int, Finding]:
        """The findings, by index, that were there before and are lost on more ways now, told by one of these; where that is no
        less sure than before."""
        if self._before is None:
            return {}
        diffs = {file.before: file for file in self._change.files if file.before and file.after}
        base, head = functools.cache(_lines(self._before)), functools.cache(_lines(self._after))
        result: dict[int, Finding] = {}
        for index, (finding, partner) in enumerate(zip(found, partners, strict=True)):
            exits = new_exits(partner, finding, diffs, base, head) if partner is not None else ()
            anew = analyzers.retold(self._after, finding, exits) if exits and partner is not None else None
            if anew is not None and partner is not None and anew.detail != LIVE_AT_EXIT and (
                anew.confidence is Confidence.WITNESSED or partner.confidence is Confidence.ASSUMED
            ):
                result[index] = anew
        return result

    def _taken_out(self, found: Sequence[Finding]) -> tuple[Finding, ...]:
        """What only both sides together tell of."""
        if self._before is None or self._asked.detectors or self._is_over():
            return ()
        return taken_out(self._before, self._after, self._change.files, found, self._reported)

    def _is_undone(self, finding: Finding, notes: Iterable[Note]) -> bool:
        """Whether the head's side of a finding's procedure was not looked at to its end: the time was up, or the steps were."""
        key = counterpart(ProcedureKey(finding.path, finding.procedure), renames(self._change.files))
        undone = [note.span for note in notes if note.kind is NoteKind.BUDGET and note.span.path == key.path]
        if not undone:
            return False
        whole = self._after.span(key)
        return any(whole.start <= each.start and each.end <= whole.end for each in undone)

    # --- fixes

    def _answers(self, findings: Sequence[tuple[Finding, bool]]) -> list[Fix | Declined]:
        """An answer for each finding. In a review only what the change introduces is mended: the rest is not its business."""
        new = [finding for finding, is_new in findings if is_new]
        answers = iter(self._fixes(new))
        return [next(answers) if is_new else Declined(finding, OLD) for finding, is_new in findings]

    def _fixes(self, findings: Sequence[Finding]) -> list[Fix | Declined]:
        """A fix for each finding, in the processes at hand where there are many."""
        if len(findings) <= FEW_FIXES or self._asked.jobs < 2:
            here = []
            for number, finding in enumerate(findings):
                self._asked.progress("fixes", number, len(findings))
                here.append(self._fix(finding))
            return here
        result: list[Fix | Declined] = []
        for finding, answer in zip(findings, Processes(self._asked.jobs).map(self._fix, findings), strict=True):
            self._asked.progress("fixes", len(result), len(findings))
            result.append(answer or Declined(finding, "the process that looked for a fix ended"))
        return result

    def _fix(self, finding: Finding) -> Fix | Declined:
        if self._is_over():
            return Declined(finding, "no fix was looked for: the time is up", is_unchecked=True)
        return fixers.fix(finding, self._after, self._fix_options(finding.path))

    def _fix_together(self, fixes: Sequence[Fix]) -> Fix | None:
        return fixers.fix_together(fixes, self._after, self._fix_options(fixes[0].finding.path))

    def _fix_behind(self, fixes: Sequence[Fix], half: Fix | Declined) -> Fix | None:
        return None if self._is_over() else fixers.fix_behind(fixes, half, self._after, self._fix_options(half.finding.path))

    def _fix_options(self, path: str) -> fixers.Options:
        local = self._config.at(self._change.prefix + path)
        release = local.release or self._builds.patch_release(path)
        return fixers.Options(java_release=release, c_standard=local.standard or "", detectors=self._detectors)

    # --- what is wanted

    def _is_over(self) -> bool:
        return (self._end is not None and time.monotonic() >= self._end) or self._asked.is_over()

    def _file_notes(self) -> Iterator[Note]:
        """What of the files in question was not read, also of those without a procedure."""
        changed = (file.after for file in self._change.files)
        for path in self._after.paths() if self._before is None else changed:
            if self._config.at(self._change.prefix + path).has(self._change.prefix + path):
                yield from self._after.notes_of(path)

    def _scope_notes(self) -> Iterator[Note]:
        """That users of what changed were not all looked for."""
        if self._is_scope_cut:
            path = min((file.after or file.before for file in self._change.files), default="")
            yield Note(NoteKind.BUDGET, Span(path, 0, 0), "users of what changed were not all looked for: the time is up")

    def _is_wanted(self, finding: Finding) -> bool:
        local = self._config.at(self._change.prefix + finding.path)
        return is_enough(finding, self._asked.min_confidence or local.min_confidence)

    def _silence(self, outcomes: Sequence[Outcome], scope: Sequence[ProcedureKey]) -> Silenced:
        paths = {key.path for key in scope} | {outcome.finding.acquired.path for outcome in outcomes}
        files = self._change.files if self._before is not None else None
        silenced = silence(outcomes, paths, self._after.source, self._after.unit, self._baseline, files, self._body)
        return msgspec.structs.replace(silenced, notes=()) if self._asked.detectors else silenced

    def _body(self, finding: Finding) -> ir.Procedure | None:
        linked = self._after.linked(ProcedureKey(finding.path, finding.procedure)) if finding.procedure else None
        return linked.body if linked is not None else None

    # --- the frame

    def _options(self) -> analyzers.Options:
        release = self._config.java.release or self._builds.java_release("")
        ignored = self._config.java.exceptions.ignore
        events = events_of(self._config)
        told = (*(f"check {name}" for name in events.check), *(f"region {name}" for name in events.regions))
        is_read_once = self._change.before is None and self._asked.store is None
        options = analyzers.Options(ignored_exceptions=ignored, told_detectors=told, is_read_once=is_read_once)
        return msgspec.structs.replace(options, java_release=release) if release else options

    def _timed(self, stage: str, work: Callable[[], T]) -> T:
        self._asked.progress(stage, 0, 1)
        start = time.monotonic()
        result = work()
        self._seconds[f"wall {stage}"] = time.monotonic() - start
        return result

    def _counts(self, scope: Sequence[ProcedureKey]) -> dict[str, float]:
        programs = [program for program in (self._after, self._before) if program is not None]
        return {
            "files": float(len(self._after.paths())),
            "procedures in scope": float(len(scope)),
            "procedures redone": float(sum(len(program.redone) for program in programs)),
            "procedures reused": float(sum(len(program.reused) for program in programs)),
            "procedures in large circles": float(sum(program.encircled for program in programs)),
        }


def library(settings: Tree, config: Config) -> SpecLibrary:
    """The models in force: the built-in ones and those of the repository that the settings are of."""
    own = [
        (path, settings.read(path).decode("utf-8", "replace"))
        for path, _ in settings.paths()
        if matches(path, config.specs.files)
    ]
    try:
        return load_specs(("c", "java"), own)
    except SpecError as error:
        raise CannotRun(str(error)) from None


def chosen(wanted: Sequence[str], events: Events) -> tuple[Detector, ...]:
    """The detectors of these names; all of them where none is named."""
    configured = (LeakChecker(events) if isinstance(detector, LeakChecker) else detector for detector in DETECTORS)
    known: dict[str, Detector] = {detector.name: detector for detector in configured}
    for name in wanted:
        if name not in known:
            raise CannotRun(f"no detector is called {name!r}: there are {', '.join(sorted(known))}")
    return tuple(detector for name, detector in known.items() if not wanted or name in wanted)


def events_of(config: Config) -> Events:
    """The loops and regions that the config names, those for some paths among them."""
    tables = [config.java.loops, *(each.loops for each in config.override if each.loops is not None)]
    return Events(
        tuple(dict.fromkeys(name for table in tables for name in table.check)),
        tuple(dict.fromkeys(name for table in tables for name in table.regions)),
    )


def check_events(program: Program, events: Events) -> None:
    """CannotRun where a named loop or region does not exist."""
    for name in (*events.check, *events.regions):
        found = missing(program, name)
        if found is not None:
            advice = f", did you mean `{found}`?" if found else ""
            raise CannotRun(f"[java.loops]: no procedure of the head is called `{name}`{advice}")


def _side(program: Program) -> Side:
    def body(path: str, name: str) -> bytes | None:
        key = ProcedureKey(path, name)
        if program.procedure(key) is None:
            return None
        span = program.span(key)
        return program.source(path)[span.start : span.end]

    return Side(program.source, body)


def _lines(program: Program) -> Callable[[str], LineIndex]:
    return lambda path: LineIndex(program.source(path))


def _sources(tree: Tree | None, outcomes: Sequence[Outcome], notes: Iterable[Note]) -> dict[str, bytes]:
    """The files that anything in the report points into."""
    wanted = {span.path for span in spans(outcome.finding for outcome in outcomes)}
    wanted |= {note.span.path for note in notes if note.span.end > 0}
    for outcome in outcomes:
        if isinstance(outcome.answer, Fix):
            wanted |= {edit.span.path for edit in outcome.answer.edits}
    found = {}
    for path in sorted(wanted):
        try:
            found[path] = tree.read(path) if tree is not None else b""
        except OSError:
            found[path] = b""
    return found
