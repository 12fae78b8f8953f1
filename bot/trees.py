"""Trees of files: a folder, or a tree of git. Which files of them leakmend reads at all.

Reports too much when never; misses what lies behind symbolic links, in submodules, and in files past `MAX_BYTES`.
Each of those is a Note.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from analyzers.finding import Note, NoteKind
from analyzers.source import Span, blob_digest, language_of
from bot.build_files import is_build_file

MAX_BYTES = 8 * 1024 * 1024
"""Larger files are left out, with a Note: no source that somebody maintains is that long."""

CONFIG_FILE = ".leakmend.toml"
CONFIG_FOLDER = ".leakmend"
BASELINE_FILE = ".leakmend/baseline.json"

_SKIPPED_FOLDERS = (".git", ".hg", ".svn", ".pc")


def is_relevant(path: str) -> bool:
    """Whether leakmend has any use for a file of this name: sources, build files, its own files."""
    return language_of(path) is not None or is_build_file(path) or is_setting(path)


def is_setting(path: str) -> bool:
    """Whether a file is leakmend's config, one of its specs, or its baseline."""
    return path == CONFIG_FILE or path.startswith(CONFIG_FOLDER + "/")


def shown(name: bytes) -> str:
    """A file name as text; bytes that are not UTF-8 become `\\xNN`, so that every output can hold it."""
    return name.decode("utf-8", "backslashreplace")


def about(path: str, kind: NoteKind, text: str) -> Note:
    """A Note about a whole file."""
    return Note(kind, Span(path, 0, 0), text)


def too_large(path: str, size: int) -> Note:
    """The Note for a file past `MAX_BYTES`."""
    limit = MAX_BYTES // (1024 * 1024)
    return about(path, NoteKind.TOO_LARGE, f"not read: {size / (1024 * 1024):.1f} MB, the limit is {limit} MB")


class Blobs(Protocol):
    """Reads blobs by their id."""

    def blob(self, digest: str) -> bytes:
        """The bytes of a blob; OSError where they cannot be had."""


class GitTree:
    """The relevant files of one tree of git; reads each blob when it is asked for."""

    def __init__(self, blobs: Blobs, entries: Iterable[tuple[str, str]]) -> None:
        self._blobs = blobs
        self._paths = tuple(sorted(entries))
        self._digests = dict(self._paths)

    def paths(self) -> Sequence[tuple[str, str]]:
        """See `Tree`."""
        return self._paths

    def read(self, path: str) -> bytes:
        """See `Tree`."""
        digest = self._digests.get(path)
        if digest is None:
            raise FileNotFoundError(path)
        return self._blobs.blob(digest)


class FolderTree:
    """The relevant files below some places of a folder, as they lie on disk when they are first read.

    `places` are files or folders below `root`; all that lies below `root` where none is given.
    """

    def __init__(self, root: Path, places: Sequence[Path] = ()) -> None:
        self.root = root
        self.notes: list[Note] = []
        self._files: dict[str, Path] = {}
        self._kept: dict[str, bytes] = {}
        for place in sorted(places or (root,)):
            if place.is_dir():
                self._walk(place)
            else:
                self._add(place)
        self._paths = tuple(sorted(self._digested()))
        self.notes.sort(key=lambda note: (note.span, note.text))

    def paths(self) -> Sequence[tuple[str, str]]:
        """See `Tree`."""
        return self._paths

    def read(self, path: str) -> bytes:
        """See `Tree`. The bytes are those that the digest was made of, even if the file changed since."""
        try:
            return self._kept[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    def _walk(self, folder: Path) -> None:
        def report(error: OSError) -> None:
            name = self._name(Path(error.filename or folder))
            self.notes.append(about(name, NoteKind.UNREADABLE, f"folder not read: {error.strerror}"))

        for here, folders, files in os.walk(folder, onerror=report):
            for name in sorted(folders):
                if os.path.islink(os.path.join(here, name)):
                    self._note_link(Path(here, name))
            folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
            for name in sorted(files):
                path = Path(here, name)
                if is_relevant(self._name(path)):
                    self._add(path)

    def _name(self, path: Path) -> str:
        return shown(os.fsencode(path.relative_to(self.root).as_posix()))

    def _note_link(self, path: Path) -> None:
        """A link inside the tree is no loss: what it points to is read under its own name."""
        if not path.resolve().is_relative_to(self.root.resolve()):
            text = "not followed: a symbolic link that leads out of the scanned folder"
            self.notes.append(about(self._name(path), NoteKind.SYMLINK, text))

    def _add(self, path: Path) -> None:
        if path.is_symlink():
            self._note_link(path)
        else:
            self._files[self._name(path)] = path

    def _digested(self) -> Iterable[tuple[str, str]]:
        for name, path in sorted(self._files.items()):
            try:
                status = path.stat()
                if not stat.S_ISREG(status.st_mode):
                    self.notes.append(about(name, NoteKind.UNREADABLE, "not read: not a regular file"))
                    continue
                if status.st_size > MAX_BYTES:
                    self.notes.append(too_large(name, status.st_size))
                    continue
                content = path.read_bytes()
            except OSError as error:
                self.notes.append(about(name, NoteKind.UNREADABLE, f"not read: {error.strerror}"))
                continue
            self._kept[name] = content
            yield name, blob_digest(content)
