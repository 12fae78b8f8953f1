"""The life of a pull request over real HTTP and real git, from its opening to its last thread."""

from __future__ import annotations

import base64
import pathlib
import re
from collections.abc import Iterator

import pytest

from bot import changes, pipeline
from bot.config import Config
from bot.repository import Repository
from fixers.edits import apply
from fixers.fix import Fix
from tests.conftest import require_tool
from tests.e2e.stage import LEAKY, PATH, READER, Stage, first_comments, open_threads, summaries
from tests.fakes.github.git import Link
from tests.fakes.github.state import Pull

_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
"""Code, as Markdown finds it: nothing in it means anything."""


@pytest.fixture
def stage(tmp_path: pathlib.Path) -> Iterator[Stage]:
    require_tool("git")
    with Stage(tmp_path) as stage:
        yield stage


def fixed_by_the_fixer(stage: Stage, pull: Pull, number: int) -> bytes:
    """The text that the fix of one finding makes of the reader."""
    repository = Repository(stage.repo.bare.folder)
    try:
        with changes.review(repository, pull.base, pull.head) as change:
            report = pipeline.run(change, Config())
    finally:
        repository.close()
    answer = report.introduced[number].answer
    assert isinstance(answer, Fix)
    return apply(report.sources[PATH], answer.edits)


def test_from_opening_to_the_last_thread(stage: Stage) -> None:
    stage.serve()
    pull = stage.propose()
    stage.settle()
    check = stage.check(pull)
    assert (check.status, check.conclusion, len(check.annotations)) == ("completed", "neutral", 2)
    assert 1 <= len(check.actions) <= 3
    assert len(open_threads(pull)) == 2 and len(pull.reviews) == 1 and len(summaries(pull)) == 1
    assert all("is a bot" in text or ", a bot" in text for text in (*summaries(pull), pull.reviews[0].body))

    wanted = fixed_by_the_fixer(stage, pull, 0)
    stage.github.apply_suggestion(first_comments(pull)[0], "ann")
    assert stage.repo.bare.read(pull.head, PATH) == wanted, "the suggestion is the fixer's text"
    stage.settle()
    assert [thread.is_resolved for thread in pull.threads] == [True, False] and len(pull.reviews) == 1

    stage.change(pull, lambda text: text.replace("class Reader {\n", "class Reader {\n    int zero() {\n        return 0;\n    }\n\n"))
    stage.settle()
    (moved,) = open_threads(pull)
    assert moved is pull.threads[1] and len(pull.threads) == 2, "followed, and not told again"
    assert stage.check(pull).conclusion == "neutral" and len(summaries(pull)) == 1

    stage.github.comment(pull, "ann", "Do it.\n\n/leakcheck fix")
    stage.settle()
    assert stage.text(pull).count("try (File") == 2 and not open_threads(pull)
    assert stage.check(pull).conclusion == "success"
    assert len(pull.threads) == 2 and len(summaries(pull)) == 1


def test_what_is_ignored_stays_so_and_what_comes_back_goes_on(stage: Stage) -> None:
    stage.serve()
    pull = stage.propose()
    stage.settle()
    id = first_comments(pull)[0].body.partition("`/leakcheck fix ")[2][:8]
    stage.github.comment(pull, "ann", f"/leakcheck ignore {id} the caller closes it")
    stage.settle()
    assert [thread.is_resolved for thread in pull.threads] == [True, False]
    stage.change(pull, lambda text: READER)
    stage.settle()
    assert not open_threads(pull)
    stage.change(pull, lambda text: LEAKY.replace("reader", "Reader"))
    stage.settle()
    assert [thread.is_resolved for thread in pull.threads] == [True, False], "back in its old thread; the other stays ignored"
    assert "the caller closes it" in summaries(pull)[0]


def test_a_fork_gets_comments_and_a_patch(stage: Stage) -> None:
    stage.serve()
    fork = stage.github.fork(stage.repo, "eve")
    stage.github.push(fork, "mine", {PATH: LEAKY}, "eve")
    pull = stage.github.open_pull(stage.repo, "mine", "eve", from_repo=fork)
    stage.settle()
    assert len(open_threads(pull)) == 2 and "```suggestion" in first_comments(pull)[0].body
    head = pull.head
    stage.github.comment(pull, "ann", "/leakcheck fix")
    stage.settle()
    assert pull.head == head and "```diff" in pull.comments[-1].body


def test_nothing_hostile_gets_through(stage: Stage, tmp_path: pathlib.Path) -> None:
    """Names, links, settings and branches of a stranger."""
    secret = tmp_path / "secret.c"
    secret.write_text("int f(void) { char *p = malloc(1); return 0; }\n")
    evil = "src/`@ann` <img src=x> #1 [x](javascript:evil) --upload-pack=x A.java"
    hostile = LEAKY.replace("class Reader", "class A").replace('"reader"', '"@team ``` ```suggestion"')
    files = {
        evil: hostile, "src/link.c": Link(str(secret)), "src/up.c": Link("../../../../etc/passwd"),
        ".leakmend.toml": "[scan]\nexclude = ['**']\n", ".gitattributes": "*.java filter=evil diff=evil\n",
        ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% /tmp/pwned\n',
        "README.md": "# Changed\n",
    }  # fmt: skip
    branch = "x;touch$IFS/tmp/pwned&--upload-pack=evil"
    stage.serve()
    stage.github.push(stage.repo, branch, files, "ann")
    pull = stage.github.open_pull(stage.repo, branch, "ann", title="</details> @everyone")
    stage.settle()
    said = "\n".join([*summaries(pull), *(comment.body for comment in first_comments(pull)), stage.check(pull).summary or ""])
    assert len(open_threads(pull)) == 2, "the settings of the head do not count"
    assert "secret" not in said and "passwd" not in said
    outside = _SPAN.sub("", said)
    assert "@ann" not in outside and "<img" not in outside and "@team" not in outside and "](javascript" not in outside
    assert not pathlib.Path("/tmp/pwned").exists()


def test_tokens_are_nowhere_but_in_headers(stage: Stage) -> None:
    stage.serve()
    pull = stage.propose()
    stage.settle()
    secrets = [*stage.github.tokens, stage.app.secret, base64.b64encode(next(iter(stage.github.tokens)).encode()).decode()]
    for path in sorted((stage.folder / "state").rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            assert not any(secret.encode() in content for secret in secrets if len(secret) > 10), path
    for entry in stage.github.rest.log:
        assert not any(secret in entry.path for secret in stage.github.tokens)
    assert pull.threads and not any("ghs_" in comment.body for comment in pull.comments)
