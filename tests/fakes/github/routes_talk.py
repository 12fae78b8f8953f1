"""REST: comments, replies and reactions."""

from __future__ import annotations

from tests.fakes.github.calls import Call, Route
from tests.fakes.github.refused import Answer, Refused, not_found
from tests.fakes.github.state import IssueComment, Reaction, ReviewComment

PULLS_READ, PULLS_WRITE = (("pull_requests", "read"),), (("pull_requests", "write"),)
READ = (("issues", "read"), ("pull_requests", "read"))
WRITE = (("issues", "write"), ("pull_requests", "write"))


def _issue(call: Call) -> Answer:
    return Answer(200, call.world.shapes.issue(call.pull))


def _comments(call: Call) -> Answer:
    return call.pages(list(call.pull.comments), shape=call.world.shapes.issue_comment)


def _all_comments(call: Call) -> Answer:
    found = [comment for pull in call.repo.pulls.values() for comment in pull.comments]
    return call.pages(found, shape=call.world.shapes.issue_comment)


def _make_comment(call: Call) -> Answer:
    body = call.text()
    if not body.strip():
        raise Refused(422, "Validation Failed", [{"resource": "IssueComment", "code": "missing_field", "field": "body"}])
    return Answer(201, call.world.shapes.issue_comment(call.world.add_comment(call.pull, call.actor, body)))


def _comment(call: Call) -> IssueComment:
    for pull in call.repo.pulls.values():
        for comment in pull.comments:
            if str(comment.id) == call.path["comment_id"]:
                return comment
    raise not_found()


def _show_comment(call: Call) -> Answer:
    return Answer(200, call.world.shapes.issue_comment(_comment(call)))


def _change_comment(call: Call) -> Answer:
    comment = _comment(call)
    if comment.author is not call.actor and not _may_edit_others(call):
        raise Refused(403, "Resource not accessible by integration")
    comment.body, comment.updated = call.text(), call.world.clock()
    return Answer(200, call.world.shapes.issue_comment(comment))


def _may_edit_others(call: Call) -> bool:
    return call.token is not None and call.token.may("issues", "write")


def _drop_comment(call: Call) -> Answer:
    comment = _comment(call)
    comment.pull.comments.remove(comment)
    return Answer(204)


# --- at lines


def _review_comments(call: Call) -> Answer:
    found = [comment for thread in call.pull.threads for comment in thread.comments if comment.review.state != "PENDING"]
    return call.pages(sorted(found, key=lambda each: each.id), shape=call.world.shapes.review_comment)


def _all_review_comments(call: Call) -> Answer:
    found = [each for pull in call.repo.pulls.values() for thread in pull.threads for each in thread.comments]
    return call.pages(sorted(found, key=lambda each: each.id), shape=call.world.shapes.review_comment)


def _review_comment(call: Call) -> ReviewComment:
    for pull in call.repo.pulls.values():
        for thread in pull.threads:
            for comment in thread.comments:
                if str(comment.id) == call.path["comment_id"]:
                    return comment
    raise not_found()


def _show_review_comment(call: Call) -> Answer:
    return Answer(200, call.world.shapes.review_comment(_review_comment(call)))


def _change_review_comment(call: Call) -> Answer:
    comment = _review_comment(call)
    comment.body, comment.updated = call.text(), call.world.clock()
    return Answer(200, call.world.shapes.review_comment(comment))


def _drop_review_comment(call: Call) -> Answer:
    comment = _review_comment(call)
    thread = comment.thread
    thread.comments.remove(comment)
    if not thread.comments:
        thread.pull.threads.remove(thread)
    return Answer(204)


def _reply(call: Call) -> Answer:
    comment = _review_comment(call)
    if comment is not comment.thread.comments[0]:
        raise Refused(422, "Validation Failed", [{"resource": "PullRequestReviewComment", "code": "invalid", "field": "in_reply_to"}])
    return Answer(201, call.world.shapes.review_comment(call.world.add_reply(comment.thread, call.actor, call.text())))


# --- reactions


def _list(call: Call, reactions: list[Reaction]) -> Answer:
    kept = [each for each in reactions if call.query.get("content", each.content) == each.content]
    return call.pages(kept, shape=call.world.shapes.reaction)


def _react(call: Call, reactions: list[Reaction]) -> Answer:
    """The same reaction of the same user is there once: 200 then, 201 the first time."""
    for each in reactions:
        if each.user is call.actor and each.content == call.body["content"]:
            return Answer(200, call.world.shapes.reaction(each))
    made = Reaction(id=call.world.number(), user=call.actor, content=call.body["content"], created=call.world.clock())
    reactions.append(made)
    return Answer(201, call.world.shapes.reaction(made))


def _unreact(call: Call, reactions: list[Reaction]) -> Answer:
    for each in reactions:
        if str(each.id) == call.path["reaction_id"]:
            reactions.remove(each)
            return Answer(204)
    raise not_found()


_API = "/repos/{owner}/{repo}"
_ISSUE, _LINE = f"{_API}/issues/comments/{{comment_id}}", f"{_API}/pulls/comments/{{comment_id}}"
_PULL = f"{_API}/pulls/{{pull_number}}"

ROUTES = (
    Route(f"GET {_API}/issues/{{issue_number}}", _issue, READ),
    Route(f"GET {_API}/issues/{{issue_number}}/comments", _comments, READ),
    Route(f"POST {_API}/issues/{{issue_number}}/comments", _make_comment, WRITE, is_content=True),
    Route(f"GET {_API}/issues/comments", _all_comments, READ),
    Route(f"GET {_ISSUE}", _show_comment, READ),
    Route(f"PATCH {_ISSUE}", _change_comment, WRITE),
    Route(f"DELETE {_ISSUE}", _drop_comment, WRITE),
    Route(f"GET {_ISSUE}/reactions", lambda call: _list(call, _comment(call).reactions), READ),
    Route(f"POST {_ISSUE}/reactions", lambda call: _react(call, _comment(call).reactions), (("issues", "write"),)),
    Route(f"DELETE {_ISSUE}/reactions/{{reaction_id}}", lambda call: _unreact(call, _comment(call).reactions), (("issues", "write"),)),
    Route(f"GET {_PULL}/comments", _review_comments, PULLS_READ),
    Route(f"POST {_PULL}/comments/{{comment_id}}/replies", _reply, PULLS_WRITE, is_content=True),
    Route(f"GET {_API}/pulls/comments", _all_review_comments, PULLS_READ),
    Route(f"GET {_LINE}", _show_review_comment, PULLS_READ),
    Route(f"PATCH {_LINE}", _change_review_comment, PULLS_WRITE),
    Route(f"DELETE {_LINE}", _drop_review_comment, PULLS_WRITE),
    Route(f"GET {_LINE}/reactions", lambda call: _list(call, _review_comment(call).reactions), PULLS_READ),
    Route(f"POST {_LINE}/reactions", lambda call: _react(call, _review_comment(call).reactions), PULLS_WRITE),
    Route(f"DELETE {_LINE}/reactions/{{reaction_id}}", lambda call: _unreact(call, _review_comment(call).reactions), PULLS_WRITE),
)
