"""Webhooks, checks, GraphQL and the manifest flow of the fake."""

from __future__ import annotations

import base64
import gzip
import http.server
import json
import pathlib
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from bot.webhook import events
from tests.fakes.github import FakeGitHub
from tests.unit.fakes.conftest import CHANGED, Scene, wait_for

THREADS = """query($n: Int!) { repository(owner: "acme", name: "pump") { pullRequest(number: $n) { reviewThreads(first: 50) {
  nodes { id isResolved isOutdated resolvedBy { login } comments(first: 10) { nodes { databaseId body author { login } } } } } } } }"""


class Receiver:
    """Takes deliveries and remembers them."""

    def __init__(self) -> None:
        receiver = self
        self.got: list[tuple[str, bytes, dict[str, str]]] = []
        self.status = 202

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.headers["X-GitHub-Event"], body, {k.lower(): v for k, v in self.headers.items()}))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *words: object) -> None:
                """Quiet."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def guids(self) -> list[str]:
        return [headers["x-github-delivery"] for _, _, headers in self.got]


@pytest.fixture
def receiver(scene: Scene) -> Iterator[Receiver]:
    made = Receiver()
    scene.app.hook_url = made.url
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_deliveries_are_signed_and_mean_something(scene: Scene, receiver: Receiver) -> None:
    head = scene.github.push(scene.repo, "feature", {"b.txt": "c\n"}, by="ann")
    scene.github.comment(scene.pull, "rob", "/leakcheck help")
    scene.github.hooks.send_all()
    (push, pushed, _), (name, body, headers), (other, comment, _) = receiver.got
    assert push == "push" and events.parse(push, pushed) is None, "not the default branch"
    assert events.is_signed(b"hush", body, headers["x-hub-signature-256"])
    wanted = events.parse(name, body)
    assert isinstance(wanted, events.ReviewWanted) and (wanted.head, wanted.reason) == (head, "pushed")
    assert wanted.repository.installation == scene.installation.id
    said = events.parse(other, comment)
    assert isinstance(said, events.CommentWritten) and (said.author, said.body) == ("rob", "/leakcheck help")


def test_lost_and_doubled_deliveries(scene: Scene, receiver: Receiver) -> None:
    scene.github.hooks.lost = 1
    scene.github.comment(scene.pull, "rob", "one")
    scene.github.hooks.doubled = 1
    scene.github.comment(scene.pull, "rob", "two")
    scene.github.hooks.send_all()
    assert len(receiver.got) == 2 and len(set(receiver.guids())) == 1
    failed = scene.call("GET", "/app/hook/deliveries?per_page=100&status=failure", token=scene.jwt()).json()
    lost = [each for each in failed if each["event"] == "issue_comment"]
    assert len(lost) == 1 and lost[0]["guid"] not in receiver.guids()
    assert scene.call("POST", f"/app/hook/deliveries/{lost[0]['id']}/attempts", token=scene.jwt()).status_code == 202
    scene.github.hooks.start()
    wait_for(scene.github.hooks.is_idle)
    assert receiver.guids()[-1] == lost[0]["guid"]
    scene.github.clock.advance(4 * 24 * 3600)
    assert scene.call("GET", "/app/hook/deliveries", token=scene.jwt()).json() == []


def test_a_refused_delivery_is_in_the_list(scene: Scene, receiver: Receiver) -> None:
    receiver.status = 500
    scene.github.merge_group(scene.pull)
    scene.github.hooks.send_all()
    (listed,) = scene.call("GET", "/app/hook/deliveries?status=failure", token=scene.jwt()).json()
    assert (listed["event"], listed["status_code"]) == ("merge_group", 500)


# --- checks


def test_checks_grow_by_fifties(scene: Scene) -> None:
    head = scene.pull.head
    note = {"path": "a.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}
    output = {"title": "t", "summary": "s", "annotations": [note] * 50}
    made = scene.on("POST", "/check-runs", {"name": "leakmend", "head_sha": head, "status": "in_progress", "output": output}).json()
    scene.on("PATCH", f"/check-runs/{made['id']}", {"output": output})
    assert len(scene.on("GET", f"/check-runs/{made['id']}/annotations?per_page=100").json()) == 100
    assert scene.on("POST", "/check-runs", {"name": "x", "head_sha": head, "status": "completed"}).status_code == 422
    done = scene.on("PATCH", f"/check-runs/{made['id']}", {"conclusion": "neutral"}).json()
    assert (done["status"], done["conclusion"]) == ("completed", "neutral")
    assert scene.on("POST", "/check-runs", {"name": "x", "head_sha": "0" * 40}).status_code == 422
    assert not scene.github.violations
    too_many = {"title": "t", "summary": "s", "annotations": [note] * 51}
    assert scene.on("PATCH", f"/check-runs/{made['id']}", {"output": too_many}).status_code == 422
    assert scene.on("PATCH", f"/check-runs/{made['id']}", {"actions": [{"label": "x" * 21, "description": "", "identifier": "a"}]}).status_code == 422
    assert scene.on("PATCH", f"/check-runs/{made['id']}", {"status": "completed"}).status_code == 422
    assert len(scene.github.violations) == 3
    scene.github.violations.clear()


def test_sarif_is_taken_gzipped(scene: Scene) -> None:
    packed = base64.b64encode(gzip.compress(b"{}")).decode()
    body = {"commit_sha": scene.pull.head, "ref": "refs/pull/1/head", "sarif": packed}
    assert scene.on("POST", "/code-scanning/sarifs", body).status_code == 403
    scene.installation.permissions["security_events"] = "write"
    scene.token = scene.new_token()
    assert scene.on("POST", "/code-scanning/sarifs", body).status_code == 202
    assert scene.on("POST", "/code-scanning/sarifs", {**body, "sarif": "e30="}).status_code == 400
    assert [upload.sarif for upload in scene.repo.uploads] == [b"{}"]


# --- GraphQL


def thread_of(scene: Scene) -> dict[str, object]:
    (thread,) = scene.ask(THREADS, n=1)["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
    assert isinstance(thread, dict)
    return thread


def test_threads_resolve_with_contents_write_only(scene: Scene) -> None:
    comment = {"path": "a.txt", "line": 10, "side": "RIGHT", "body": "Hm"}
    scene.on("POST", "/pulls/1/reviews", {"event": "COMMENT", "body": "Look", "comments": [comment]})
    resolve = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
    node = thread_of(scene)["id"]
    full, scene.token = scene.token, scene.new_token(permissions={"pull_requests": "write"})
    assert scene.ask(resolve, id=node)["errors"][0]["type"] == "FORBIDDEN"
    scene.token = full
    assert scene.ask(resolve, id=node)["data"]["resolveReviewThread"]["thread"] == {"isResolved": True}
    assert thread_of(scene)["resolvedBy"] is None
    scene.github.unresolve(scene.pull.threads[0], "rob")
    scene.github.resolve(scene.pull.threads[0], "rob")
    assert thread_of(scene)["resolvedBy"] == {"login": "rob"}
    said = thread_of(scene)["comments"]
    assert said["nodes"][0]["author"] == {"login": "leakmend"}  # type: ignore[index]


def test_commits_are_made_on_the_expected_head_only(scene: Scene) -> None:
    commit = """mutation($head: GitObjectID!, $path: String!, $text: Base64String!) { createCommitOnBranch(input: {
      branch: {repositoryNameWithOwner: "acme/pump", branchName: "feature"}, expectedHeadOid: $head,
      message: {headline: "Close it", body: "Because"}, fileChanges: {additions: [{path: $path, contents: $text}]}})
      { commit { oid } } }"""
    text = base64.b64encode(CHANGED.encode() + b"more\n").decode()
    old = scene.pull.head
    made = scene.ask(commit, head=old, path="a.txt", text=text)["data"]["createCommitOnBranch"]["commit"]["oid"]
    assert scene.pull.head == made and (scene.repo.bare.read(made, "a.txt") or b"").endswith(b"more\n")
    assert scene.repo.bare.git("show", "-s", "--format=%an|%B", made).strip() == "leakmend[bot]|Close it\n\nBecause"
    assert scene.ask(commit, head=old, path="a.txt", text=text)["errors"][0]["type"] == "STALE_DATA"
    assert "errors" in scene.ask(commit, head=made, path="../x", text=text)
    assert scene.ask(commit, head=made, path=".github/workflows/x.yml", text=text)["errors"][0]["type"] == "FORBIDDEN"


def test_comments_fold_away(scene: Scene) -> None:
    comment = scene.github.comment(scene.pull, "rob", "x")
    fold = "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized minimizedReason } } }"
    answer = scene.ask(fold, id=comment.node)
    assert answer["data"]["minimizeComment"]["minimizedComment"] == {"isMinimized": True, "minimizedReason": "outdated"}


def test_what_the_schema_does_not_know_is_noted(scene: Scene) -> None:
    scene.ask("{ viewer { shoeSize } }")
    assert len(scene.github.violations) == 1
    scene.github.violations.clear()


# --- the manifest flow


def test_a_manifest_becomes_an_app(tmp_path: pathlib.Path) -> None:
    manifest = {
        "name": "Leakmend Test", "url": "http://localhost", "redirect_url": "http://127.0.0.1:1/created",
        "hook_attributes": {"url": "http://127.0.0.1:1/webhook"}, "default_permissions": {"contents": "read"},
        "default_events": ["pull_request"],
    }  # fmt: skip
    with FakeGitHub(tmp_path) as github:
        answer = httpx.post(f"{github.url}/settings/apps/new?state=s1", data={"manifest": json.dumps(manifest)})
        query = parse_qs(urlsplit(answer.headers["location"]).query)
        assert query["state"] == ["s1"]
        path = f"/app-manifests/{query['code'][0]}/conversions"
        made = httpx.post(github.url + path)
        assert made.status_code == 201 and made.json()["slug"] == "leakmend-test" and "PRIVATE KEY" in made.json()["pem"]
        assert httpx.post(github.url + path).status_code == 404
        assert not github.violations
