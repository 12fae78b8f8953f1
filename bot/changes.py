"""What is to be analysed: two trees and the diff between them, or one tree as it stands."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from analyzers.finding import Note
from analyzers.tree import MemoryTree, Tree
from bot.errors import CannotRun
from bot.hunks import FileDiff
from bot.trees import CONFIG_FILE, CONFIG_FOLDER, FolderTree, GitTree, is_setting

if TYPE_CHECKING:
    from bot.repository import Repository

WORKTREE = "worktree"
"""The `--head` that stands for the files on disk, uncommitted changes included."""


class ChangeSet(msgspec.Struct, frozen=True, kw_only=True):
    """A change from `before` to `after`; a scan has no `before`.

    files       what differs, renames found (git's own diff)
    base, head  commit ids; None for a scan, and `head` for the working tree
    home        the folder that holds the settings, or the bare repository
    settings    where config, specs and baseline are read: the base of a change, never its head
    folder      what the paths are relative to, on disk; None for a bare repository
    prefix      where `after` lies inside the folder that holds the settings («src/», mostly empty)
    remarks     lines for people about how the question was understood
    earlier     another tree of the same repository, by its files and the ids of their blobs
    """

    after: Tree
    before: Tree | None = None
    files: tuple[FileDiff, ...] = ()
    notes: tuple[Note, ...] = ()
    base: str | None = None
    head: str | None = None
    settings: Tree
    home: Path
    folder: Path | None = None
    prefix: str = ""
    repository: str = ""
    remarks: tuple[str, ...] = ()
    earlier: Callable[[Sequence[tuple[str, str]]], Tree] | None = None

    @property
    def changed_settings(self) -> tuple[str, ...]:
        """Config, spec and baseline files that the change touches: they count when it is merged."""
        names = (file.after or file.before for file in self.files)
        return tuple(name for name in names if is_setting(name))


@contextlib.contextmanager
def review(repository: Repository, base: str | None, head: str | None) -> Iterator[ChangeSet]:
    """The change that `head` makes since it left `base` (three-dot). The trees can be read inside the context."""
    remarks = []
    asked = head or (WORKTREE if repository.working_tree else "HEAD")
    start = repository.commit(base or repository.default_base())
    tip = repository.commit("HEAD" if asked == WORKTREE else asked)
    fork = repository.merge_base(start, tip)
    if base and head and fork == tip and start != tip and asked != WORKTREE:
        fork = start
        remarks.append(f"{tip[:12]} is an ancestor of {start[:12]}: reviewed as the way back from {start[:12]} to it")
    with contextlib.ExitStack() as stack:
        notes: tuple[Note, ...] = ()
        target = tip
        if asked == WORKTREE:
            target, notes = stack.enter_context(repository.working_tree_object())
        after, after_notes = repository.tree(target)
        before, _ = repository.tree(fork)
        yield ChangeSet(
            after=after,
            before=before,
            files=repository.diff(fork, target),
            notes=tuple(sorted({*notes, *after_notes}, key=lambda note: (note.span, note.kind, note.text))),
            base=fork,
            head=None if asked == WORKTREE else tip,
            settings=before,
            home=repository.root,
            folder=repository.working_tree,
            repository=repository.root.resolve().name,
            remarks=tuple(remarks),
            earlier=lambda entries: GitTree(repository, entries),
        )


def scan(places: Sequence[Path]) -> ChangeSet:
    """All files below some folders, and single files, as they lie on disk."""
    for place in places:
        if not place.exists():
            raise CannotRun(f"no such file or folder: {place}")
    full = [Path(os.path.abspath(place)) for place in places]
    root = full[0] if len(full) == 1 else Path(os.path.commonpath(full))
    root = root if root.is_dir() else root.parent
    home = home_of(root)
    tree = FolderTree(root, () if full == [root] else full)
    prefix = root.relative_to(home).as_posix()
    return ChangeSet(
        after=tree,
        notes=tuple(tree.notes),
        settings=folder_settings(home),
        home=home,
        folder=root,
        prefix="" if prefix == "." else prefix + "/",
        repository=root.name,
    )


def home_of(folder: Path) -> Path:
    """The nearest folder upwards that holds leakmend's config, or is a repository; else the folder itself."""
    for candidate in (folder, *folder.parents):
        if any((candidate / name).exists() for name in (CONFIG_FILE, CONFIG_FOLDER, ".git")):
            return candidate
    return folder


def folder_settings(home: Path) -> Tree:
    """leakmend's own files of a folder on disk."""
    files = {}
    for path in (home / CONFIG_FILE, *sorted((home / CONFIG_FOLDER).rglob("*"))):
        if path.is_file():
            try:
                files[path.relative_to(home).as_posix()] = path.read_bytes()
            except OSError as error:
                raise CannotRun(f"cannot read {path}: {error.strerror}") from None
    return MemoryTree(files)
