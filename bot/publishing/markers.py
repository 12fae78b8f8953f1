"""Hidden marks in our own comments: what they are about, and what people decided.

GitHub is where this lives: a lost database, the server and the Action agree on it. Only comments that we wrote count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import msgspec

from bot import marks
from bot.report import Outcome

SUMMARY = "<!-- leakmend:summary "
GONE = "<!-- leakmend:gone -->"
"""In a comment that was edited to say that its finding is gone, where threads cannot be resolved."""

_FINGERPRINT = "<!-- leakmend:fp="
_KIN = "<!-- leakmend:kin="
_STATE = "<!-- leakmend:state "
_COMMIT = re.compile(r"[0-9a-f]{40}")
_MAX_REASON = 300
_MAX_STATE = 24_000


class Ignored(msgspec.Struct, frozen=True, array_like=True):
    """Who decided that a finding is fine, and why."""

    by: str
    reason: str


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people decided on this pull request."""

    ignored: Mapping[str, Ignored] = {}
    is_paused: bool = False

    def ignoring(self, fingerprint: str, by: str, reason: str) -> State:
        """This, and one finding ignored."""
        entry = Ignored(by, " ".join(reason.split())[:_MAX_REASON])
        return msgspec.structs.replace(self, ignored={**self.ignored, fingerprint: entry})

    def heeding(self, fingerprint: str) -> State:
        """This, and one finding no longer ignored."""
        kept = {name: entry for name, entry in self.ignored.items() if name != fingerprint}
        return msgspec.structs.replace(self, ignored=kept)


def fingerprint_of(body: str) -> str:
    """The finding that a comment is about; empty where it is about none."""
    return _name_in(body, _FINGERPRINT)


def fingerprint_mark(fingerprint: str) -> str:
    """What a comment on a finding holds, and no other."""
    return f"{_FINGERPRINT}{fingerprint}"


def kin_of(body: str) -> str:
    """What the finding of a comment has in common with itself under another name."""
    return _name_in(body, _KIN)


def _name_in(body: str, beginning: str) -> str:
    """The 16 hex digits behind a beginning, in the last mark that has it."""
    said = _last(body, beginning)[:16]
    return said if len(said) == 16 and set(said) <= set("0123456789abcdef") else ""


def _last(body: str, beginning: str) -> str:
    """What the last mark with a beginning says; empty where there is none."""
    found = [mark for mark in marks.marks(body) if mark.startswith(beginning)]
    return found[-1].removeprefix(beginning).removesuffix("-->").strip() if found else ""


def kin(outcome: Outcome) -> str:
    """A name that stays when a file or class is renamed; not unique."""
    finding = outcome.finding
    name = finding.procedure.partition("(")[0].replace(":", ".").rpartition(".")[2]
    parts = (finding.rule, name, finding.resource, finding.text, str(finding.ordinal))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def kin_mark(outcome: Outcome) -> str:
    """Hidden in the comment on an outcome."""
    return f"{_KIN}{kin(outcome)} -->"


def review_mark(head: str) -> str:
    """Hidden in the one review of a head."""
    return f"<!-- leakmend:review head={head} -->"


def reply_mark(name: str) -> str:
    """Hidden in the answer to one request."""
    return f"<!-- leakmend:reply to={name} -->"


def refusal_mark(login: str) -> str:
    """Hidden in the one refusal that a person gets on a pull request."""
    return f"<!-- leakmend:refused who={hashlib.sha256(login.encode()).hexdigest()[:16]} -->"


def fixed_mark(fingerprint: str, head: str) -> str:
    """Hidden in the reply that says that a finding is gone."""
    return f"<!-- leakmend:fixed {fingerprint} head={head} -->"


def state_mark(state: State) -> str:
    """Hidden in the summary. Should there be too many reasons, they are cut rather than a decision lost."""
    text = ""
    for most in (_MAX_REASON, 60, 0):
        entries = {name: Ignored(entry.by, entry.reason[:most]) for name, entry in state.ignored.items()}
        text = msgspec.json.encode(msgspec.structs.replace(state, ignored=entries)).decode()
        for character in "-<>&":
            text = text.replace(character, f"\\u{ord(character):04x}")
        if len(text) <= _MAX_STATE:
            break
    return f"{_STATE}{text} -->"


def state_of(body: str) -> State:
    """What a summary keeps; nothing where it is damaged."""
    try:
        return msgspec.json.decode(_last(body, _STATE) or "{}", type=State)
    except msgspec.MsgspecError:
        return State()


def without_commits(body: str) -> str:
    """A body as compared with another: which commit the links point at makes no difference."""
    return _COMMIT.sub("SHA", body).strip()
