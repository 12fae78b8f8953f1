"""Laws of edits: disjoint ones commute, compositions agree, offsets follow, suggestions say the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzers.source import LineIndex, Span
from fixers.diff import suggestion, unified_diff
from fixers.edits import apply, compose, decode, inserted, is_disjoint, merge, minimal, moved, original
from fixers.fix import Edit

PATH = "a.c"
TEXTS = st.binary(max_size=40) | st.text("ab\n\r\té𝄞", max_size=30).map(str.encode)
WORDS = st.text("xyé\n", max_size=4)


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, tuple[Edit, ...]]:
    """A text with some disjoint edits of it."""
    data = draw(TEXTS)
    offsets = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8, unique=True)))
    edits = []
    for start, end in zip(offsets[::2], offsets[1::2], strict=False):
        edits.append(Edit(Span(PATH, start, draw(st.sampled_from([start, end]))), draw(WORDS)))
    return data, tuple(edits)


def shifted(edit: Edit, by: tuple[Edit, ...]) -> Edit:
    """The edit in the text that `by` made."""
    start = moved(by, edit.span.start)
    return Edit(Span(PATH, start, start + edit.span.end - edit.span.start), edit.text)


@given(edited())
def test_disjoint_edits_commute(case: tuple[bytes, tuple[Edit, ...]]) -> None:
    data, edits = case
    left, right = edits[::2], edits[1::2]
    left_first = apply(apply(data, left), [shifted(edit, left) for edit in right])
    right_first = apply(apply(data, right), [shifted(edit, right) for edit in left])
    assert left_first == right_first == apply(data, edits[::-1])
    assert merge([left, right]) == edits


@given(edited(), st.data())
def test_composition_does_both(case: tuple[bytes, tuple[Edit, ...]], data: st.DataObject) -> None:
    text, first = case
    middle = apply(text, first)
    start = data.draw(st.integers(0, len(middle)))
    end = data.draw(st.integers(start, len(middle)))
    second = (Edit(Span(PATH, start, end), data.draw(WORDS)),)
    both = compose(text, PATH, first, second)
    assert apply(text, both) == apply(middle, second)
    assert is_disjoint(both) and list(both) == sorted(both)


@given(edited())
def test_minimal_edits_do_the_same(case: tuple[bytes, tuple[Edit, ...]]) -> None:
    data, edits = case
    assert apply(data, minimal(data, edits)) == apply(data, edits)


@given(edited())
def test_offsets_go_there_and_back(case: tuple[bytes, tuple[Edit, ...]]) -> None:
    data, edits = case
    after = apply(data, edits)
    kept = [offset for offset in range(len(data)) if not any(e.span.start <= offset < e.span.end for e in edits)]
    for offset in kept:
        assert after[moved(edits, offset)] == data[offset]
        assert original(edits, moved(edits, offset)) == offset
    assert len(kept) + sum(end - start for start, end in inserted(edits)) == len(after)


@given(edited())
def test_suggestion_replaces_whole_lines(case: tuple[bytes, tuple[Edit, ...]]) -> None:
    data, edits = case
    block = suggestion(data, edits)
    if block is None:
        return
    index = LineIndex(data)
    start, end = index.line_start(block.first_line), index.line_start(block.last_line + 1)
    assert decode(data[start:end]) == block.original
    assert data[:start] + block.text.encode("utf-8", "surrogateescape") + data[end:] == apply(data, edits)


@given(edited())
def test_a_diff_is_empty_only_without_a_change(case: tuple[bytes, tuple[Edit, ...]]) -> None:
    data, edits = case
    after = apply(data, edits)
    assert bool(unified_diff(PATH, data, after)) == (data != after)
