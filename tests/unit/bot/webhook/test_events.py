"""Signatures and the meaning of deliveries."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.webhook import events
from bot.webhook.events import (
    BranchMoved,
    CommentWritten,
    InstallationChanged,
    PullRequestClosed,
    Repository,
    ReviewWanted,
)

REPOSITORY = Repository(7, "acme/pump", 11)


def delivery(**fields: object) -> bytes:
    base: dict[str, object] = {"repository": {"id": 7, "full_name": "acme/pump"}, "installation": {"id": 11}}
    return json.dumps({**base, **fields}).encode()


def test_the_published_test_vector_of_github_is_accepted() -> None:
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    secret = b"It's a Secret to Everybody"
    assert events.is_signed(secret, b"Hello, World!", signature)
    assert not events.is_signed(secret, b"Hello, World?", signature)
    assert not events.is_signed(secret, b"Hello, World!", "")
    assert not events.is_signed(b"", b"Hello, World!", signature)
    assert not events.is_signed(secret, b"Hello, World!", "sha256=é")


@pytest.mark.parametrize(
    ("action", "extra", "reason"),
    [("opened", {}, "opened"), ("synchronize", {}, "pushed"), ("ready_for_review", {}, "ready"),
     ("edited", {"changes": {"base": {}}}, "base-changed")],
)
def test_a_new_head_or_base_wants_a_review(action: str, extra: dict[str, object], reason: str) -> None:
    body = delivery(action=action, pull_request={"number": 3, "head": {"sha": "abc"}}, **extra)
    assert events.parse("pull_request", body) == ReviewWanted(REPOSITORY, 3, "abc", reason)  # type: ignore[arg-type]


def test_other_changes_of_a_pull_request_want_nothing() -> None:
    for action in ("labeled", "edited", "assigned"):
        assert events.parse("pull_request", delivery(action=action, pull_request={"number": 3, "head": {"sha": "a"}})) is None
    closed = events.parse("pull_request", delivery(action="closed", pull_request={"number": 3}))
    assert closed == PullRequestClosed(REPOSITORY, 3)


def test_only_new_comments_of_people_on_pull_requests_count() -> None:
    comment = {"id": 5, "body": "/leakcheck", "user": {"login": "ada", "type": "User"}}
    on_pull = delivery(action="created", issue={"number": 3, "pull_request": {}}, comment=comment)
    assert events.parse("issue_comment", on_pull) == CommentWritten(REPOSITORY, 3, 5, "ada", "/leakcheck", "issue")
    assert events.parse("issue_comment", delivery(action="created", issue={"number": 3}, comment=comment)) is None
    edited = delivery(action="edited", issue={"number": 3, "pull_request": {}}, comment=comment)
    assert events.parse("issue_comment", edited) is None
    by_bot = {**comment, "user": {"login": "x[bot]", "type": "Bot"}}
    assert events.parse("issue_comment", delivery(action="created", issue={"number": 3, "pull_request": {}}, comment=by_bot)) is None


@pytest.mark.parametrize(
    ("fields", "is_wanted"),
    [({}, True), ({"ref": "refs/heads/topic"}, False), ({"ref": "refs/tags/main"}, False), ({"deleted": True}, False),
     ({"after": "0" * 40}, False), ({"ref": None}, False)],
)  # fmt: skip
def test_only_a_push_to_the_default_branch_moves_it(fields: dict[str, object], is_wanted: bool) -> None:
    repository = {"id": 7, "full_name": "acme/pump", "default_branch": "main"}
    body = delivery(**{"ref": "refs/heads/main", "after": "abc", "deleted": False, "repository": repository, **fields})
    assert events.parse("push", body) == (BranchMoved(REPOSITORY, "abc") if is_wanted else None)


def test_an_installation_names_the_repositories_that_come() -> None:
    listed = [{"id": 7, "full_name": "acme/pump"}, {"id": "x"}, 3]
    created = events.parse("installation", delivery(action="created", repositories=listed))
    assert isinstance(created, InstallationChanged) and created.arrived == (REPOSITORY,)
    added = events.parse("installation_repositories", delivery(action="added", repositories_added=listed))
    assert isinstance(added, InstallationChanged) and added.arrived == (REPOSITORY,)
    gone = events.parse("installation", delivery(action="deleted", repositories=listed))
    assert isinstance(gone, InstallationChanged) and gone.arrived == ()


def test_what_is_no_json_object_is_a_value_error() -> None:
    for body in (b"", b"[]", b"\xff", b"nonsense"):
        with pytest.raises(ValueError, match="payload"):
            events.parse("pull_request", body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["pull_request", "number", "head", "sha", "comment", "issue", "user", "repository", "action"]),
        inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(["pull_request", "issue_comment", "check_run", "installation", "merge_group", "ping"]),
       st.dictionaries(st.sampled_from(["action", "pull_request", "comment", "issue", "repository", "repositories"]), json_values))
def test_payloads_of_any_shape_never_raise(name: str, payload: dict[str, object]) -> None:
    events.parse(name, json.dumps(payload).encode())
