"""Edits on bytes: apply, compare, compose, and follow an offset through them.

An Edit replaces a half-open byte range. A tuple of edits is well-formed when it is sorted by span and
disjoint: no two ranges overlap, and no two edits insert at one offset (their order would be a guess).
Text is UTF-8; bytes of the file that are not pass through edits as surrogates.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from analyzers.source import Span
from fixers.fix import Edit


def decode(data: bytes) -> str:
    """Source bytes as the text of an edit; loses nothing."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that a text of an edit stands for."""
    return text.encode("utf-8", "surrogateescape")


def is_disjoint(edits: Iterable[Edit]) -> bool:
    """Whether the edits can be applied together in any order with one result."""
    ordered = sorted(edits)
    for before, after in itertools.pairwise(ordered):
        if before.span.path != after.span.path:
            continue
        if before.span.end > after.span.start or before.span == after.span:
            return False
    return True


def apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes after the edits, all of which speak of `data`. Raises ValueError when they overlap."""
    ordered = sorted(edits)
    if not is_disjoint(ordered):
        raise ValueError("edits overlap")
    parts: list[bytes] = []
    position = 0
    for edit in ordered:
        if not 0 <= edit.span.start <= edit.span.end <= len(data):
            raise ValueError(f"edit outside of the text: {edit.span}")
        parts += data[position : edit.span.start], encode(edit.text)
        position = edit.span.end
    parts.append(data[position:])
    return b"".join(parts)


def one_each(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The same change with one edit at most that begins at a place, sorted: whoever applies them one by one, from the last to the first, need
    not know that what is inserted stands before what is replaced there."""
    result: list[Edit] = []
    for edit in sorted(edits):
        last = result[-1] if result else None
        if last is not None and (last.span.path, last.span.start) == (edit.span.path, edit.span.start) and last.span.start == last.span.end:
            result[-1] = Edit(edit.span, last.text + edit.text)
        else:
            result.append(edit)
    return tuple(result)


def merge(groups: Iterable[Sequence[Edit]]) -> tuple[Edit, ...] | None:
    """The union of several sets of edits, equal edits once; None where two of them overlap."""
    union = sorted({edit for group in groups for edit in group})
    return tuple(union) if is_disjoint(union) else None


def minimal(data: bytes, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The same change without the bytes that edits only repeat at their ends, sorted; no empty edits."""
    result = []
    for edit in sorted(edits):
        old, new = data[edit.span.start : edit.span.end], encode(edit.text)
        if old == new:
            continue
        front = _common_prefix(old, new)
        back = _common_prefix(old[front:][::-1], new[front:][::-1])
        span = Span(edit.span.path, edit.span.start + front, edit.span.end - back)
        result.append(Edit(span, decode(new[front : len(new) - back])))
    return tuple(sorted(result))


def _common_prefix(left: bytes, right: bytes) -> int:
    """Length of the common prefix, never cutting a character of UTF-8 in two."""
    length = 0
    limit = min(len(left), len(right))
    while length < limit and left[length] == right[length]:
        length += 1
    while length and any(length < len(text) and text[length] & 0xC0 == 0x80 for text in (left, right)):
        length -= 1
    return length


def moved(edits: Sequence[Edit], offset: int) -> int:
    """Where the byte at `offset` of the old text lies in the new one.

    A byte that an edit replaced maps to the first byte of the replacement; text inserted at `offset`
    comes before it.
    """
    shift = 0
    for edit in edits:
        if edit.span.start > offset:
            break
        if edit.span.end > offset:
            return edit.span.start + shift
        shift += len(encode(edit.text)) - (edit.span.end - edit.span.start)
    return offset + shift


def original(edits: Sequence[Edit], offset: int) -> int:
    """Where the byte at `offset` of the new text comes from; inserted bytes map to where they went in."""
    shift = 0
    for edit in edits:
        start = edit.span.start + shift
        length = len(encode(edit.text))
        if offset < start:
            break
        if offset < start + length:
            return edit.span.start
        shift += length - (edit.span.end - edit.span.start)
    return offset - shift


def inserted(edits: Sequence[Edit]) -> tuple[tuple[int, int], ...]:
    """The ranges of the new text that the edits wrote, without empty ones."""
    ranges = []
    shift = 0
    for edit in edits:
        start = edit.span.start + shift
        length = len(encode(edit.text))
        if length:
            ranges.append((start, start + length))
        shift += length - (edit.span.end - edit.span.start)
    return tuple(ranges)


_Piece = tuple[int, bytes]
"""A run of the new text and where it lies in the old one, -1 for what an edit wrote."""


def compose(data: bytes, path: str, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits of `data` that do what `first` and then `second`, which speaks of its result, do."""
    pieces = _pieces(data, first)
    for edit in sorted(second, reverse=True):
        before, rest = _split(pieces, edit.span.start)
        _, after = _split(rest, edit.span.end - edit.span.start)
        pieces = [*before, (-1, encode(edit.text)), *after]
    result: list[Edit] = []
    position = 0
    text = b""
    for start, run in [*pieces, (len(data), b"")]:
        if start < 0:
            text += run
            continue
        if start > position or text:
            result.append(Edit(Span(path, position, start), decode(text)))
        text = b""
        position = start + len(run)
    return minimal(data, result)


def _pieces(data: bytes, edits: Sequence[Edit]) -> list[_Piece]:
    pieces: list[_Piece] = []
    position = 0
    for edit in sorted(edits):
        pieces += (position, data[position : edit.span.start]), (-1, encode(edit.text))
        position = edit.span.end
    pieces.append((position, data[position:]))
    return [piece for piece in pieces if piece[1]]


def _split(pieces: list[_Piece], offset: int) -> tuple[list[_Piece], list[_Piece]]:
    """The pieces before and from the byte at `offset` of the text that they make up."""
    for index, (start, run) in enumerate(pieces):
        if offset < len(run):
            if offset == 0:
                return pieces[:index], pieces[index:]
            tail = start + offset if start >= 0 else -1
            return [*pieces[:index], (start, run[:offset])], [(tail, run[offset:]), *pieces[index + 1 :]]
        offset -= len(run)
    return pieces, []
