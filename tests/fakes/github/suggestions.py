"""Applies a suggestion of a review comment as GitHub does.

The block replaces exactly the lines that the comment spans. Refused where GitHub's page says that it cannot be applied.
"""

from __future__ import annotations

import re

from tests.fakes.github.state import Review, ReviewComment, Thread

_OPEN = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")


class CannotApply(Exception):
    """Why GitHub's button is greyed out."""


def suggested(body: str) -> list[str] | None:
    """The lines of the first `suggestion` block of a comment, None where it holds none."""
    fence, is_suggestion = "", False
    lines: list[str] = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if fence:
            closing = line.strip(" ")
            if closing and set(closing) == {fence[0]} and len(closing) >= len(fence):
                if is_suggestion:
                    return lines
                fence = ""
            else:
                lines.append(line)
        elif found := _OPEN.match(line):
            fence, lines = found[1], []
            is_suggestion = found[2].strip() == "suggestion"
    return lines if fence and is_suggestion else None


def applied(comment: ReviewComment, pending: list[Review], content: bytes) -> bytes:
    """The file with the suggestion in place of the commented lines."""
    thread = comment.thread
    lines = suggested(comment.body)
    if lines is None:
        raise CannotApply("This comment holds no suggestion.")
    if thread.pull.state != "open":
        raise CannotApply("Suggestions cannot be applied while the pull request is closed.")
    if thread.line is None or thread.subject == "file":
        raise CannotApply("Outdated suggestions cannot be applied.")
    if comment.review in pending:
        raise CannotApply("Suggestions cannot be applied from pending reviews.")
    first, last = thread.start_line or thread.line, thread.line
    _check_range(thread, first, last)
    old = content.split(b"\n")
    ending = b"\r" if old[first - 1].endswith(b"\r") else b""
    new = [line.encode("utf-8", "surrogateescape") + ending for line in lines]
    is_last = last == len(old)
    if is_last and new and ending:
        new[-1] = new[-1].removesuffix(b"\r")
    if old[first - 1 : last] == new:
        raise CannotApply("Suggestions cannot be applied as no changes were made to the code.")
    return b"\n".join([*old[: first - 1], *new, *old[last:]])


def _check_range(thread: Thread, first: int, last: int) -> None:
    pull = thread.pull
    bare = pull.repo.bare
    base = bare.merge_base(pull.base, pull.head)
    file = next((each for each in bare.diff(base, pull.head) if each.path == thread.path), None)
    hunk = file.hunk("RIGHT", last) if file else None
    if hunk is None or not hunk.has("RIGHT", first):
        raise CannotApply("Outdated suggestions cannot be applied.")
    if thread.side != "RIGHT" or hunk.removes_between(first, last):
        raise CannotApply("Applying suggestions on deleted lines is not supported.")
