"""What a change can affect: the procedures that base and head are both analysed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import Detector, Means, Program
from analyzers.queries import ProcedureKey
from analyzers.scope import Scope, scope_of_change
from bot.hunks import FileDiff


def affected(
    after: Program, before: Program, files: Sequence[FileDiff], detectors: Sequence[Detector], means: Means
) -> Scope:
    """The scope of the change of some files."""
    return scope_of_change(before, after, [(file.before, file.after) for file in files], detectors, means)


def counterpart(key: ProcedureKey, paths: Mapping[str, str]) -> ProcedureKey:
    """The same procedure on the other side of the change."""
    path = paths.get(key.path, key.path)
    name = path + key.name.removeprefix(key.path) if key.name.startswith(f"{key.path}:") else key.name
    return ProcedureKey(path, name)


def renames(files: Sequence[FileDiff]) -> dict[str, str]:
    """Path in the base to path in the head, of the changed files that both have."""
    return {file.before: file.after for file in files if file.before and file.after}
