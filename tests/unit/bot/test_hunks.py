"""git's diff, read: renames, hunks, and where lines went."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.hunks import Block, FileDiff, parse_patch
from bot.repository import Repository
from tests.unit.bot.gitbox import GitBox


def lines(*texts: str) -> str:
    return "".join(text + "\n" for text in texts)


def test_blocks_say_where_lines_went(tmp_path: Path) -> None:
    box = GitBox(tmp_path)
    old = [f"line {number}" for number in range(1, 31)]
    box.write("a.c", lines(*old))
    base = box.commit()
    new = [*old[:4], "added", *old[4:9], "changed", *old[10:19], *old[20:]]
    box.write("a.c", lines(*new))
    head = box.commit()
    (diff,) = Repository(tmp_path).diff(base, head)
    for number, text in enumerate(old, start=1):
        expected = new.index(text) + 1 if text in new else None
        assert diff.head_line(number) == expected, text
    assert diff.near_line(10) == 11
    assert [number for number in range(1, len(new) + 1) if diff.is_added(number)] == [5, 11]


def test_text_that_looks_like_a_diff_is_text(tmp_path: Path) -> None:
    box = GitBox(tmp_path)
    tricky = lines("diff --git a/x b/x", "@@ -1,3 +1,4 @@", "--- a/x", "+++ b/x", "-- gone", "++ come")
    box.write("a.c", tricky)
    box.write("b.c", "1\n")
    base = box.commit()
    box.write("a.c", "@@ -9 +9 @@\n" + tricky.replace("-- gone\n", ""))
    box.write("b.c", "2\n")
    head = box.commit()
    first, second = Repository(tmp_path).diff(base, head)
    assert first.blocks == (Block(1, 0, 1, 1), Block(5, 1, 6, 0))
    assert (second.after, second.blocks) == ("b.c", (Block(1, 1, 1, 1),))


def test_renames_deletions_and_new_files(tmp_path: Path) -> None:
    box = GitBox(tmp_path)
    body = lines(*(f"int x{number};" for number in range(20)))
    box.write("old/a.c", body)
    box.write("gone.java", body.replace("x", "y"))
    box.write("note.txt", "not read")
    base = box.commit()
    (tmp_path / "gone.java").unlink()
    (tmp_path / "new").mkdir()
    (tmp_path / "old/a.c").rename(tmp_path / "new/a.c")
    box.write("new/a.c", "int first;\n" + body)
    box.write("fresh.h", "int z;\n")
    box.write("note.txt", "changed")
    head = box.commit()
    found = {(file.before, file.after): file for file in Repository(tmp_path).diff(base, head)}
    assert sorted(found) == [("", "fresh.h"), ("gone.java", ""), ("old/a.c", "new/a.c")]
    assert found["old/a.c", "new/a.c"].head_line(20) == 21
    assert found["", "fresh.h"].hunks == ((1, 1),)
    assert found["", "fresh.h"].blocks == (Block(1, 0, 1, 1),)


def test_a_suggestion_may_not_span_removed_lines() -> None:
    diff = FileDiff("a.c", "a.c", (Block(10, 2, 10, 1), Block(20, 0, 19, 1)), ((7, 13), (16, 22)))
    assert diff.ranges == ((7, 9), (10, 13), (16, 22))


def test_a_line_without_its_end_is_no_line_more() -> None:
    patch = b"diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
    assert parse_patch(patch) == [((Block(1, 1, 1, 1),), ((1, 1),))]


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcdef"), max_size=12), st.lists(st.sampled_from("abcdef"), max_size=12))
def test_unchanged_lines_map_one_to_one_and_in_order(old: list[str], new: list[str]) -> None:
    import difflib

    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    blocks = tuple(
        Block(i1 + 1, i2 - i1, j1 + 1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )
    diff = FileDiff("a", "a", blocks)
    mapped = [diff.head_line(number) for number in range(1, len(old) + 1)]
    kept = [line for line in mapped if line is not None]
    assert kept == sorted(set(kept))
    for text, line in zip(old, mapped, strict=True):
        assert line is None or (new[line - 1] == text and not diff.is_added(line))
