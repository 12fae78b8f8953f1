"""What stands on a pull request now, as far as it is ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bot.github.api import GitHub
from bot.github.model import Comment, Thread, ThreadComment
from bot.marks import bears
from bot.publishing.markers import GONE, SUMMARY, State, fingerprint_of, kin_of, review_mark, state_of


class OwnThread(msgspec.Struct, frozen=True):
    """A thread that we began, about one finding."""

    thread: Thread
    fingerprint: str
    kin: str
    login: str

    @property
    def first(self) -> ThreadComment:
        """Our comment."""
        return self.thread.comments[0]

    @property
    def is_open(self) -> bool:
        """Whether it still asks for something."""
        return not self.thread.is_resolved and not bears(self.first.body, GONE)

    @property
    def is_final(self) -> bool:
        """Whether a person resolved it: that ends the matter."""
        return self.thread.is_resolved and bool(self.resolver) and not _is_same(self.resolver, self.login)

    @property
    def resolver(self) -> str:
        """Who resolved it, where GitHub says so."""
        return self.thread.resolved_by

    @property
    def has_people(self) -> bool:
        """Whether somebody answered."""
        return any(comment.author and not comment.author.endswith("[bot]") for comment in self.thread.comments)

    def holds(self, mark: str) -> bool:
        """Whether we wrote this mark into it."""
        return any(_is_same(comment.author, self.login) and bears(comment.body, mark) for comment in self.thread.comments)


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """Our summary and its doubles, our threads by finding and their doubles, heads that have their review."""

    summary: Comment | None
    state: State
    spare_summaries: tuple[Comment, ...] = ()
    threads: Mapping[str, OwnThread]
    spare_threads: tuple[OwnThread, ...] = ()
    is_reviewed: bool = False
    comments: tuple[Comment, ...] = ()

    def finals(self) -> Mapping[str, str]:
        """Findings that a person put an end to by resolving the thread, and who."""
        return {name: own.resolver for name, own in sorted(self.threads.items()) if own.is_final}


def observe(github: GitHub, number: int, head: str) -> Observed:
    """Read it all from GitHub."""
    comments = github.comments(number)
    own = [each for each in comments if each.author == github.login]
    summaries = sorted((each for each in own if bears(each.body, SUMMARY)), key=lambda each: each.id)
    threads, spare = _threads(github.threads(number), github.login)
    reviews = github.reviews(number)
    return Observed(
        summary=summaries[0] if summaries else None,
        state=state_of(summaries[0].body) if summaries else State(),
        spare_summaries=tuple(summaries[1:]),
        threads=threads,
        spare_threads=tuple(spare),
        is_reviewed=any(each.author == github.login and bears(each.body, review_mark(head)) for each in reviews),
        comments=tuple(comments),
    )


def _threads(threads: Sequence[Thread], login: str) -> tuple[dict[str, OwnThread], list[OwnThread]]:
    found: dict[str, OwnThread] = {}
    spare: list[OwnThread] = []
    own = [thread for thread in threads if thread.comments and _is_same(thread.comments[0].author, login)]
    for thread in sorted(own, key=lambda each: each.comments[0].id):
        body = thread.comments[0].body
        name = fingerprint_of(body)
        if not name:
            continue
        mine = OwnThread(thread, name, kin_of(body), login)
        if name in found:
            spare.append(mine)
        else:
            found[name] = mine
    return found, spare


def _is_same(author: str, login: str) -> bool:
    """REST puts `[bot]` behind the names of bots, GraphQL not always."""
    return author.removesuffix("[bot]") == login.removesuffix("[bot]")
