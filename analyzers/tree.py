"""What a Program is laid over: named blobs. Trees of git and folders live in `bot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from analyzers.source import blob_digest


class Tree(Protocol):
    """A set of files with their content's names; the same path always reads the same bytes."""

    def paths(self) -> Sequence[tuple[str, str]]:
        """(path, digest of the blob) of every file, sorted by path."""

    def read(self, path: str) -> bytes:
        """The bytes of one file; OSError where they cannot be had."""


class MemoryTree:
    """A Tree of bytes at hand."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(sorted(files.items()))
        self._paths = tuple((path, blob_digest(data)) for path, data in self._files.items())

    def paths(self) -> Sequence[tuple[str, str]]:
        """See `Tree`."""
        return self._paths

    def read(self, path: str) -> bytes:
        """See `Tree`."""
        try:
            return self._files[path]
        except KeyError:
            raise FileNotFoundError(path) from None


class Overlay:
    """A Tree with some files replaced, added, or (None) removed: what a patch or a fix gives."""

    def __init__(self, below: Tree, changed: Mapping[str, bytes | None]) -> None:
        self._below = below
        self._changed = dict(changed)
        kept = [(path, digest) for path, digest in below.paths() if path not in self._changed]
        laid = [(path, blob_digest(data)) for path, data in self._changed.items() if data is not None]
        self._paths = tuple(sorted(kept + laid))

    def paths(self) -> Sequence[tuple[str, str]]:
        """See `Tree`."""
        return self._paths

    def read(self, path: str) -> bytes:
        """See `Tree`."""
        if path not in self._changed:
            return self._below.read(path)
        data = self._changed[path]
        if data is None:
            raise FileNotFoundError(path)
        return data
