"""The folder where leakmend keeps what it computed, and the last report of each place for `explain` and `ignore`."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from analyzers.finding import Finding, Note
from bot.console import write_atomically
from bot.report import Outcome, Report, Suppressed
from fixers.fix import Declined, Fix

_LOG = logging.getLogger(__name__)
_SCHEMA = 1
_MAX_BYTES = 64 * 1024 * 1024


def cache_folder() -> Path:
    """Where the platform keeps caches of leakmend."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "leakmend"


class _Answered(msgspec.Struct, frozen=True, array_like=True):
    """An Outcome, its answer told apart by which of the two is there."""

    finding: Finding
    fix: Fix | None
    declined: str
    fingerprint: str
    introduced: bool | None
    was: str | None
    together: tuple[str, ...]
    is_test: bool


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """A Report on disk, with the folder that holds its settings and the one that its paths are relative to."""

    schema: int
    home: str
    folder: str
    prefix: str
    outcomes: tuple[_Answered, ...]
    suppressed: tuple[tuple[_Answered, str, str, bool], ...]
    notes: tuple[Note, ...]
    sources: Mapping[str, bytes]
    hunks: Mapping[str, tuple[tuple[int, int], ...]]
    base: str | None
    head: str | None
    repository: str


class Remembered(msgspec.Struct, frozen=True):
    """The last report of a place. `home` is where its config and baseline live, `prefix` where its paths begin there."""

    report: Report
    home: Path
    folder: str
    prefix: str


def remember(remembered: Remembered, places: set[Path]) -> bool:
    """Keep a report for commands that name one of its findings, asked from one of the places or below.

    False where it could not be kept.
    """
    report = remembered.report
    kept = _Kept(
        _SCHEMA,
        str(remembered.home),
        remembered.folder,
        remembered.prefix,
        tuple(_answered(outcome) for outcome in report.outcomes),
        tuple((_answered(each.outcome), each.by, each.reason, each.is_added) for each in report.suppressed),
        report.notes,
        report.sources,
        report.hunks,
        report.base,
        report.head,
        report.repository,
    )
    content = msgspec.msgpack.encode(kept)
    if len(content) > _MAX_BYTES:
        return False
    try:
        for place in sorted(places):
            target = _file_of(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, content)
    except OSError as error:
        _LOG.info("the last report is not kept: %s", error)
        return False
    return True


def recall(folder: Path) -> Remembered | None:
    """The last report of a folder, or of one above it."""
    for place in (folder, *folder.parents):
        try:
            content = _file_of(place).read_bytes()
            kept = msgspec.msgpack.decode(content, type=_Kept)
        except (OSError, msgspec.MsgspecError):
            continue
        if kept.schema == _SCHEMA:
            return Remembered(_report(kept), Path(kept.home), kept.folder, kept.prefix)
    return None


def _file_of(place: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.realpath(place))).hexdigest()[:32]
    return cache_folder() / "reports" / f"{name}.msgpack"


def _answered(outcome: Outcome) -> _Answered:
    answer = outcome.answer
    return _Answered(
        outcome.finding,
        answer if isinstance(answer, Fix) else None,
        answer.reason if isinstance(answer, Declined) else "",
        outcome.fingerprint,
        outcome.introduced,
        outcome.was,
        outcome.together,
        outcome.is_test,
    )


def _outcome(answered: _Answered) -> Outcome:
    return Outcome(
        finding=answered.finding,
        answer=answered.fix or Declined(answered.finding, answered.declined),
        fingerprint=answered.fingerprint,
        introduced=answered.introduced,
        was=answered.was,
        together=answered.together,
        is_test=answered.is_test,
    )


def _report(kept: _Kept) -> Report:
    return Report(
        outcomes=tuple(_outcome(answered) for answered in kept.outcomes),
        suppressed=tuple(
            Suppressed(_outcome(answered), by, reason, is_added) for answered, by, reason, is_added in kept.suppressed
        ),
        notes=kept.notes,
        sources=kept.sources,
        hunks=kept.hunks,
        base=kept.base,
        head=kept.head,
        repository=kept.repository,
    )
