"""Which instructions of a procedure are still there in another version of it, told by what they are and by their text.

Source: the longest blocks in common, as `difflib` finds them, between what both begin and end with. Says too little where a
procedure was rewritten, or is too long to be compared.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from analyzers import ir
from analyzers.queries import Linked, ProcedureKey, Queries

MAX_COMPARED = 3_000
"""Instructions between the common beginning and the common end of two versions."""

_FIXED = (ir.ENTRY, ir.EXIT, ir.RAISE)
_LONGEST = 2_000

Token = tuple[str, str]


class Matching(msgspec.Struct, frozen=True):
    """Two versions of a procedure: the instructions that both have, those that only the old one has, those that only the new one has."""

    kept: dict[int, int]
    removed: frozenset[int]
    added: frozenset[int]


class Text(msgspec.Struct, frozen=True):
    """A changed file: its bytes before (none where it is new) and after."""

    before: bytes
    after: bytes


def lines_that_name(
    word: str, texts: Mapping[str, Text], old: tuple[Queries, ProcedureKey], new: tuple[Queries, ProcedureKey]
) -> Iterator[tuple[Counter[bytes], Counter[bytes]]]:
    """Per changed file the lines outside of one procedure that name something, before and after; `texts` are by their new paths."""
    named = re.compile(rb"\b" + re.escape(word.encode()) + rb"\b")
    was, own = (queries.source_of(key) for queries, key in (old, new))
    for path, text in texts.items():
        is_here = path == new[1].path
        before = text.before.replace(was, b"", 1) if is_here else text.before
        after = text.after.replace(own, b"", 1) if is_here else text.after
        yield _naming(before, named), _naming(after, named)


def _naming(text: bytes, named: re.Pattern[bytes]) -> Counter[bytes]:
    return Counter(line.strip() for line in text.splitlines() if named.search(line))


def match(old: Linked, old_text: bytes, new: Linked, new_text: bytes) -> Matching | None:
    """What became of each instruction; None where the two are too different to tell."""
    before, after = _tokens(old, old_text), _tokens(new, new_text)
    first, last = len(_FIXED), 0
    shortest = min(len(before), len(after))
    while first < shortest and before[first] == after[first]:
        first += 1
    while last < shortest - first and before[-1 - last] == after[-1 - last]:
        last += 1
    middle, other = before[first : len(before) - last], after[first : len(after) - last]
    if max(len(middle), len(other)) > MAX_COMPARED:
        return None
    kept = {node: node for node in range(first)}
    kept |= {len(before) - each: len(after) - each for each in range(1, last + 1)}
    for block in difflib.SequenceMatcher(None, middle, other, autojunk=False).get_matching_blocks():
        kept |= {first + block.a + each: first + block.b + each for each in range(block.size)}
    there = set(kept.values())
    return Matching(
        kept,
        frozenset(node for node in range(len(before)) if node not in kept),
        frozenset(node for node in range(len(after)) if node not in there),
    )


def _tokens(linked: Linked, text: bytes) -> list[Token]:
    return [_token(node, text) for node in linked.body.nodes]


def _token(node: ir.Instruction, text: bytes) -> Token:
    kind = type(node).__name__
    if isinstance(node, ir.ScopeEnd) or node.end - node.start > _LONGEST:
        return kind, " ".join(node.variables) if isinstance(node, ir.ScopeEnd) else ""
    return kind, b" ".join(text[node.start : node.end].split()).decode("utf-8", "replace")
