"""A pull request in memory, and the run that reviews it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.reviewing import Means, NoBooks, Reviewed, review

from .memory import MemoryGitHub

CLEAN = """\
package shop;

import java.io.*;

class Reader {
    int size(File file) {
        return (int) file.length();
    }
}
"""


@pytest.fixture
def github(tmp_path: Path) -> MemoryGitHub:
    """A repository whose `topic` is about to change what `main` holds."""
    made = MemoryGitHub(tmp_path / "pump")
    made.box.write("src/Reader.java", CLEAN)
    made.box.commit()
    made.git("checkout", "--quiet", "-b", "topic")
    return made


@pytest.fixture
def run(github: MemoryGitHub) -> Callable[..., Reviewed]:
    """Review pull request 3 as it is now."""

    def once(name: str = "", **decided: object) -> Reviewed:
        means = Means(source=github, books=NoBooks())
        return review(github, 3, means, name, **decided)  # type: ignore[arg-type]

    return once
