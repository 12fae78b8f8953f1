"""Source text and the places in it.

Everything that leakmend says points at a half-open range of bytes. Lines and columns exist only in
reporters, which compute them from the bytes (`LineIndex`).
"""

from __future__ import annotations

import bisect
import hashlib

import msgspec


class Span(msgspec.Struct, frozen=True, order=True, gc=False):
    """A half-open byte range [start, end) of the file at `path`.

    `path` is relative to the scanned folder or repository, with `/` between its parts. Spans order
    by path, then start, then end: the order of all output.
    """

    path: str
    start: int
    end: int


class SourceFile(msgspec.Struct, frozen=True):
    """The bytes of one file under the name that users know it by.

    `language` is "java" or "c". `digest` names the content (a git blob id, or the same hash computed
    here), so that equal content is analysed once whatever it is called.
    """

    path: str
    language: str
    data: bytes
    digest: str


def blob_digest(data: bytes) -> str:
    """The id that git gives to a blob of these bytes (SHA-1 of the loose object)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def language_of(path: str) -> str | None:
    """The language that the name of a file stands for, None where leakmend does not read it."""
    if path.endswith(".java"):
        return "java"
    if path.endswith((".c", ".h")):
        return "c"
    return None


class LineIndex:
    """Byte offsets to lines and columns of one file: both from 1, columns in code points.

    A column counts code points of the UTF-8 text; bytes that are not UTF-8 count one each.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        starts = [0]
        position = data.find(b"\n")
        while position != -1:
            starts.append(position + 1)
            position = data.find(b"\n", position + 1)
        self._starts = starts

    def line(self, offset: int) -> int:
        """The line (from 1) that holds the byte at `offset`."""
        return bisect.bisect_right(self._starts, offset)

    def text(self, start: int, end: int) -> bytes:
        """The bytes between two offsets."""
        return self._data[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of the byte at `offset`."""
        line = self.line(offset)
        start = self._starts[line - 1]
        text = self._data[start:offset].decode("utf-8", "replace")
        return line, len(text) + 1

    def line_start(self, line: int) -> int:
        """The offset of the first byte of a line (from 1); the end of the file past the last."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self._data)
