"""Releases that a change takes out, in reviews: told as introduced where only both versions together tell of them, and not twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzers.finding import WITHDRAWN, Confidence
from bot import changes, pipeline, withdrawing
from bot.config import Config
from bot.report import Outcome
from bot.repository import Repository
from fixers import Declined
from tests.unit.bot.gitbox import GitBox

BASE = """\
#include <stdio.h>

int depot_count(const char *name)
{
    struct depot *depot = depot_open(name);
    FILE *log = fopen("count", "w");
    int count = depot_size(depot);
    if (log != NULL)
        fclose(log);
    depot_shut(depot);
    depot_free(depot);
    return count;
}
"""


def reviewed(folder: Path, after: str) -> tuple[Outcome, ...]:
    """What a review says of one changed file, which it has another name for."""
    box = GitBox(folder)
    box.write("depot.c", BASE)
    box.commit("before")
    (box.folder / "depot.c").rename(box.folder / "store.c")
    box.write("store.c", after)
    box.commit("after")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            return pipeline.run(change, Config()).outcomes
    finally:
        repository.close()


def test_what_is_not_released_any_more_is_introduced(tmp_path: Path) -> None:
    after = BASE.replace("    depot_free(depot);\n", "")
    (outcome,) = reviewed(tmp_path, after)
    found = outcome.finding
    assert outcome.introduced and found.detail == WITHDRAWN and found.confidence is Confidence.ASSUMED
    assert found.path == "store.c" and found.variable == "depot"
    assert after.encode()[found.lost.start : found.lost.end] == b"return count;"
    assert isinstance(outcome.answer, Declined)


def test_what_the_new_version_tells_alone_is_told_once(tmp_path: Path) -> None:
    (outcome,) = reviewed(tmp_path, BASE.replace("        fclose(log);", "        fputs(\"done\", log);"))
    assert outcome.introduced and outcome.finding.detail != WITHDRAWN and outcome.finding.variable == "log"


def test_a_failure_of_the_comparison_leaves_the_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(withdrawing, "withdrawn", failing)
    assert reviewed(tmp_path, BASE.replace("    depot_free(depot);\n", "")) == ()


def test_a_close_of_java_that_is_taken_out_is_introduced(tmp_path: Path) -> None:
    base = "package mill;\nclass Bench {\n    int weigh() {\n        grain.Sack sack = grain.Depot.openSack(7);\n        int weight = sack.weight();\n"
    box = GitBox(tmp_path)
    box.write("Bench.java", base + "        sack.close();\n        return weight;\n    }\n}\n")
    box.commit("before")
    box.write("Bench.java", base + "        return weight;\n    }\n}\n")
    box.commit("after")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            (outcome,) = pipeline.run(change, Config()).outcomes
    finally:
        repository.close()
    assert outcome.introduced and outcome.finding.detail == WITHDRAWN and outcome.finding.variable == "sack"
    assert isinstance(outcome.answer, Declined)


MEMBERS = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sheet {
    char *name;
};

struct sheet *sheet_made(const char *name)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);
    if (sheet)
        sheet->name = strdup(name);
    return sheet;
}

int sheet_shown(const char *name, int count)
{
    struct sheet *sheet = malloc(sizeof *sheet);
    if (!sheet)
        return -1;
    sheet->name = (char *)strdup(name);
    if (count > 3) {
        free(sheet->name);
        free(sheet);
        return -1;
    }
    puts(sheet->name);
    free(sheet->name);
    free(sheet);
    return 0;
}

int sheet_kept(const char *name, int count)
{
    struct sheet sheet;
    sheet.name = strdup(name);
    if (count > 3) {
        free(sheet.name);
        return -1;
    }
    puts(sheet.name);
    free(sheet.name);
    return 0;
}
"""


@pytest.mark.parametrize("line", ["        free(sheet->name);\n", "        free(sheet.name);\n"])
def test_what_lies_in_a_member_is_told_once(tmp_path: Path, line: str) -> None:
    box = GitBox(tmp_path)
    box.write("sheet.c", MEMBERS)
    box.commit("before")
    box.write("sheet.c", MEMBERS.replace(line, ""))
    box.commit("after")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            (outcome,) = [each for each in pipeline.run(change, Config()).outcomes if each.introduced]
    finally:
        repository.close()
    assert outcome.finding.detail != WITHDRAWN
