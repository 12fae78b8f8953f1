"""Comments of Java and C, told from strings and characters by one pass over the bytes.

Reports too much when a macro of C pastes half a string together; misses comments behind trigraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_INTERESTING = re.compile(rb"[/\"']")


class Comment(msgspec.Struct, frozen=True):
    """The bytes [start, end) of one comment, its marks included."""

    start: int
    end: int
    text: str


def comments(source: bytes, language: str) -> Iterator[Comment]:
    """The comments of a file, in order."""
    for start, end in _tokens(source, language):
        if source[start] == ord("/"):
            yield Comment(start, end, source[start:end].decode("utf-8", "replace"))


def without_comments(source: bytes, language: str) -> bytes:
    """The same bytes with comments, strings and characters blanked; line ends stay."""
    blanked = bytearray(source)
    for start, end in _tokens(source, language):
        blanked[start:end] = bytes(byte if byte in b"\r\n" else 0x20 for byte in source[start:end])
    return bytes(blanked)


def _tokens(source: bytes, language: str) -> Iterator[tuple[int, int]]:
    """The bytes of every comment, string and character, in order."""
    position = 0
    while match := _INTERESTING.search(source, position):
        start = match.start()
        if source.startswith(b"//", start):
            end = _line_comment_end(source, start, language)
        elif source.startswith(b"/*", start):
            close = source.find(b"*/", start + 2)
            end = close + 2 if close >= 0 else len(source)
        elif source[start] == ord("/"):
            position = start + 1
            continue
        else:
            end = _literal_end(source, start, language)
        yield start, end
        position = end


def _line_comment_end(source: bytes, start: int, language: str) -> int:
    end = source.find(b"\n", start)
    while end >= 0 and language == "c" and source[start:end].rstrip(b"\r").endswith(b"\\"):
        end = source.find(b"\n", end + 1)
    return end if end >= 0 else len(source)


def _literal_end(source: bytes, start: int, language: str) -> int:
    """Past a string, character or text block; an unclosed one ends with its line."""
    if language == "java" and source.startswith(b'"""', start):
        position = start + 3
        while True:
            close = source.find(b'"""', position)
            if close < 0:
                return len(source)
            if source[close - 1] != ord("\\"):
                return close + 3
            position = close + 1
    quote = source[start]
    position = start + 1
    while position < len(source):
        byte = source[position]
        if byte == ord("\\"):
            position += 2
            continue
        if byte == quote:
            return position + 1
        if byte == ord("\n"):
            return position
        position += 1
    return len(source)
