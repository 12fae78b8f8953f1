"""Leaks that were there before, in reviews: told of where the change adds ways on which they are lost, by these."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot import changes, pipeline
from bot.config import Config
from bot.report import Outcome
from bot.repository import Repository
from tests.unit.bot.gitbox import GitBox

BASE = """\
#include <stdio.h>

int first(const char *path, int from, int to)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    if (from > to)
        return -2;
    if (fseek(file, from, SEEK_SET) != 0) {
        fclose(file);
        return -3;
    }
    int byte = fgetc(file);
    fclose(file);
    return byte;
}
"""
SEEK = "    if (fseek(file, from, SEEK_SET) != 0) {\n        fclose(file);\n        return -3;\n    }\n"


def reviewed(folder: Path, after: str, before: str = BASE, name: str = "first.c") -> Outcome:
    """The one finding of the head, as a review tells it."""
    box = GitBox(folder)
    for text in (before, after):
        box.write(name, text)
        box.commit("step")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            (outcome,) = pipeline.run(change, Config()).outcomes
    finally:
        repository.close()
    return outcome


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        (BASE.replace(SEEK, SEEK.replace("        fclose(file);\n", "")), "return -3;"),
        (BASE.replace(SEEK, SEEK + "    if (feof(file))\n        return -4;\n"), "return -4;"),
        (BASE.replace("    if (from > to)", "    if (to < 0)\n        return -5;\n    if (from > to)"), "return -5;"),
    ],
    ids=["a close is gone", "a way is added behind", "a way is added before"],
)
def test_a_further_way_is_introduced_and_told(tmp_path: Path, after: str, lost: str) -> None:
    outcome = reviewed(tmp_path, after)
    assert outcome.introduced
    assert after.encode()[outcome.finding.lost.start : outcome.finding.lost.end].decode() == lost
    assert outcome.finding.message == f"`file` is not closed on the path to `{lost}`."
    assert outcome.finding.fingerprint == outcome.fingerprint


@pytest.mark.parametrize(
    "after",
    [
        BASE.replace("return -3", "return -4"),
        BASE.replace("return -2", "return -20"),
        BASE.replace("    if (from > to)\n        return -2;\n", "").replace(SEEK, SEEK + "    if (from > to)\n        return -2;\n"),
        BASE.replace("    if (from > to)", "\n    /* Nothing between. */\n    if (from > to)"),
    ],
    ids=["elsewhere", "the way is rewritten", "the way is moved", "the way is further down"],
)
def test_what_was_lost_on_as_many_ways_was_there_before(tmp_path: Path, after: str) -> None:
    assert reviewed(tmp_path, after).introduced is False


JAVA = """\
import java.io.*;

class First {
    int first(File file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        int first = in.read();
        in.close();
        return first;
    }
}
"""
CLOSE = "        in.close();\n"


def test_in_java_a_leak_that_needed_an_exception_is_told_when_it_needs_none(tmp_path: Path) -> None:
    after = JAVA.replace(CLOSE, "")
    outcome = reviewed(tmp_path, after, JAVA, "First.java")
    assert outcome.introduced
    assert after.encode()[outcome.finding.lost.start : outcome.finding.lost.end].decode() == "return first;"
    assert outcome.finding.message == "`in` is not closed on the path to `return first;`."


CAUGHT = """\
import java.io.*;

class First {
    int first(File file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        int number;
        try {
            number = Integer.parseInt(file.getName());
        } catch (NumberFormatException e) {
            return -1;
        }
        int first = in.read() + number;
        in.close();
        return first;
    }
}
"""


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        (CAUGHT.replace(CLOSE, ""), "return first;"),
        (CAUGHT.replace("        int first = in.read() + number;\n        in.close();\n        return first;", "        return in.read() + number;"), "return in.read() + number;"),
    ],
    ids=["the close is gone", "the end is rewritten without the close"],
)
def test_in_java_a_return_that_was_closed_before_is_told_beside_one_that_never_was(tmp_path: Path, after: str, lost: str) -> None:
    outcome = reviewed(tmp_path, after, CAUGHT, "First.java")
    assert outcome.introduced
    assert after.encode()[outcome.finding.lost.start : outcome.finding.lost.end].decode() == lost


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (JAVA, JAVA.replace(CLOSE, "        in.skip(1);\n" + CLOSE)),
        (JAVA.replace(CLOSE, ""), JAVA.replace(CLOSE, "        if (first < 0) {\n            return 0;\n        }\n")),
        (CAUGHT, CAUGHT.replace("return -1;", "return -2;")),
    ],
    ids=["another call may throw", "it was lost by returning before", "the way is rewritten"],
)
def test_in_java_further_ways_of_a_kind_are_not_told(tmp_path: Path, before: str, after: str) -> None:
    assert reviewed(tmp_path, after, before, "First.java").introduced is False
