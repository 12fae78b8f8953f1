"""Tokens, permissions, limits and faults of the fake."""

from __future__ import annotations

import subprocess

import github
import pytest
from github import Auth

from tests.fakes.github import FakeGitHub, faults
from tests.fakes.github.clock import Clock
from tests.fakes.github.description import description
from tests.fakes.github.git import environment
from tests.fakes.github.git_http import basic
from tests.fakes.github.rest import ROUTES
from tests.unit.fakes.conftest import Scene


def test_every_described_operation_is_answered() -> None:
    assert sorted(route.operation for route in ROUTES) == sorted(each.name for each in description().operations)


def test_tokens_are_long_narrowed_and_expire(scene: Scene) -> None:
    assert scene.token.startswith("ghs_") and len(scene.token) > 200
    assert scene.on("GET", "/pulls/1").status_code == 200
    scene.github.clock.advance(3601)
    assert scene.on("GET", "/pulls/1").status_code == 401
    scene.token = scene.new_token(permissions={"pull_requests": "read"}, repository_ids=[scene.repo.id])
    assert scene.on("GET", "/pulls/1").status_code == 200
    assert scene.on("POST", "/issues/1/comments", {"body": "x"}).status_code == 403
    other = scene.call("POST", f"/app/installations/{scene.installation.id}/access_tokens", {"repository_ids": [1]}, scene.jwt())
    assert other.status_code == 422
    more = scene.call("POST", f"/app/installations/{scene.installation.id}/access_tokens",
                      {"permissions": {"workflows": "write"}}, scene.jwt())  # fmt: skip
    assert more.status_code == 422


@pytest.mark.parametrize("claims", [{"exp": 10}, {"iss": "77"}, {"exp": 9_999_999_999}, {"iat": 9_999_999_999}])
def test_bad_app_tokens_are_refused(scene: Scene, claims: dict[str, object]) -> None:
    assert scene.call("GET", "/app", token=scene.jwt(**claims)).status_code == 401
    assert scene.call("GET", "/app", token=scene.jwt()).json()["slug"] == "leakmend"


def test_what_a_token_does_not_see_is_not_there(scene: Scene) -> None:
    scene.github.repository("acme/secret", {"a": "a"})
    assert scene.call("GET", "/repos/acme/secret").status_code == 404
    assert scene.call("GET", "/repos/acme/nothing").status_code == 404
    scene.github.suspend(scene.installation)
    assert scene.on("GET", "/pulls/1").status_code == 403
    scene.github.uninstall(scene.installation)
    assert scene.on("GET", "/pulls/1").status_code == 401


def test_permissions_of_people(scene: Scene) -> None:
    def permission(login: str) -> tuple[str, str]:
        answer = scene.on("GET", f"/collaborators/{login}/permission").json()
        return answer["permission"], answer["role_name"]

    scene.repo.collaborators["mia"] = "maintain"
    scene.github.user("mia")
    scene.github.user("eve")
    assert [permission(login) for login in ("ann", "rob", "mia", "eve")] == [
        ("write", "write"), ("read", "read"), ("write", "maintain"), ("none", "none"),
    ]  # fmt: skip
    assert scene.on("GET", "/collaborators/nobody/permission").status_code == 404


def test_an_archived_repository_is_read_only(scene: Scene) -> None:
    scene.repo.is_archived = True
    assert scene.on("GET", "/pulls/1").status_code == 200
    assert "archived" in scene.on("POST", "/issues/1/comments", {"body": "x"}).json()["message"]


def test_the_80th_content_write_of_a_minute_is_the_last(scene: Scene) -> None:
    codes = [scene.on("POST", "/issues/1/comments", {"body": "x"}).status_code for _ in range(81)]
    assert codes == [201] * 80 + [403]
    refused = scene.on("POST", "/issues/1/comments", {"body": "x"})
    assert refused.headers["retry-after"] == "60" and "secondary" in refused.json()["message"]
    assert scene.on("GET", "/pulls/1").status_code == 200
    scene.github.clock.advance(61)
    assert scene.on("POST", "/issues/1/comments", {"body": "x"}).status_code == 201


def test_the_primary_limit_resets_after_an_hour(scene: Scene) -> None:
    scene.github.limits.primary = 3
    codes = [scene.on("GET", "/pulls/1").status_code for _ in range(4)]
    assert codes == [200, 200, 200, 403]
    assert scene.on("GET", "/pulls/1").headers["x-ratelimit-remaining"] == "0"
    scene.github.clock.advance(3500)
    scene.token = scene.new_token()
    scene.github.clock.advance(200)
    assert scene.on("GET", "/pulls/1").status_code == 200


def test_an_unchanged_answer_costs_nothing(scene: Scene) -> None:
    first = scene.on("GET", "/pulls/1")
    again = scene.call("GET", "/repos/acme/pump/pulls/1", **{"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content
    assert again.headers["x-ratelimit-used"] == "1"


def test_a_clock_that_stands() -> None:
    clock = Clock(1000.0)
    clock.sleep(5)
    assert clock() == 1005 and clock.stamp() == "1970-01-01T00:16:45Z"


# --- faults


def test_a_502_after_the_write_leaves_the_comment(scene: Scene) -> None:
    scene.github.fail(faults.bad_gateway_after(r"POST .*/issues/.*/comments"))
    assert scene.on("POST", "/issues/1/comments", {"body": "x"}).status_code == 502
    assert [comment.body for comment in scene.pull.comments] == ["x"]
    scene.github.fail(faults.bad_gateway(r"POST .*/issues/.*/comments"))
    assert scene.on("POST", "/issues/1/comments", {"body": "y"}).status_code == 502
    assert len(scene.pull.comments) == 1


def test_limits_with_and_without_a_time(scene: Scene) -> None:
    scene.github.fail(faults.too_many("GET .*/pulls", None))
    answer = scene.on("GET", "/pulls/1")
    assert answer.status_code == 429 and "retry-after" not in answer.headers
    scene.github.fail(faults.too_many("GET .*/pulls", 7))
    assert scene.on("GET", "/pulls/1").headers["retry-after"] == "7"


def test_the_head_moves_meanwhile(scene: Scene) -> None:
    def push() -> None:
        scene.github.push(scene.repo, "feature", {"new.txt": "n\n"}, by="ann")

    old = scene.pull.head
    scene.github.fail(faults.meanwhile(r"POST .*/reviews", push))
    body = {"commit_id": old, "event": "COMMENT", "body": "Look"}
    assert scene.on("POST", "/pulls/1/reviews", body).json()["commit_id"] == old != scene.pull.head


# --- what leaves the description


def test_strays_are_noted(scene: Scene) -> None:
    scene.on("POST", "/issues/1/comments", {"body": "x", "colour": "red"})
    scene.on("POST", "/check-runs", {"name": "x", "head_sha": scene.pull.head, "status": "dunno"})
    scene.on("GET", "/pulls?per_page=200")
    scene.on("GET", "/stargazers")
    noted = list(scene.github.violations)
    scene.github.violations.clear()
    assert len(noted) == 4 and "$.colour" in noted[0] and "dunno" in noted[1] and "200" in noted[2]


# --- a real client, and real git


def test_pygithub_gets_along(scene: Scene) -> None:
    auth = Auth.AppAuth(scene.app.id, scene.app.private_key.decode())
    integration = github.GithubIntegration(auth=auth, base_url=scene.github.url, seconds_between_requests=0, seconds_between_writes=0)
    client = integration.get_github_for_installation(scene.installation.id)
    pull = client.get_repo("acme/pump").get_pull(1)
    assert pull.head.sha == scene.pull.head and pull.user.login == "ann" and pull.mergeable
    assert [(file.filename, file.status) for file in pull.get_files()] == [("a.txt", "modified")]
    comment = pull.create_issue_comment("Hello")
    comment.edit("Hello again")
    comment.create_reaction("eyes")
    assert [each.body for each in pull.get_issue_comments()] == ["Hello again"]
    run = pull.base.repo.create_check_run("leakmend", pull.head.sha, status="queued")
    run.edit(status="completed", conclusion="success", output={"title": "Fine", "summary": "Nothing"})
    assert [each.conclusion for each in pull.base.repo.get_commit(pull.head.sha).get_check_runs()] == ["success"]


def git(*words: str, token: str = "") -> subprocess.CompletedProcess[str]:
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: {basic(token)}"} if token else {}  # fmt: skip
    variables = {**environment(), **settings, "GIT_TERMINAL_PROMPT": "0"}
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False, env=variables)


def test_git_clones_fetches_and_pushes(scene: Scene, tmp_path: object) -> None:
    url, folder = f"{scene.github.url}/acme/pump.git", f"{tmp_path}/clone"
    assert git("clone", "--quiet", url, folder).returncode != 0
    assert git("clone", "--quiet", url, folder, token="ghs_wrong").returncode != 0
    done = git("clone", "--quiet", "--bare", "--filter=blob:none", url, folder, token=scene.token)
    assert done.returncode == 0, done.stderr
    assert git("-C", folder, "fetch", "--quiet", "origin", "refs/pull/1/head", token=scene.token).returncode == 0
    assert git("-C", folder, "fetch", "--quiet", "origin", scene.pull.head, token=scene.token).returncode == 0
    assert git("-C", folder, "push", "--quiet", "origin", f"{scene.pull.head}:refs/heads/leakmend/x", token=scene.token).returncode == 0
    assert scene.repo.bare.rev("refs/heads/leakmend/x") == scene.pull.head
    read = scene.new_token(permissions={"contents": "read"})
    assert git("-C", folder, "push", "--quiet", "origin", f"{scene.pull.head}:refs/heads/y", token=read).returncode != 0


def test_workflows_are_not_ours_to_push(scene: Scene, tmp_path: object) -> None:
    url, folder = f"{scene.github.url}/acme/pump", f"{tmp_path}/clone"
    scene.repo.bare.commit("w", scene.pull.head, {".github/workflows/x.yml": "on: push"}, "w", "ann", 1)
    commit = scene.repo.bare.rev("w")
    scene.repo.bare.set_refs({"refs/heads/w": None, "refs/pull/9/head": commit})
    git("clone", "--quiet", "--bare", url, folder, token=scene.token)
    git("-C", folder, "fetch", "--quiet", "origin", "refs/pull/9/head", token=scene.token)
    pushed = git("-C", folder, "push", "origin", f"{commit}:refs/heads/w", token=scene.token)
    assert pushed.returncode != 0 and "workflows" in pushed.stderr


def test_forks_share_what_they_propose(tmp_path: object, scene: Scene) -> None:
    hub: FakeGitHub = scene.github
    fork = hub.fork(scene.repo, "eve")
    head = hub.push(fork, "mine", {"b.txt": "c\n"}, by="eve")
    pull = hub.open_pull(scene.repo, "mine", by="eve", from_repo=fork)
    shown = scene.on("GET", f"/pulls/{pull.number}").json()
    assert shown["head"]["repo"]["full_name"] == "eve/pump" and shown["head"]["repo"]["fork"] and shown["head"]["sha"] == head
    assert scene.repo.bare.rev(f"refs/pull/{pull.number}/head") == head
    assert scene.call("POST", "/repos/eve/pump/git/refs", {"ref": "refs/heads/x", "sha": head}).status_code == 404
