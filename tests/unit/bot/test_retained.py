"""LeakChecker in reviews: what a change makes of the loops and fields that it touches or reaches, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot import changes, pipeline
from bot.config import Config
from bot.repository import Repository
from tests.unit.bot.gitbox import GitBox

HISTORY = """\
package shop;

import java.util.ArrayList;
import java.util.List;

class History {
    static final List<Object> ALL = new ArrayList<>();

    static void note(Object order) {
        ALL.add(order);
    }
}
"""
REPORTER = """\
package shop;

class Reporter {
    static void tell() {
        for (Object each : History.ALL) {
            System.out.println(each);
        }
    }
}
"""
SERVER = """\
package shop;

import java.util.ArrayList;
import java.util.List;

class Server {
    private final List<byte[]> seen = new ArrayList<>();

    void serve(byte[] request) {
        seen.add(request);
    }

    int last() {
        return seen.size() + seen.get(0).length;
    }
}
"""
UNREAD = SERVER.replace(" + seen.get(0).length", "").replace("return seen.size()", "return 0")


def introduced(box: GitBox, before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    """File and container of what the change introduces."""
    for files in (before, after):
        for name, text in files.items():
            box.write(name, text)
        box.commit("step")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            report = pipeline.run(change, Config())
    finally:
        repository.close()
    return [
        (each.finding.path, each.finding.variable) for each in report.introduced if each.finding.rule == "retained-by-loop"
    ]


def test_taking_the_last_reader_away_is_told_in_the_file_itself(tmp_path: Path) -> None:
    assert introduced(GitBox(tmp_path), {"Server.java": SERVER}, {"Server.java": UNREAD}) == [("Server.java", "seen")]


def test_taking_the_last_reader_away_is_told_where_another_file_stores(tmp_path: Path) -> None:
    before = {"History.java": HISTORY, "Reporter.java": REPORTER}
    silent = REPORTER.replace("for (Object each : History.ALL) {\n            System.out.println(each);\n        }", "")
    assert introduced(GitBox(tmp_path), before, {"Reporter.java": silent}) == [("History.java", "ALL")]


@pytest.mark.parametrize("other", ["class Other {}\n", UNREAD.replace("Server", "Other").replace("seen.add(request);", "")])
def test_what_was_there_before_is_not_told(tmp_path: Path, other: str) -> None:
    assert introduced(GitBox(tmp_path), {"Server.java": UNREAD}, {"Other.java": other}) == []
