"""Leaks that were there before, in procedures of the head in which a detector gave up: not looked at to its end is not fixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzers.detectors.tracker import Tracker
from analyzers.domains.obligation import Limits
from bot import changes, pipeline
from bot.config import Config
from bot.report import Report
from bot.repository import Repository
from tests.unit.bot.gitbox import GitBox

BASE = """\
#include <stdio.h>

int other(const char *path)
{
    FILE *file = fopen(path, "rb");
    return file == NULL ? 0 : fgetc(file);
}

int first(const char *path, int from)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    if (fseek(file, from, SEEK_SET) != 0)
        return -3;
    fclose(file);
    return from;
}
"""
MANY = "".join(f"    if (from == {number} && fgetc(file) == {number})\n        puts(path);\n" for number in range(5, 45))
SEEK = "    if (fseek"


def _reviewed(folder: Path, after: str) -> Report:
    box = GitBox(folder)
    for text in (BASE, after):
        box.write("first.c", text)
        box.commit("step")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            return pipeline.run(change, Config())
    finally:
        repository.close()


@pytest.fixture
def tired(monkeypatch: pytest.MonkeyPatch) -> None:
    """A detector that gives up early."""
    monkeypatch.setattr(pipeline, "chosen", lambda *_: (Tracker(Limits(steps=150)),))


@pytest.mark.usefixtures("tired")
def test_what_was_not_followed_to_its_end_is_not_fixed(tmp_path: Path) -> None:
    report = _reviewed(tmp_path, BASE.replace(SEEK, MANY + SEEK))
    assert not report.fixed
    assert not report.outcomes


@pytest.mark.usefixtures("tired")
def test_what_is_mended_beside_it_is_fixed(tmp_path: Path) -> None:
    after = BASE.replace(SEEK, MANY + SEEK).replace("    return file == NULL ? 0 : fgetc(file);\n", "    if (file)\n        fclose(file);\n    return 0;\n")
    assert [each.finding.procedure for each in _reviewed(tmp_path, after).fixed] == ["other"]


def test_what_is_followed_further_is_still_there(tmp_path: Path) -> None:
    report = _reviewed(tmp_path, BASE.replace(SEEK, MANY + SEEK))
    assert not report.fixed
    assert {each.finding.procedure for each in report.outcomes} == {"first"}
