"""What else can happen: lost and repeated deliveries, suspended installations, moved bases, strangers at the door."""

from __future__ import annotations

import base64
import itertools
import json
import logging
import re
import time
from pathlib import Path

import pytest

from bot.server import missed
from tests.fakes.github import FakeGitHub, faults
from tests.fakes.github.hooks import headers, sign
from tests.unit.bot.code import JAVA

from .station import Station
from .test_path import MENDED

# --- deliveries


def test_a_bad_signature_or_none_is_refused_and_queues_nothing(station: Station) -> None:
    station.open()
    delivery = next(each for each in station.github.hooks.take() if each.event == "pull_request")
    for signature in ("", "sha256=", "sha256=" + "0" * 64, sign("wrong", delivery.payload), "sha1=x"):
        head = {**headers(delivery), "X-Hub-Signature-256": signature}
        assert station.request("POST", "/webhook", delivery.payload, head).status_code == 401
    assert station.parts.queue.depth()["waiting"] == 0


def test_a_replayed_delivery_does_nothing_more(station: Station) -> None:
    pull = station.open()
    delivery = next(each for each in station.github.hooks.take() if each.event == "pull_request")
    assert station.post(delivery) == 202
    station.work()
    texts, checks = station.text(pull), station.checks(pull.head)
    assert station.post(delivery) == 200
    assert station.work() == 0
    assert (station.text(pull), station.checks(pull.head)) == (texts, checks)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [(b"[]", "application/json", 400), (b"{", "application/json", 400), (b"{}", "application/json", 200),
     (b'{"action":7,"pull_request":[]}', "application/json", 200), (b"payload=%7B%7D", "application/x-www-form-urlencoded", 415)],
)  # fmt: skip
def test_odd_bodies_get_an_answer(station: Station, content: bytes, kind: str, status: int) -> None:
    head = {"X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "d", "Content-Type": kind,
            "X-Hub-Signature-256": sign(station.app.secret, content)}  # fmt: skip
    assert station.request("POST", "/webhook", content, head).status_code == status


def test_a_body_that_is_too_large_is_not_read(station: Station) -> None:
    head = {"Content-Length": str(26 * 1024 * 1024), "Content-Type": "application/json"}
    assert station.request("POST", "/webhook", b"x", head).status_code == 413


def test_lost_deliveries_are_asked_for_again(station: Station, github: FakeGitHub) -> None:
    station.deliver()
    github.hooks.lost = 2  # the push, and the pull request
    pull = station.open()
    station.turn()
    assert not pull.threads
    asked: dict[str, float] = {}
    assert missed.ask_again(station.parts.app, asked, github.clock()) == 2
    assert missed.ask_again(station.parts.app, asked, github.clock()) == 0, "it gets time to arrive"
    station.turn()
    assert len(pull.threads) == 1


def test_deliveries_that_arrived_are_not_asked_for(station: Station, github: FakeGitHub) -> None:
    station.open()
    station.turn()
    assert missed.ask_again(station.parts.app, {}, github.clock()) == 0


# --- what changes meanwhile


def test_another_base_is_another_review(station: Station, github: FakeGitHub) -> None:
    github.push(station.repo, "next", {"src/Reader.java": JAVA}, by="ann")
    pull = station.open()
    station.turn()
    github.retarget(pull, "next", "ann")
    station.turn()
    assert station.checks(pull.head)[-1] == ("completed", "success")
    assert pull.threads[0].is_resolved


def test_a_force_push_during_the_run_leaves_only_the_newest(station: Station, github: FakeGitHub) -> None:
    pull = station.open()
    old = pull.head

    def force() -> None:
        github.push(station.repo, "topic", {"src/Reader.java": JAVA.replace("int first(", "int primary(")}, by="ann", onto="main")

    github.fail(faults.meanwhile(r"POST /repos/\{owner\}/\{repo\}/pulls/\{pull_number\}/reviews", force))
    station.turn()
    assert station.checks(old)[-1][0] == "completed"
    assert station.checks(pull.head) == [("completed", "neutral")]
    assert all(status == "completed" for status, _ in station.checks(old))
    live = [thread for thread in pull.threads if not thread.is_resolved]
    assert len(live) == 1


def test_a_merge_queue_gets_its_check_at_once(station: Station, github: FakeGitHub) -> None:
    pull = station.open()
    station.turn()
    head = github.merge_group(pull)
    station.turn()
    assert station.checks(head) == [("completed", "success")]


def test_drafts_get_comments_when_they_are_ready(station: Station, github: FakeGitHub) -> None:
    pull = station.open(draft="yes")
    station.turn()
    assert not pull.threads and station.checks(pull.head) == [("completed", "neutral")]
    github.mark_ready(pull, "ann")
    station.turn()
    assert len(pull.threads) == 1


def test_a_suspended_installation_is_dropped_quietly(station: Station, github: FakeGitHub) -> None:
    station.open()
    deliveries = github.hooks.take()
    station.installation.suspended = github.clock()
    for delivery in deliveries:
        station.post(delivery)
    station.work()
    assert station.parts.queue.depth() == {"waiting": 0, "running": 0, "failed": 0}


def test_all_is_deleted_at_once_on_uninstall(station: Station, github: FakeGitHub) -> None:
    station.open()
    station.turn()
    clone = station.settings.folder / "clones" / f"{station.repo.id}.git"
    assert clone.exists()
    github.uninstall(station.installation)
    station.turn()
    assert not clone.exists()
    assert station.books.id_of("acme/pump") is None
    late = {"action": "opened", "number": 1, "pull_request": {"number": 1, "head": {"sha": "a" * 40}},
            "repository": {"id": station.repo.id, "full_name": "acme/pump"}, "installation": {"id": station.installation.id}}  # fmt: skip
    content = json.dumps(late).encode()
    head = {"X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "late", "Content-Type": "application/json",
            "X-Hub-Signature-256": sign(station.app.secret, content)}  # fmt: skip
    assert station.request("POST", "/webhook", content, head).status_code == 202
    station.work()
    assert station.books.id_of("acme/pump") is None, "a late job brings nothing back"


def test_a_repository_that_left_is_deleted_after_thirty_days(station: Station, github: FakeGitHub) -> None:
    station.open()
    station.turn()
    github.leave(station.installation, station.repo)
    station.turn()
    clone = station.settings.folder / "clones" / f"{station.repo.id}.git"
    station.parts.tasks.sweep()
    assert clone.exists()
    with station.parts.database.transaction("test") as database:
        database.rows("UPDATE repository SET removed_at = ?", (time.time() - 31 * 86400,))
    station.parts.tasks.sweep()
    assert not clone.exists()


# --- the first time


def test_the_first_check_says_what_is_active_and_what_was_there(github: FakeGitHub, tmp_path: Path) -> None:
    station = Station(github, tmp_path)
    github.push(station.repo, "main", {"src/Old.java": JAVA.replace("Reader", "Old")}, by="ann")
    pull = station.open()
    station.turn()
    first = station.repo.checks[-1]
    assert first.summary is not None
    assert "leakmend is active in this repository" in first.summary and "1 finding exists on the base" in first.summary
    github.push(station.repo, "topic", {"src/Reader.java": MENDED}, by="ann")
    station.turn()
    assert "is active in" not in (station.repo.checks[-1].summary or "")
    assert pull.threads[0].is_resolved


# --- limits


def test_writes_are_a_second_apart_by_githubs_own_clock(station: Station, github: FakeGitHub) -> None:
    station.open()
    station.turn()
    times = [write.time for write in github.limits.writes if "access_tokens" not in write.operation]
    assert len(times) >= 4
    assert all(later - earlier >= 1.0 for earlier, later in itertools.pairwise(times))


def test_a_limit_puts_the_job_off_and_loses_nothing(station: Station, github: FakeGitHub) -> None:
    pull = station.open()
    github.fail(faults.too_many(r"POST /repos/\{owner\}/\{repo\}/check-runs", 3, times=1))
    station.turn()
    assert len(pull.threads) == 1


# --- secrets


def test_no_token_is_in_a_log_a_file_or_the_arguments_of_git(
    station: Station, github: FakeGitHub, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    seen: list[str] = []
    real = subprocess.Popen.__init__

    def spy(self, args, *words, **named):  # type: ignore[no-untyped-def]
        seen.append(repr(args))
        real(self, args, *words, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", spy)
    with caplog.at_level(logging.DEBUG):
        station.open()
        fork = github.fork(station.repo, "stranger")
        github.push(fork, "topic", {"src/Reader.java": JAVA}, by="stranger")
        pull = github.open_pull(station.repo, "topic", by="stranger", from_repo=fork, maintainer_can_modify="yes")
        station.turn()
        before = pull.head
        github.comment(pull, "ann", "/leakcheck fix --push")
        station.turn()
    tokens = [token.encode() for token in github.tokens]
    assert tokens and any("fetch" in each for each in seen) and any("push" in each for each in seen) and pull.head != before
    text = caplog.text.encode() + "".join(seen).encode()
    for file in station.settings.folder.rglob("*"):
        if file.is_file():
            text += file.read_bytes()
    assert not any(token in text for token in tokens)
    assert re.search(rb"http\.[^\s]*extraheader", text, re.IGNORECASE) is None


# --- looking in


def test_the_status_page_says_how_it_goes_and_names_nobody_to_strangers(station: Station) -> None:
    station.open()
    station.turn()
    page = station.request("GET", "/")
    assert page.status_code == 200
    assert "unclosed-resource" in page.text and "acme" not in page.text
    assert "script" not in page.headers["content-security-policy"]
    assert station.request("GET", "/", head={"X-Forwarded-For": "192.0.2.1"}).status_code == 401


def test_the_status_page_lists_pull_requests_for_who_knows_the_token(github: FakeGitHub, tmp_path: Path) -> None:
    station = Station(github, tmp_path, status_token="open sesame")
    station.open()
    station.turn()
    assert station.request("GET", "/").status_code == 401
    for word in ("Basic b3A6b3Blbg==", "Bearer open", "Basic %%%", "Basic", ""):
        assert station.request("GET", "/", head={"Authorization": word}).status_code == 401
    basic = base64.b64encode(b"operator:open sesame").decode()
    assert "acme/pump#1" in station.request("GET", "/", head={"Authorization": f"Basic {basic}"}).text


def test_health_and_metrics(station: Station) -> None:
    station.open()
    station.turn()
    assert station.request("GET", "/healthz").json()["status"] == "ok"
    text = station.request("GET", "/metrics").text
    assert 'leakmend_jobs_total{ending="published",kind="ReviewWanted"} 1.0' in text
    assert 'leakmend_findings{rule="unclosed-resource",state="shown"} 1.0' in text
    assert "acme" not in text


def test_the_answer_to_a_ping(station: Station) -> None:
    content = json.dumps({"zen": "Keep it logically awesome."}).encode()
    head = {"X-GitHub-Event": "ping", "X-GitHub-Delivery": "p", "Content-Type": "application/json",
            "X-Hub-Signature-256": sign(station.app.secret, content)}  # fmt: skip
    assert station.request("POST", "/webhook", content, head).json() == {"result": "pong"}
