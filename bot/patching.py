"""From a Report to patched files: which fixes, as one diff, and onto the disk all or nothing per file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bot.console import write_atomically
from bot.errors import CannotRun
from bot.report import Outcome, Report
from bot.reporters.view import is_safe
from fixers.diff import unified_diff
from fixers.edits import apply, merge
from fixers.fix import Edit, Fix


class Patch(msgspec.Struct, frozen=True):
    """What is to be changed: per file its bytes before and after; and what was mended or had to be left."""

    files: tuple[tuple[str, bytes, bytes], ...]
    mended: tuple[Outcome, ...]
    left: tuple[Outcome, ...]

    @property
    def diff(self) -> str:
        """The whole patch as `git diff` prints it."""
        return "".join(unified_diff(path, before, after) for path, before, after in self.files)


def find(fingerprints: Iterable[str], prefix: str) -> str:
    """The fingerprint that an ID stands for. CannotRun where none or several do."""
    matching = sorted({each for each in fingerprints if each.startswith(prefix.lower())})
    if len(prefix) < 4:
        raise CannotRun(f"{prefix!r} is too short for an ID: give at least 4 digits")
    if not matching:
        raise CannotRun(f"no finding {prefix!r} in the last run here: `leakmend review` or `leakmend scan` lists them")
    if len(matching) > 1:
        raise CannotRun(f"{prefix!r} is ambiguous: it may be {', '.join(matching)}")
    return matching[0]


def patch_of(report: Report, unsafe: Sequence[str]) -> Patch:
    """The safe fixes of what is introduced (of everything, in a scan) and the unsafe ones that are named."""
    named = {find((outcome.fingerprint for outcome in report.outcomes), prefix) for prefix in unsafe}
    edits: tuple[Edit, ...] = ()
    mended: list[Outcome] = []
    left: list[Outcome] = []
    for outcome in report.outcomes:
        is_asked = is_safe(outcome) and outcome.introduced is not False
        if not isinstance(outcome.answer, Fix) or not (is_asked or outcome.fingerprint in named):
            continue
        union = merge((edits, outcome.answer.edits))
        if union is None:
            left.append(outcome)
        else:
            edits = union
            mended.append(outcome)
    paths = sorted({edit.span.path for edit in edits})
    files = tuple(
        (path, before, apply(before, [edit for edit in edits if edit.span.path == path]))
        for path in paths
        for before in (report.sources[path],)
    )
    return Patch(files, tuple(mended), tuple(left))


def apply_to(folder: Path, patch: Patch) -> None:
    """Write the patched files. CannotRun, and nothing written, where one of them is no longer what was analysed."""
    targets = []
    for path, before, after in patch.files:
        target = folder / path
        try:
            current = target.read_bytes()
        except OSError as error:
            raise CannotRun(f"cannot read {target}: {error.strerror}") from None
        if current != before:
            raise CannotRun(f"{target} is not what was analysed (edited since, or line endings converted): run again")
        targets.append((target, after))
    for target, after in targets:
        try:
            write_atomically(target, after)
        except OSError as error:
            raise CannotRun(f"cannot write {target}: {error.strerror}") from None
