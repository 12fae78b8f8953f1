"""REST: pull requests, their files and commits, and reviews with the rules of hunks."""

from __future__ import annotations

from typing import Any

from tests.fakes.github.calls import Call, Route, check_text
from tests.fakes.github.refused import Answer, Refused, invalid, not_found
from tests.fakes.github.routes_git import commit_shape, file_shape, shown_files
from tests.fakes.github.state import Pull, Review, ReviewComment, Thread

READ, WRITE = (("pull_requests", "read"),), (("pull_requests", "write"),)
MOST_FILES, MOST_COMMITS = 3000, 250
_STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


def _pulls(call: Call) -> Answer:
    found = list(call.repo.pulls.values())
    state = call.query.get("state", "open")
    if state != "all":
        found = [pull for pull in found if pull.state == state]
    if "head" in call.query:
        found = [pull for pull in found if f"{pull.head_repo.owner.login}:{pull.head_ref}" == call.query["head"]]
    if "base" in call.query:
        found = [pull for pull in found if pull.base_ref == call.query["base"]]
    newest_first = call.query.get("direction", "desc") == "desc"
    found.sort(key=lambda pull: pull.number, reverse=newest_first)
    return call.pages(found, shape=call.world.shapes.pull)


def _make_pull(call: Call) -> Answer:
    owner, _, branch = str(call.body["head"]).rpartition(":")
    source = call.repo if owner in ("", call.repo.owner.login) else call.world.repos.get(f"{owner}/{call.repo.name}")
    if source is None or source.bare.rev(f"refs/heads/{branch}") is None:
        raise invalid("PullRequest", "head")
    base = str(call.body["base"])
    if call.repo.bare.rev(f"refs/heads/{base}") is None:
        raise invalid("PullRequest", "base")
    if any(pull.head_ref == branch and pull.base_ref == base and pull.head_repo is source and pull.state == "open"
           for pull in call.repo.pulls.values()):  # fmt: skip
        raise Refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom",
                      "message": f"A pull request already exists for {source.owner.login}:{branch}."}])  # fmt: skip
    if source.bare.rev(f"refs/heads/{branch}") == call.repo.bare.rev(f"refs/heads/{base}"):
        raise Refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom",
                      "message": f"No commits between {base} and {branch}"}])  # fmt: skip
    pull = call.world.open_pull(
        call.repo, branch, call.actor.login, base, str(call.body.get("title", "")), source,
        draft="yes" if call.body.get("draft") else "", body=call.text(),
    )  # fmt: skip
    return Answer(201, call.world.shapes.pull(pull))


def _pull(call: Call) -> Answer:
    return Answer(200, call.world.shapes.pull(call.pull))


def _change_pull(call: Call) -> Answer:
    pull = call.pull
    pull.title = str(call.body.get("title", pull.title))
    pull.body = call.text() if "body" in call.body else pull.body
    if call.body.get("state") == "closed" and pull.state == "open":
        call.world.close(pull, call.actor.login)
    elif call.body.get("state") == "open" and pull.state == "closed":
        call.world.reopen(pull, call.actor.login)
    if "base" in call.body and call.body["base"] != pull.base_ref:
        call.world.retarget(pull, str(call.body["base"]), call.actor.login)
    return Answer(200, call.world.shapes.pull(pull))


def _commits(call: Call) -> Answer:
    pull = call.pull
    return call.pages([commit_shape(call, each) for each in pull.repo.bare.commits(pull.base, pull.head)[:MOST_COMMITS]])


def _files(call: Call) -> Answer:
    pull = call.pull
    files = list(shown_files(pull, pull.head))[:MOST_FILES]
    return call.pages(files, shape=lambda file: file_shape(call, file, pull.head))


# --- reviews


def _reviews(call: Call) -> Answer:
    shown = [review for review in call.pull.reviews if review.state != "PENDING" or review.author is call.actor]
    return call.pages(shown, shape=call.world.shapes.review)


def _make_review(call: Call) -> Answer:
    pull = call.pull
    event = call.body.get("event")
    body = call.text()
    if event in ("COMMENT", "REQUEST_CHANGES") and not body:
        raise Refused(422, "Unprocessable Entity", ["Review body can't be blank"])
    if event in ("APPROVE", "REQUEST_CHANGES") and pull.author is call.actor:
        raise Refused(422, "Unprocessable Entity", [f"Review Can not {event.replace('_', ' ').lower()} your own pull request"])
    if event is None and any(each.state == "PENDING" and each.author is call.actor for each in pull.reviews):
        raise Refused(422, "Unprocessable Entity", ["User can only have one pending review per pull request"])
    commit = str(call.body.get("commit_id") or pull.head)
    check_commit(pull, commit)
    review = Review(
        id=call.world.number(), pull=pull, author=call.actor, body=body, state="PENDING", commit=commit,
        submitted=None if event is None else call.world.clock(),
    )  # fmt: skip
    threads = [_thread(call, pull, each, commit) for each in call.body.get("comments", ())]  # all or nothing
    if event is not None:
        review.state = _STATES[event]  # type: ignore[assignment]
    pull.reviews.append(review)
    for thread, each in zip(threads, call.body.get("comments", ()), strict=True):
        _add(call, thread, review, str(each["body"]))
    if event is not None:
        payload = {"action": "submitted", "review": call.world.shapes.review(review), "pull_request": call.world.shapes.pull(pull)}
        call.world.event(pull.repo, "pull_request_review", call.actor, payload)
    return Answer(200, call.world.shapes.review(review))


def check_commit(pull: Pull, commit: str) -> None:
    """A review is about a commit that the pull request has or had."""
    if commit not in pull.head_history and commit not in pull.repo.bare.commits(pull.base, pull.head):
        raise Refused(422, "Unprocessable Entity", ["commit_id is not part of the pull request"])


def _thread(call: Call, pull: Pull, comment: dict[str, Any], commit: str) -> Thread:
    """A thread at the lines that a comment names; the errors of the review endpoint, which do not say which."""
    check_text(str(comment["body"]))
    if not str(comment["body"]).strip():
        raise Refused(422, "Unprocessable Entity", ["Body can't be blank"])
    file = next((each for each in shown_files(pull, commit) if each.path == comment["path"]), None)
    if file is None:
        raise Refused(422, "Unprocessable Entity", ["Path could not be resolved"])
    line, start = comment.get("line"), comment.get("start_line")
    side = comment.get("side", "RIGHT")
    hunk = None if line is None else file.hunk(side, line)
    if hunk is None:
        raise Refused(422, "Unprocessable Entity", ["Line could not be resolved"])
    if start is not None and (start >= line or not hunk.has(comment.get("start_side", side), start)):
        raise Refused(422, "Unprocessable Entity", ["Start line could not be resolved"])
    return Thread(
        id=call.world.number(), pull=pull, path=file.path, side=side, commit=commit, original_commit=commit, line=line,
        original_line=line, start_line=start, original_start_line=start, diff_hunk=hunk.text_to(side, line),
    )  # fmt: skip


def _add(call: Call, thread: Thread, review: Review, body: str) -> ReviewComment:
    now = call.world.clock()
    comment = ReviewComment(
        id=call.world.number(), thread=thread, review=review, author=call.actor, body=body, created=now, updated=now
    )
    thread.comments.append(comment)
    thread.pull.threads.append(thread)
    if thread.commit != thread.pull.head:  # outdated at birth, or moved along
        call.world.reanchor(thread, thread.pull.head)
    call.world.review_comment_event(comment)
    return comment


def _review(call: Call) -> Review:
    for review in call.pull.reviews:
        if str(review.id) == call.path["review_id"]:
            return review
    raise not_found()


def _show_review(call: Call) -> Answer:
    return Answer(200, call.world.shapes.review(_review(call)))


def _change_review(call: Call) -> Answer:
    review = _review(call)
    if review.author is not call.actor:
        raise Refused(403, "Resource not accessible by integration")
    review.body = call.text()
    return Answer(200, call.world.shapes.review(review))


def _review_comments(call: Call) -> Answer:
    review = _review(call)
    found = [each for thread in call.pull.threads for each in thread.comments if each.review is review]
    return call.pages(found, shape=call.world.shapes.review_comment)


def _submit_review(call: Call) -> Answer:
    review = _review(call)
    if review.state != "PENDING":
        raise Refused(422, "Unprocessable Entity", ["Could not submit a review that is not pending"])
    review.state = _STATES[call.body["event"]]  # type: ignore[assignment]
    review.submitted = call.world.clock()
    review.body = call.text() or review.body
    return Answer(200, call.world.shapes.review(review))


def _drop_review(call: Call) -> Answer:
    review = _review(call)
    if review.state != "PENDING":
        raise Refused(422, "Unprocessable Entity", ["Can not delete a non-pending pull request review"])
    call.pull.reviews.remove(review)
    for thread in list(call.pull.threads):
        thread.comments = [each for each in thread.comments if each.review is not review]
        if not thread.comments:
            call.pull.threads.remove(thread)
    return Answer(200, call.world.shapes.review(review))


def _make_comment(call: Call) -> Answer:
    """A comment of its own: at a line, at a file, or an answer."""
    pull, body = call.pull, call.text()
    if call.body.get("in_reply_to"):
        thread = next((each for each in pull.threads if each.comments[0].id == call.body["in_reply_to"]), None)
        if thread is None:
            raise not_found()
        return Answer(201, call.world.shapes.review_comment(call.world.add_reply(thread, call.actor, body)))
    commit = str(call.body["commit_id"])
    check_commit(pull, commit)
    path = str(call.body["path"])
    file = next((each for each in shown_files(pull, commit) if each.path == path), None)
    if file is None:
        raise invalid("PullRequestReviewComment", "pull_request_review_thread.path")
    if call.body.get("subject_type") == "file":
        check_text(body)
        thread = Thread(
            id=call.world.number(), pull=pull, path=path, side="RIGHT", commit=commit, original_commit=commit, line=None,
            original_line=None, subject="file",
        )  # fmt: skip
    else:
        try:
            thread = _thread(call, pull, call.body, commit)
        except Refused as refused:
            field = "pull_request_review_thread.line"
            raise invalid("PullRequestReviewComment", field, message=f"{field} must be part of the diff") from refused
    now = call.world.clock()
    review = Review(id=call.world.number(), pull=pull, author=call.actor, body="", state="COMMENTED", commit=commit, submitted=now)
    pull.reviews.append(review)
    return Answer(201, call.world.shapes.review_comment(_add(call, thread, review, body)))


_PULLS = "/repos/{owner}/{repo}/pulls"
_ONE = _PULLS + "/{pull_number}"

ROUTES = (
    Route(f"GET {_PULLS}", _pulls, READ),
    Route(f"POST {_PULLS}", _make_pull, WRITE, is_content=True),
    Route(f"GET {_ONE}", _pull, READ),
    Route(f"PATCH {_ONE}", _change_pull, WRITE),
    Route(f"GET {_ONE}/commits", _commits, READ),
    Route(f"GET {_ONE}/files", _files, READ),
    Route(f"POST {_ONE}/comments", _make_comment, WRITE, is_content=True),
    Route(f"GET {_ONE}/reviews", _reviews, READ),
    Route(f"POST {_ONE}/reviews", _make_review, WRITE, is_content=True),
    Route(f"GET {_ONE}/reviews/{{review_id}}", _show_review, READ),
    Route(f"PUT {_ONE}/reviews/{{review_id}}", _change_review, WRITE),
    Route(f"GET {_ONE}/reviews/{{review_id}}/comments", _review_comments, READ),
    Route(f"POST {_ONE}/reviews/{{review_id}}/events", _submit_review, WRITE, is_content=True),
    Route(f"DELETE {_ONE}/reviews/{{review_id}}", _drop_review, WRITE),
)
