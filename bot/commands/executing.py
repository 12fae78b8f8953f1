"""Carries out the `/leakcheck` commands of one comment: who may, what came of it, and one answer, however often it runs.

Accepted: 👀, then 🚀. Refused: 😕 and one line, once per person and pull request.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import msgspec

import templates
from bot.commands.explain import explanation
from bot.commands.fix import Asked, fixed
from bot.commands.parser import Command
from bot.commands.refusal import Refused, one_of
from bot.github.api import GitHub
from bot.github.errors import Forbidden, NotFound
from bot.github.model import Comment
from bot.marks import bears
from bot.publishing.markers import State, refusal_mark, reply_mark
from bot.report import Report
from bot.reporters.markup import code, prose
from bot.reviewing import Decision, Means, review
from bot.webhook.events import CommentWritten

_FOR_AUTHORS = ("run", "explain")


class Answer(msgspec.Struct, frozen=True):
    """What one command leads to: text to post, a decision to publish, or a refusal."""

    text: str = ""
    decision: Decision | None = None
    is_run: bool = False
    refusal: str = ""


def execute(
    github: GitHub, asked: CommentWritten, commands: Sequence[Command], means: Means, name: str = ""
) -> str:
    """Carry out what a comment (or a button: comment 0, then `name` tells it from others) asks for. Safe to repeat."""
    return _Execution(github, asked, means, name).run(commands)


class _Execution:
    def __init__(self, github: GitHub, asked: CommentWritten, means: Means, name: str) -> None:
        self._github, self._asked, self._means = github, asked, means
        self._pull = github.pull_request(asked.number)
        self._name = name or f"c{asked.comment}"
        self._mark = reply_mark(self._name)

    def run(self, commands: Sequence[Command]) -> str:
        if not commands or self._is_done():
            return "nothing new"
        refused = [self._refusal(command) for command in commands]
        if not all(refused):
            self._react("eyes")
        pairs = zip(commands, refused, strict=True)
        answers = [Answer(refusal=why) if why else self._answer(command) for command, why in pairs]
        self._decide(answers)
        texts = [answer.text for answer in answers if answer.text]
        if texts:
            self._reply("\n\n---\n\n".join(text.strip() for text in texts))
        refusals = list(dict.fromkeys(answer.refusal for answer in answers if answer.refusal))
        if refusals:
            self._refuse(refusals)
        self._react("confused" if refusals else "rocket")
        return "refused" if refusals else "done"

    def _is_done(self) -> bool:
        """Whether an earlier run came to its end: the last reaction says so."""
        if not self._asked.comment:
            return False
        with contextlib.suppress(Forbidden, NotFound):
            for reaction in self._github.reactions(self._asked.kind, self._asked.comment):
                if reaction.author == self._github.login and reaction.content in ("rocket", "confused"):
                    return True
        return False

    # --- one command

    def _answer(self, command: Command) -> Answer:
        try:
            return self._carry_out(command)
        except Refused as refused:
            return Answer(refusal=str(refused))

    def _refusal(self, command: Command) -> str:
        """Why a command is not even begun. Who may is what GitHub's collaborator API says, and nothing else."""
        author = self._asked.author
        if command.error:
            return command.error
        if command.verb == "help":
            return ""
        is_author = command.verb in _FOR_AUTHORS and author == self._pull.author
        if not is_author and self._github.permission(author) not in ("admin", "write"):
            also = " (or who opened the pull request)" if command.verb in _FOR_AUTHORS else ""
            return f"`{command.verb}` is for people who may write to this repository{also}"
        return "this pull request is closed: reopen it first" if self._pull.state == "closed" else ""

    def _carry_out(self, command: Command) -> Answer:
        match command.verb:
            case "help":
                return Answer(templates.render("commands/help.md", code=code))
            case "run":
                return Answer(is_run=True)
            case "pause" | "resume":
                return Answer(decision=_pausing(command.verb == "pause"))
            case "ignore" | "unignore":
                return Answer(decision=self._ignoring(command))
            case "explain":
                return Answer(explanation(self._github, self._pull, command.ids[0], self._means))
            case _:
                asked = Asked(self._asked.author, self._asked.author_id, self._asked.comment, command)
                return Answer(fixed(self._github, self._pull, asked, self._means))

    def _ignoring(self, command: Command) -> Decision:
        by = f"@{self._asked.author}"

        def decide(state: State, report: Report) -> State:
            known = [*state.ignored, *(outcome.fingerprint for outcome in report.introduced)]
            name = one_of(command.ids[0], known)
            return state.heeding(name) if command.verb == "unignore" else state.ignoring(name, by, command.reason)

        return decide

    def _decide(self, answers: list[Answer]) -> None:
        """All decisions of the comment in one run; those that name nothing become refusals."""
        wanted = [number for number, answer in enumerate(answers) if answer.decision or answer.is_run]
        if not wanted:
            return

        def decide(state: State, report: Report) -> State:
            for number in wanted:
                decision = answers[number].decision
                if decision is not None:
                    try:
                        state = decision(state, report)
                    except Refused as refused:
                        answers[number] = Answer(refusal=str(refused))
            return state

        review(self._github, self._asked.number, self._means, self._name, decide)

    # --- answering

    def _react(self, content: str) -> None:
        if self._asked.comment:
            with contextlib.suppress(Forbidden, NotFound):
                self._github.react(self._asked.kind, self._asked.comment, content)

    def _reply(self, text: str) -> None:
        if any(bears(comment.body, self._mark) for comment in self._own()):
            return
        body = templates.render("commands/reply.md", text=text, mark=self._mark, who=prose(self._asked.author))
        self._github.create_comment(self._asked.number, body, self._mark)

    def _refuse(self, reasons: Sequence[str]) -> None:
        """One line, once: who goes on asking sees the 😕 only."""
        mark = refusal_mark(self._asked.author)
        if not any(bears(comment.body, mark) for comment in self._own()):
            text = " ".join(_sentence(reason) for reason in reasons)
            body = templates.render("commands/reply.md", text=text, mark=mark, who=prose(self._asked.author))
            self._github.create_comment(self._asked.number, body, mark)

    def _own(self) -> Sequence[Comment]:
        return [each for each in self._github.comments(self._asked.number) if each.author == self._github.login]


def _sentence(reason: str) -> str:
    return prose(reason[:1].upper() + reason[1:] + ("" if reason.endswith(".") else "."))


def _pausing(is_paused: bool) -> Decision:
    def decide(state: State, report: Report) -> State:
        return msgspec.structs.replace(state, is_paused=is_paused)

    return decide
