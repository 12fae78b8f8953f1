"""The commands: from what was typed to a report, a diff, or a changed file, and to an exit status."""

from __future__ import annotations

import contextlib
import datetime
import importlib
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from analyzers.finding import Confidence
from analyzers.specs import SpecLibrary
from analyzers.tree import Tree
from bot import baseline as baselines
from bot import changes
from bot.cache import Remembered, cache_folder, recall, remember
from bot.changes import ChangeSet
from bot.config import Config, from_tree, parse
from bot.console import (
    NOTHING,
    log_to_stderr,
    page_of_stdout,
    progress_bar,
    say,
    write_atomically,
    write_report,
)
from bot.errors import CannotRun
from bot.report import Outcome, Report
from bot.store import SqliteStore
from bot.trees import BASELINE_FILE


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed: the parameters of all commands, each with what it is where it was left out."""

    paths: tuple[str, ...] = ()
    repo: str = "."
    base: str | None = None
    head: str | None = None
    id: str = ""
    reason: str = ""
    in_place: bool = False
    annotate: bool = False
    unsafe: tuple[str, ...] = ()
    form: Literal["text", "json", "sarif", "html", "markdown"] = "text"
    inferred: bool = False
    output: str | None = None
    config: str | None = None
    jobs: int | None = None
    no_cache: bool = False
    min_confidence: Confidence | None = None
    fail_on: Literal["never", "witnessed", "assumed"] | None = None
    detectors: str | None = None
    time_budget: float | None = None
    stats: bool = False
    verbose: bool = False
    kind: Literal["comment", "mend"] = "mend"
    webhook: str = ""
    organization: str = ""
    name: str = ""


def given(parameters: Mapping[str, object]) -> Given:
    """The parameters of a command line, typed."""
    typed = msgspec.convert(dict(parameters), Given)
    log_to_stderr(logging.INFO if typed.verbose else NOTHING)
    return typed


# --- the commands


def review(asked: Given) -> int:
    """`leakmend review`."""
    with _change_of_repository(asked) as change:
        return _reported(_run(change, asked), change, asked)


def scan(asked: Given) -> int:
    """`leakmend scan`."""
    change = _change_of_paths(asked)
    if asked.annotate:
        from bot.annotating import annotated

        _print_diff(annotated(change, _config(change.settings, asked)), asked)
        return 0
    return _reported(_run(change, asked), change, asked)


def fix(asked: Given) -> int:
    """`leakmend fix`: the diff on standard output, everything else on standard error."""
    from bot.patching import apply_to, patch_of
    from bot.reporters.view import plural

    if asked.paths and (asked.base or asked.head):
        raise CannotRun("give PATHs to mend what is there, or --base to mend what a change introduces, not both")
    with contextlib.ExitStack() as stack:
        change = (
            _change_of_paths(asked) if asked.paths else stack.enter_context(_change_of_repository(asked))
        )
        report = _run(change, asked)
        patch = patch_of(report, [each for listed in asked.unsafe for each in listed.split(",") if each])
        if asked.in_place:
            if change.folder is None or change.head is not None:
                raise CannotRun("--in-place changes files on disk: leave out --head, or give PATHs")
            apply_to(change.folder, patch)
        else:
            _print_diff(patch.diff, asked)
    rest = len(report.introduced) - len(patch.mended)
    say(f"{len(patch.mended)} mended in {plural(len(patch.files), 'file')}, {rest} not")
    for outcome in patch.left:
        say(f"left out, its fix overlaps another: {outcome.fingerprint}; run again after applying")
    unmended = tuple(outcome for outcome in report.outcomes if outcome not in patch.mended)
    return _status(msgspec.structs.replace(report, outcomes=unmended), asked.fail_on or "never")


def explain(asked: Given) -> int:
    """`leakmend explain`."""
    from bot.reporters import terminal

    remembered, outcome = _finding(asked)
    page = page_of_stdout(remembered.folder, is_stats=False)
    write_report(terminal.explained(outcome, remembered.report, page), None)
    return 0


def ignore(asked: Given) -> int:
    """`leakmend ignore`."""
    if not asked.reason.strip():
        raise CannotRun("--reason must say why: it stands in the baseline for those who read it")
    remembered, outcome = _finding(asked)
    finding = outcome.finding
    entry = baselines.Entry(
        fingerprint=outcome.fingerprint,
        rule=finding.rule,
        path=remembered.prefix + finding.path,
        procedure=finding.procedure,
        reason=" ".join(asked.reason.split()),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )
    target = remembered.home / BASELINE_FILE
    if not remembered.home.is_dir() or (remembered.home / "objects").is_dir():
        raise CannotRun(f"{remembered.home} has no working tree to write {BASELINE_FILE} into")
    known = baselines.parse(target.read_bytes(), str(target)) if target.exists() else baselines.Baseline()
    try:
        target.parent.mkdir(exist_ok=True)
        write_atomically(target, known.with_entry(entry).text())
    except OSError as error:
        raise CannotRun(f"cannot write {target}: {error.strerror}") from None
    say(f"{outcome.fingerprint} is ignored from now on in scans, and in reviews once {BASELINE_FILE} is on the base branch")
    return 0


def specs(asked: Given) -> int:
    """`leakmend specs`."""
    from analyzers.specs import describe
    from bot import pipeline

    folder = Path(asked.repo)
    if not folder.is_dir():
        raise CannotRun(f"no such folder: {folder}")
    home = changes.home_of(Path(os.path.abspath(folder)))
    settings = changes.folder_settings(home)
    library = pipeline.library(settings, _config(settings, asked))
    rows = describe(library) if not asked.inferred else _inferred(folder, library)
    if asked.form == "json":
        text = msgspec.json.format(msgspec.json.encode(rows), indent=1).decode() + "\n"
    else:
        import templates

        text = templates.render("inferred.txt" if asked.inferred else "specs.txt", rows=rows)
    write_report(text, Path(asked.output) if asked.output else None)
    return 0


def _inferred(folder: Path, library: SpecLibrary) -> list[dict[str, str | int]]:
    """What the code of a folder tells of its functions, with the line that shows it."""
    from analyzers import load
    from analyzers.inferred import inferred
    from analyzers.source import LineIndex
    from bot.trees import FolderTree

    tree = FolderTree(folder)
    digests = dict(tree.paths())
    lines: dict[str, LineIndex] = {}
    rows: list[dict[str, str | int]] = []
    for each in inferred(load(tree, library)):
        path = each.where.path
        if path not in lines and path in digests:
            lines[path] = LineIndex(tree.read(path))
        line = lines[path].line(each.where.start) if path in lines else 0
        rows.append({"kind": each.kind, "name": each.name, "effect": each.effect, "why": each.why, "path": path, "line": line})
    return rows


# --- from what was typed to a report


@contextlib.contextmanager
def _change_of_repository(asked: Given) -> Iterator[ChangeSet]:
    try:
        from bot.repository import Repository
    except ImportError:
        raise CannotRun("git is not installed, or not on PATH") from None
    repository = Repository(Path(asked.repo))
    try:
        with changes.review(repository, asked.base, asked.head) as change:
            yield change
    finally:
        repository.close()


def _change_of_paths(asked: Given) -> ChangeSet:
    if not asked.paths:
        raise CannotRun("name at least one file or folder, `.` for this one")
    return changes.scan([Path(path) for path in asked.paths])


def _config(settings: Tree, asked: Given) -> Config:
    if asked.config is None:
        return from_tree(settings)
    try:
        return parse(Path(asked.config).read_bytes(), asked.config)
    except OSError as error:
        raise CannotRun(f"cannot read {asked.config}: {error.strerror}") from None


def _run(change: ChangeSet, asked: Given) -> Report:
    from bot import pipeline

    config = _config(change.settings, asked)
    with contextlib.ExitStack() as stack:
        store = None if asked.no_cache else stack.enter_context(SqliteStore(cache_folder() / "results.sqlite"))
        report = pipeline.run(
            change,
            config,
            pipeline.Asked(
                detectors=tuple(name.strip() for name in (asked.detectors or "").split(",") if name.strip()),
                min_confidence=asked.min_confidence,
                time_budget=asked.time_budget or config.scan.time_budget,
                jobs=asked.jobs or os.cpu_count() or 1,
                store=store,
                progress=stack.enter_context(progress_bar()),
            ),
        )
    return report if store is None else msgspec.structs.replace(report, notes=(*report.notes, *store.notes))


def _reported(report: Report, change: ChangeSet, asked: Given) -> int:
    folder = str(change.folder) if change.folder is not None else ""
    page = page_of_stdout(folder, is_stats=asked.stats)
    output = Path(asked.output) if asked.output else None
    if output is not None:
        page = msgspec.structs.replace(page, has_color=False, has_links=False)
    reporter = importlib.import_module(f"bot.reporters.{'terminal' if asked.form == 'text' else asked.form}")
    text = reporter.render(report, page)
    write_report(text, output)
    if not asked.no_cache:
        places = {Path.cwd(), change.home, change.folder or change.home}
        remember(Remembered(report, change.home, folder, change.prefix), places)
    return _status(report, asked.fail_on or "witnessed")


def _print_diff(diff: str, asked: Given) -> None:
    from bot.reporters.terminal import styled_diff

    output = Path(asked.output) if asked.output else None
    page = page_of_stdout("", is_stats=False)
    write_report(diff if output else styled_diff(diff, page), output)


def _finding(asked: Given) -> tuple[Remembered, Outcome]:
    """The last report of the folder, and the one finding in it that was meant."""
    from bot.patching import find

    folder = Path(os.path.abspath(asked.repo))
    remembered = recall(folder)
    if remembered is None:
        raise CannotRun(f"no run is remembered for {folder}: `leakmend review` or `leakmend scan` first")
    report = remembered.report
    everything = [*report.outcomes, *(silenced.outcome for silenced in report.suppressed)]
    fingerprint = find((each.fingerprint for each in everything), asked.id)
    return remembered, next(each for each in everything if each.fingerprint == fingerprint)


def _status(report: Report, fail_on: Literal["never", "witnessed", "assumed"]) -> int:
    if fail_on == "never":
        return 0
    enough = [o for o in report.introduced if fail_on == "assumed" or o.finding.confidence is Confidence.WITNESSED]
    return 1 if enough else 0
