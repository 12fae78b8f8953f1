"""Edits that begin at one place, for whoever applies them one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzers.source import Span
from fixers.edits import apply, is_disjoint, one_each
from fixers.fix import Edit


def _one_by_one(data: bytes, edits: tuple[Edit, ...]) -> bytes:
    for edit in sorted(edits, key=lambda each: each.span.start, reverse=True):
        data = data[: edit.span.start] + edit.text.encode() + data[edit.span.end :]
    return data


def test_an_insertion_goes_with_what_is_replaced_behind_it() -> None:
    edits = (Edit(Span("A.java", 4, 4), "new "), Edit(Span("A.java", 4, 7), "two"), Edit(Span("B.java", 4, 4), "x"))
    assert one_each(edits) == (Edit(Span("A.java", 4, 7), "new two"), Edit(Span("B.java", 4, 4), "x"))
    assert _one_by_one(b"one old!", one_each(edits)[:1]) == b"one new two!"


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.text("ab", max_size=2)), max_size=5))
def test_one_by_one_gives_what_all_together_give(found: list[tuple[int, int, str]]) -> None:
    edits = tuple(Edit(Span("A.java", start, start + length), text) for start, length, text in found)
    data = b"0123456789abcdef"
    if is_disjoint(edits):
        assert _one_by_one(data, one_each(edits)) == apply(data, edits)
