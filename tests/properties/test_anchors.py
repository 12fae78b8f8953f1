"""Anchors against git's own diffs: whatever changes, no comment stands where GitHub would refuse it, none is lost without need.

GitHub's rules are those of the fake, whose reader of diffs was written apart from the bot's.
"""

from __future__ import annotations

import pathlib
import subprocess
import tempfile

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.source import Span
from bot.hunks import FileDiff, parse_patch
from bot.publishing.anchors import Lines, WholeFile, anchor
from bot.report import Report
from bot.reporters.view import Sources
from fixers.fix import Declined, Edit, Fix
from tests.conftest import require_tool
from tests.fakes.github import hunks as github
from tests.unit.reporters.reports import review_report

PATH = "src/Some.java"
_LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "}\n", "@@ -1 +1 @@\n", "-x\n", "+y\n", "\\ no\n"]), min_size=12, max_size=40)
_FINDING = review_report().introduced[0].finding
_FIX = next(each.answer for each in review_report().outcomes if isinstance(each.answer, Fix))


def diff(before: str, after: str) -> str:
    """What git says of one file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("a", before), ("b", after)):
            pathlib.Path(folder, name).write_text(text)
        words = [require_tool("git"), "-c", "core.pager=cat", "diff", "--no-index", "--no-color", "-U3", "--diff-algorithm=myers", "a", "b"]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False).stdout


@settings(max_examples=150, deadline=None)
@given(_LINES, st.data())
def test_no_comment_is_refused_and_none_lost(before: list[str], data: st.DataObject) -> None:
    after = list(before)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(after)))
        after[at : at + data.draw(st.integers(0, 3))] = data.draw(st.lists(st.sampled_from(["new\n", "b\n", "int x;\n"]), max_size=3))
    text = "".join(after)
    said = diff("".join(before), text)
    sections, files = parse_patch(said.encode()), github.parse(said)
    if not files or not after:
        return
    file = FileDiff(PATH, PATH, *sections[0])
    edges = {each for block in file.blocks for each in (block.new - 1, block.new, block.new + block.new_count)}
    edges |= {each for first, end in file.hunks for each in (first - 1, first, end, end + 1)}
    near = sorted(each for each in edges if 1 <= each <= len(after))
    line = data.draw(st.sampled_from(near) | st.integers(1, len(after)))
    last = data.draw(st.integers(line, min(line + 3, len(after))))
    starts = [0, *(sum(map(len, after[:number])) for number in range(1, len(after) + 1))]
    here = Span(PATH, starts[line - 1], starts[line - 1])
    finding = msgspec.structs.replace(_FINDING, path=PATH, acquired=here, lost=here, witness=(), exits=())
    edit = Edit(Span(PATH, starts[line - 1], starts[last]), "mended\n" * (last - line))
    answer = data.draw(st.sampled_from([Declined(finding, "no"), msgspec.structs.replace(_FIX, edits=(edit,))]))
    outcome = msgspec.structs.replace(review_report().introduced[0], finding=finding, answer=answer, together=())
    report = Report(outcomes=(outcome,), sources={PATH: text.encode()}, hunks={PATH: file.ranges}, base="b" * 40)

    where = anchor(outcome, report, Sources(report.sources))
    first_hunk, hunk = files[0].hunk("RIGHT", line), None
    if isinstance(where, Lines):
        hunk = files[0].hunk("RIGHT", where.first)
        assert hunk is not None and hunk.has("RIGHT", where.last), "GitHub would refuse the whole review"
        assert not (where.has_suggestion and hunk.removes_between(where.first, where.last)), "nobody could apply it"
    else:
        assert where == WholeFile(PATH)
        assert first_hunk is None, "a line of the diff bears no comment"
