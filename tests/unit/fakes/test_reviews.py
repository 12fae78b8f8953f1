"""Reviews on the fake: the rules that GitHub's description does not tell."""

from __future__ import annotations

import pytest

from tests.fakes.github import suggestions
from tests.unit.fakes.conftest import CHANGED, Scene

CHANGED_BYTES = CHANGED.encode()


def review(scene: Scene, *comments: dict[str, object], **more: object) -> dict[str, object]:
    return {"commit_id": scene.pull.head, "event": "COMMENT", "body": "Look", "comments": list(comments), **more}


def at(line: int, **more: object) -> dict[str, object]:
    return {"path": "a.txt", "line": line, "side": "RIGHT", "body": "Hm", **more}


def test_a_review_lands_whole(scene: Scene) -> None:
    answer = scene.on("POST", "/pulls/1/reviews", review(scene, at(10), at(11, start_line=9, start_side="RIGHT")))
    assert answer.status_code == 200, answer.text
    listed = scene.on("GET", "/pulls/1/comments").json()
    assert [(each["line"], each["start_line"]) for each in listed] == [(10, None), (11, 9)]
    assert listed[0]["user"]["login"] == "leakmend[bot]"
    assert listed[0]["diff_hunk"].endswith("+line ten")


@pytest.mark.parametrize("bad", [at(25), at(1), at(11, start_line=28), at(11, start_line=11), at(10, path="b.txt"), at(10, path="../a")])
def test_one_bad_line_loses_the_review(scene: Scene, bad: dict[str, object]) -> None:
    answer = scene.on("POST", "/pulls/1/reviews", review(scene, at(10), bad))
    assert answer.status_code == 422 and "could not be resolved" in answer.json()["errors"][0]
    assert scene.on("GET", "/pulls/1/comments").json() == [] and scene.on("GET", "/pulls/1/reviews").json() == []


def test_removed_lines_bear_comments_on_the_left_only(scene: Scene) -> None:
    assert scene.on("POST", "/pulls/1/reviews", review(scene, at(30, side="LEFT"))).status_code == 200
    assert scene.on("POST", "/pulls/1/reviews", review(scene, at(11, side="LEFT"))).status_code == 200
    assert scene.on("POST", "/pulls/1/reviews", review(scene, at(25, side="LEFT"))).status_code == 422


def test_long_bodies_are_refused(scene: Scene) -> None:
    assert scene.on("POST", "/issues/1/comments", {"body": "x" * 65_536}).status_code == 201
    answer = scene.on("POST", "/issues/1/comments", {"body": "x" * 65_537})
    assert answer.status_code == 422 and "too long" in answer.json()["errors"][0]["message"]
    assert scene.on("POST", "/pulls/1/reviews", review(scene, at(10, body="x" * 65_537))).status_code == 422


def test_a_comment_without_event_is_pending_and_alone(scene: Scene) -> None:
    body = {"commit_id": scene.pull.head, "body": "Later", "comments": [at(10)]}
    assert scene.on("POST", "/pulls/1/reviews", body).json()["state"] == "PENDING"
    assert scene.on("GET", "/pulls/1/comments").json() == []
    assert scene.on("POST", "/pulls/1/reviews", body).status_code == 422


def test_file_comments_have_their_own_way(scene: Scene) -> None:
    body = {"commit_id": scene.pull.head, "path": "a.txt", "body": "All of it", "subject_type": "file"}
    made = scene.on("POST", "/pulls/1/comments", body)
    assert made.status_code == 201 and made.json()["subject_type"] == "file"
    assert scene.on("POST", "/pulls/1/comments", {**body, "path": "b.txt"}).status_code == 422
    line = {"commit_id": scene.pull.head, "path": "a.txt", "body": "Hm", "line": 25, "side": "RIGHT"}
    assert "must be part of the diff" in scene.on("POST", "/pulls/1/comments", line).text


def test_threads_follow_their_lines_and_outdate(scene: Scene) -> None:
    scene.on("POST", "/pulls/1/reviews", review(scene, at(10), at(11), at(30)))
    text = scene.repo.bare.read(scene.pull.head, "a.txt")
    assert text is not None
    head = scene.github.push(scene.repo, "feature", {"a.txt": b"top\n" + text.replace(b"and a half", b"and more")}, by="ann")
    listed = scene.on("GET", "/pulls/1/comments").json()
    assert [(each["line"], each["original_line"]) for each in listed] == [(11, 10), (None, 11), (31, 30)]
    assert listed[0]["commit_id"] == head != listed[0]["original_commit_id"]


def test_a_stale_commit_gives_a_comment_that_moved_along(scene: Scene) -> None:
    old, text = scene.pull.head, scene.repo.bare.read(scene.pull.head, "a.txt")
    assert text is not None
    scene.github.push(scene.repo, "feature", {"a.txt": b"top\n" + text}, by="ann")
    assert scene.on("POST", "/pulls/1/reviews", review(scene, at(10), commit_id=old)).status_code == 200
    assert scene.on("GET", "/pulls/1/comments").json()[0]["line"] == 11
    assert scene.on("POST", "/pulls/1/reviews", review(scene, commit_id="0" * 40)).status_code == 422


# --- suggestions


def suggest(scene: Scene, text: str, **where: object) -> None:
    answer = scene.on("POST", "/pulls/1/reviews", review(scene, {**at(10), **where, "body": text}))
    assert answer.status_code == 200, answer.text


def applied(scene: Scene, by: str = "ann") -> bytes:
    comment = scene.pull.threads[-1].comments[0]
    head = scene.github.apply_suggestion(comment, by)
    return scene.repo.bare.read(head, "a.txt") or b""


def test_a_suggestion_replaces_exactly_its_lines(scene: Scene) -> None:
    suggest(scene, "Try\n\n````suggestion\nline ```10\n\n````\nrest", line=11, start_line=10, start_side="RIGHT")
    assert applied(scene) == CHANGED_BYTES.replace(b"line ten\nand a half\n", b"line ```10\n\n")
    assert scene.pull.threads[-1].is_resolved


def test_an_empty_suggestion_deletes(scene: Scene) -> None:
    suggest(scene, "```suggestion\n```")
    assert applied(scene) == CHANGED_BYTES.replace(b"line ten\n", b"")


@pytest.mark.parametrize(("text", "where", "why"), [
    ("```suggestion\nline ten\n```", {}, "no changes"),
    ("```java\nline 10\n```", {}, "no suggestion"),
    ("```suggestion\nx\n```", {"line": 31, "start_line": 29, "start_side": "RIGHT"}, "deleted lines"),
    ("```suggestion\nx\n```", {"line": 30, "side": "LEFT"}, "deleted lines"),
])  # fmt: skip
def test_what_cannot_be_applied(scene: Scene, text: str, where: dict[str, object], why: str) -> None:
    suggest(scene, text, **where)
    with pytest.raises(suggestions.CannotApply, match=why):
        applied(scene)


def test_outdated_closed_and_unprivileged_suggestions_stay(scene: Scene) -> None:
    suggest(scene, "```suggestion\nx\n```")
    with pytest.raises(suggestions.CannotApply, match="write access"):
        applied(scene, "rob")
    scene.github.push(scene.repo, "feature", {"a.txt": CHANGED_BYTES.replace(b"line ten", b"line zehn")}, by="ann")
    with pytest.raises(suggestions.CannotApply, match="Outdated"):
        applied(scene)
    suggest(scene, "```suggestion\nx\n```")
    scene.github.close(scene.pull, "ann")
    with pytest.raises(suggestions.CannotApply, match="closed"):
        applied(scene)


def test_line_endings_stay(scene: Scene) -> None:
    scene.github.push(scene.repo, "feature", {"a.txt": CHANGED_BYTES.replace(b"\n", b"\r\n")}, by="ann")
    suggest(scene, "```suggestion\nline 10\n```")
    assert applied(scene).count(b"\r\n") == CHANGED_BYTES.count(b"\n")


