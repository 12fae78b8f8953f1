"""What the tests of many runs share: one repository whose versions were analysed before, and both databases."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest

from bot import changes, pipeline
from bot.config import Config
from bot.database import PostgresDatabase, SqliteDatabase
from bot.repository import Repository
from tests.conftest import require_tool
from tests.e2e.schedules import Shared
from tests.e2e.stage import LEAKY, PATH, READER
from tests.fakes.github import FakeGitHub
from tests.fakes.github.clock import Clock

START = 1_800_000_000
_MOVED = "package shop;\n\nimport java.io.*;\n\nclass Reader {\n    int zero() {\n        return 0;\n    }\n\n"
VERSIONS = (
    LEAKY,
    LEAKY.replace("        return in.read();", "        try (in) {\n            return in.read();\n        }"),
    LEAKY.replace("package shop;\n\nimport java.io.*;\n\nclass Reader {\n", _MOVED),
    LEAKY.replace("    String name()", "    int third(File file) throws IOException {\n        FileReader more = new FileReader(file);\n"
                  "        return more.read();\n    }\n\n    String name()"),
    READER.replace("reader", "The reader"),
)  # fmt: skip

Place = tuple[str, SqliteDatabase | PostgresDatabase]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """The fake with the versions of a branch, and what there is to say of each."""
    require_tool("git")
    folder = tmp_path_factory.mktemp("shared")
    github = FakeGitHub(folder / "hub", Clock(START))
    github.rest.is_checking = False
    github.limits.primary = 10**9
    repo = github.repository("acme/template", {PATH: READER}, writers=["ann"])
    versions = tuple(
        repo.bare.commit(f"v{number}", "refs/heads/main", {PATH: text}, f"Version {number}", "ann", START)
        for number, text in enumerate(VERSIONS)
    )
    base = repo.bare.rev("main")
    assert base
    reports = {}
    repository = Repository(repo.bare.folder)
    for version in versions:
        with changes.review(repository, base, version) as change:
            reports[version] = pipeline.run(change, Config())
    repository.close()
    assert [len(reports[version].introduced) for version in versions] == [2, 1, 2, 3, 0]
    return Shared(github, repo.bare, base, versions, reports, {}, github.app(hook_url="http://bot.invalid"))


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[Place]:
    """A database and its URL."""
    if request.param == "sqlite":
        path = tmp_path / "state" / "leakmend.sqlite"
        yield f"sqlite://{path}", SqliteDatabase(path)
        return
    url = request.getfixturevalue("postgres_url")
    database = PostgresDatabase(url)
    yield url, database
    database.close()
