"""From an event to the job that it asks for, and back. No I/O.

Jobs of one pull request share the part of their key before `!`: they never run at once.
"""

from __future__ import annotations

import re

import msgspec

from bot.commands.parser import parse as commands_of
from bot.queue.jobs import Job
from bot.webhook.events import (
    ActionRequested,
    BranchMoved,
    CommentWritten,
    Event,
    InstallationChanged,
    MergeGroupWanted,
    PullRequestClosed,
    ReviewWanted,
    ThreadChanged,
)

_NUMBER = re.compile(r"pr=(\d+) ")

LEAST_URGENT = 9
"""The priority of what nobody waits for."""

Work = (
    ReviewWanted | PullRequestClosed | MergeGroupWanted | CommentWritten | ActionRequested | InstallationChanged
    | BranchMoved
)
_KINDS: tuple[type[Work], ...] = (
    ReviewWanted, PullRequestClosed, MergeGroupWanted, CommentWritten, ActionRequested, InstallationChanged,
    BranchMoved,
)  # fmt: skip


class Wanted(msgspec.Struct, frozen=True):
    """A job to enqueue."""

    key: str
    kind: str
    payload: bytes
    installation: int
    priority: int


def wanted(event: Event | None, delivery: str) -> Wanted | None:
    """The job that an event asks for; None where nothing is to be done."""
    match event:
        case ReviewWanted(repository, number):
            return _job(f"{repository.full_name}#{number}", event, repository.installation, 5)
        case PullRequestClosed(repository, number):
            return _job(f"{repository.full_name}#{number}!closed", event, repository.installation, 7)
        case MergeGroupWanted(repository, head):
            return _job(f"{repository.full_name}@{head}", event, repository.installation, 1)
        case CommentWritten(repository, number, comment, _, body, _) if commands_of(body):
            return _job(f"{repository.full_name}#{number}!c{comment}", event, repository.installation, 3)
        case ActionRequested(repository, head, external_id):
            number = number_of(external_id)
            place = f"{repository.full_name}#{number}" if number else f"{repository.full_name}@{head}"
            return _job(f"{place}!a{delivery}", event, repository.installation, 3)
        case InstallationChanged(installation):
            return _job(f"installation-{installation}!{delivery}", event, 0, 2)
        case BranchMoved():
            return learning(event)
        case ThreadChanged() | CommentWritten() | None:
            return None
    return None


def learning(moved: BranchMoved) -> Wanted:
    """The job that analyses a default branch while nobody waits."""
    return _job(f"{moved.repository.full_name}@default", moved, moved.repository.installation, LEAST_URGENT)


def _job(key: str, event: Work, installation: int, priority: int) -> Wanted:
    return Wanted(key, type(event).__name__, msgspec.json.encode(event), installation, priority)


def work_of(job: Job) -> Work | None:
    """What a job is about; None where another version of leakmend enqueued it."""
    for kind in _KINDS:
        if kind.__name__ == job.kind:
            try:
                found: Work = msgspec.json.decode(job.payload, type=kind)
            except msgspec.MsgspecError:
                return None
            return found
    return None


def number_of(external_id: str) -> int:
    """The pull request that one of our checks is about: forks do not tell it otherwise."""
    found = _NUMBER.match(external_id)
    return int(found[1]) if found else 0
