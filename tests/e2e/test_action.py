"""The Action's entry point as a subprocess, as a runner starts it: a depth-1 checkout, `GITHUB_TOKEN`, an event."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import check_golden, require_tool
from tests.e2e.stage import LEAKY, Stage, first_comments, open_threads, summaries
from tests.fakes.github.description import description
from tests.fakes.github.git import environment
from tests.fakes.github.git_http import basic
from tests.fakes.github.state import Pull, Repo

GOLDENS = pathlib.Path(__file__).parent / "goldens"
ALL = {"contents": "write", "pull_requests": "write", "checks": "write", "issues": "write", "metadata": "read"}
READ = {name: "read" for name in ALL}


class Ran:
    """What a step left behind."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: pathlib.Path) -> None:
        self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr
        self.page = (folder / "summary.md").read_text() if (folder / "summary.md").exists() else ""
        rows = (folder / "output").read_text().splitlines() if (folder / "output").exists() else []
        self.outputs = dict(row.split("=", 1) for row in rows)

    def file(self, name: str) -> Any:
        """A file that an output names, as JSON."""
        return json.loads(pathlib.Path(self.outputs[name]).read_text())


class Runner:
    """A machine of GitHub Actions."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.secrets: list[str] = []

    def run(self, event: str, payload: dict[str, object], repo: Repo, permissions: dict[str, str], **more: str) -> Ran:
        github = self.stage.github
        folder = self.stage.folder / f"runner{len(self.secrets)}"
        folder.mkdir()
        token = github.actions_token(repo, permissions)
        self.secrets.append(token)
        (folder / "event.json").write_text(json.dumps(payload))
        workspace = self._checkout(folder / "work", repo, payload, token)
        variables = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "CI": "true", "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(folder / "event.json"), "GITHUB_REPOSITORY": repo.full_name, "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_API_URL": github.url, "GITHUB_SERVER_URL": github.url, "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_RUN_ID": str(len(self.secrets)), "RUNNER_TEMP": str(folder), "INPUT_TOKEN": token,
            "LEAKMEND_CACHE": str(self.stage.folder / "cache"), "LEAKMEND_WRITE_GAP": "0", **more,
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-I", "-m", "bot.action"], cwd=workspace, env=variables, capture_output=True, text=True, check=False,
            timeout=120,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        assert token not in done.stdout + done.stderr
        return Ran(done, folder)

    def _checkout(self, folder: pathlib.Path, repo: Repo, payload: dict[str, object], token: str) -> pathlib.Path:
        """What `actions/checkout` leaves: one commit, for a pull request the merge commit."""
        ref = "refs/heads/main"
        if isinstance(payload.get("number"), int) and repo.bare.rev(f"refs/pull/{payload['number']}/merge"):
            ref = f"refs/pull/{payload['number']}/merge"
        settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader",
                    "GIT_CONFIG_VALUE_0": f"Authorization: {basic(token)}"}  # fmt: skip
        url = f"{self.stage.github.url}/{repo.full_name}"
        for words in (["init", "--quiet", str(folder)], ["-C", str(folder), "fetch", "--quiet", "--depth=1", url, ref],
                      ["-C", str(folder), "checkout", "--quiet", "FETCH_HEAD"]):  # fmt: skip
            subprocess.run(["git", *words], check=True, env={**environment(), **settings})
        return folder

    def on_pull(self, pull: Pull, action: str = "opened", permissions: dict[str, str] | None = None, event: str = "pull_request", **more: str) -> Ran:
        shape = description().completed("pull-request", self.stage.github.shapes.pull(pull))
        payload = {"action": action, "number": pull.number, "pull_request": shape, "repository": self.stage.github.shapes.repo(pull.repo)}
        return self.run(event, payload, pull.repo, ALL if permissions is None else permissions, **more)

    def on_comment(self, pull: Pull, by: str, body: str, permissions: dict[str, str] | None = None) -> Ran:
        shapes = self.stage.github.shapes
        comment = self.stage.github.comment(pull, by, body)
        payload = {"action": "created", "issue": shapes.issue(pull), "comment": shapes.issue_comment(comment), "repository": shapes.repo(pull.repo)}
        return self.run("issue_comment", payload, pull.repo, ALL if permissions is None else permissions)


@pytest.fixture
def runner(tmp_path: pathlib.Path) -> Iterator[Runner]:
    require_tool("git")
    with Stage(tmp_path) as stage:
        yield Runner(stage)


def check_page(name: str, ran: Ran, runner: Runner) -> None:
    """The step summary as expected, but for commits and addresses."""
    text = ran.page.replace(runner.stage.github.url, "https://github.example")
    check_golden(GOLDENS / f"{name}.md", re.sub(r"\b[0-9a-f]{40}\b", "SHA", text))


def test_a_pull_request_gets_its_review(runner: Runner) -> None:
    pull = runner.stage.propose()
    ran = runner.on_pull(pull)
    assert ran.status == 0, ran.output + ran.errors
    check_page("action-pull-request", ran, runner)
    assert ran.outputs["findings"] == "2" and "::warning" not in ran.output
    assert len(ran.file("sarif-file")["runs"][0]["results"]) == 2 and len(ran.file("report")["findings"]) == 2
    check = runner.stage.check(pull)
    assert (check.conclusion, len(check.annotations)) == ("neutral", 2)
    assert [each.author.login for each in first_comments(pull)] == ["github-actions[bot]"] * 2 and len(summaries(pull)) == 1


def test_a_push_to_the_default_branch_is_learned_for_the_reviews_to_come(runner: Runner) -> None:
    def pushed(branch: str) -> Ran:
        repo, shapes = runner.stage.repo, runner.stage.github.shapes
        payload = {"ref": f"refs/heads/{branch}", "after": repo.bare.refs()["refs/heads/main"], "deleted": False}
        return runner.run("push", {**payload, "repository": shapes.repo(repo)}, repo, {"contents": "read", "metadata": "read"})

    assert "nothing to do for this push" in pushed("topic").page.lower()
    first, second = pushed("main"), pushed("main")
    assert first.status == 0 and "analysed for later reviews: learned" in first.page, first.page + first.errors
    assert "analysed for later reviews: known before" in second.page
    assert runner.on_pull(runner.stage.propose()).outputs["findings"] == "2"


def test_a_second_attempt_says_nothing_twice(runner: Runner) -> None:
    pull = runner.stage.propose()
    runner.on_pull(pull)
    ran = runner.on_pull(pull, "synchronize")
    assert ran.status == 0 and ran.outputs["findings"] == "2"
    assert (len(pull.threads), len(pull.reviews), len(summaries(pull))) == (2, 1, 1)


def test_a_push_resolves_what_is_mended(runner: Runner) -> None:
    pull = runner.stage.propose()
    runner.on_pull(pull)
    runner.stage.change(pull, lambda text: text.replace("        return in.read();", "        in.close();\n        return 0;"))
    assert runner.on_pull(pull, "synchronize").outputs["findings"] in ("1", "2")
    runner.stage.github.apply_suggestion(first_comments(pull)[1], "ann")
    runner.on_pull(pull, "synchronize")
    assert len(pull.threads) == 2


def test_fail_on_fails_the_step(runner: Runner) -> None:
    pull = runner.stage.propose()
    ran = runner.on_pull(pull, INPUT_FAIL_ON="witnessed")
    assert ran.status == 1 and "::error title=leakmend::2 findings" in ran.output
    wrong = runner.on_pull(pull, INPUT_FAIL_ON="always")
    assert wrong.status == 2 and wrong.output.startswith("::error") and wrong.output.count("\n") == 1


def test_a_fork_degrades(runner: Runner) -> None:
    stage = runner.stage
    fork = stage.github.fork(stage.repo, "eve")
    stage.github.push(fork, "mine", {"src/shop/Reader.java": LEAKY}, "eve")
    pull = stage.github.open_pull(stage.repo, "mine", "eve", from_repo=fork)
    ran = runner.on_pull(pull, permissions=READ)
    assert ran.status == 0, ran.output + ran.errors
    check_page("action-fork", ran, runner)
    assert ran.output.count("::warning file=src/shop/Reader.java,line=1") == 2
    assert len(ran.file("sarif-file")["runs"][0]["results"]) == 2
    assert not pull.threads and not pull.comments and not stage.repo.checks


def test_a_fork_with_pull_request_target_gets_comments(runner: Runner) -> None:
    stage = runner.stage
    fork = stage.github.fork(stage.repo, "eve")
    stage.github.push(fork, "mine", {"src/shop/Reader.java": LEAKY}, "eve")
    pull = stage.github.open_pull(stage.repo, "mine", "eve", from_repo=fork)
    ran = runner.on_pull(pull, event="pull_request_target")
    assert ran.status == 0 and len(open_threads(pull)) == 2, ran.output + ran.errors


def test_a_missing_permission_is_named(runner: Runner) -> None:
    pull = runner.stage.propose()
    ran = runner.on_pull(pull, permissions={**READ, "checks": "write"})
    assert ran.status == 0, ran.output + ran.errors
    check_page("action-missing-permission", ran, runner)
    assert not pull.threads and runner.stage.check(pull).status == "completed" and "::warning" not in ran.output
    bare = runner.on_pull(pull, permissions=READ)
    assert bare.status == 0 and bare.output.count("::warning") == 2


def test_a_comment_commits_the_fix(runner: Runner) -> None:
    pull = runner.stage.propose()
    runner.on_pull(pull)
    ran = runner.on_comment(pull, "ann", "Thanks.\n\n/leakcheck fix")
    assert ran.status == 0, ran.output + ran.errors
    check_page("action-comment", ran, runner)
    assert runner.stage.text(pull).count("try (File") == 2
    answer = pull.comments[-1].body
    assert "starts no other workflow" in answer and "leakmend, a bot" in answer
    assert [each.content for each in pull.comments[-2].reactions] == ["eyes", "rocket"]
    refused = runner.on_comment(pull, "rob", "/leakcheck fix")
    assert refused.status == 0 and "confused" in [each.content for each in pull.comments[-2].reactions]


def test_a_comment_without_a_command_costs_nothing(runner: Runner) -> None:
    pull = runner.stage.propose()
    ran = runner.on_comment(pull, "ann", "I like `/leakcheck fix`.")
    assert ran.status == 0 and "no /leakcheck command" in ran.page 
    assert all(entry.operation.startswith("GIT fetch") for entry in runner.stage.github.rest.log)


def test_a_merge_queue_does_not_wait(runner: Runner) -> None:
    stage = runner.stage
    pull = stage.propose()
    head = stage.github.merge_group(pull)
    payload = {"action": "checks_requested", "merge_group": {"head_sha": head}, "repository": stage.github.shapes.repo(stage.repo)}
    ran = runner.run("merge_group", payload, stage.repo, ALL)
    assert ran.status == 0, ran.output + ran.errors
    check_page("action-merge-group", ran, runner)
    (check,) = stage.repo.checks
    assert (check.suite.head, check.conclusion) == (head, "success")


def test_an_autofix_pull_request_lives_and_dies(runner: Runner) -> None:
    stage = runner.stage
    pull = stage.propose()
    runner.on_pull(pull, INPUT_AUTOFIX="pull-request")
    fix = stage.repo.pulls[pull.number + 1]
    assert (fix.head_ref, fix.base_ref, fix.state) == (f"leakmend/pr-{pull.number}", "feature", "open")
    stage.github.close(pull, "ann")
    runner.on_pull(pull, "closed")
    assert fix.state == "closed" and stage.repo.bare.rev(f"refs/heads/{fix.head_ref}") is None


def test_the_config_is_the_base_branchs(runner: Runner) -> None:
    stage = runner.stage
    stage.github.push(stage.repo, "main", {".leakmend/strict.toml": "[scan]\nexclude = ['src/**']\n"}, "ann")
    stage.github.push(stage.repo, "feature", {"src/shop/Reader.java": LEAKY, ".leakmend.toml": "[scan]\nexclude = ['**']\n"}, "ann")
    pull = stage.github.open_pull(stage.repo, "feature", "ann")
    assert runner.on_pull(pull).outputs["findings"] == "2"
    assert runner.on_pull(pull, INPUT_CONFIG=".leakmend/strict.toml").outputs["findings"] == "0"
    wrong = runner.on_pull(pull, INPUT_CONFIG="../../etc/passwd")
    assert wrong.status == 2 and wrong.output.count("\n") == 1
    missing = runner.on_pull(pull, INPUT_CONFIG=".leakmend/none.toml")
    assert missing.status == 2 and ".leakmend/none.toml" in missing.output


def test_nothing_of_the_checkout_is_imported(runner: Runner) -> None:
    stage = runner.stage
    files = {"src/shop/Reader.java": LEAKY, "bot/__init__.py": "raise SystemExit(9)\n", "msgspec.py": "raise SystemExit(9)\n"}
    stage.github.push(stage.repo, "feature", files, "ann")
    assert runner.on_pull(stage.github.open_pull(stage.repo, "feature", "ann")).status == 0


def test_other_events_end_well(runner: Runner) -> None:
    ran = runner.run("release", {"action": "published"}, runner.stage.repo, READ)
    assert ran.status == 0 and "Nothing to do for the event 'release'" in ran.page and ran.outputs["findings"] == "0"
