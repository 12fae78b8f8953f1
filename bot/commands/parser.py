"""Finds `/leakcheck` commands in the text of a comment. No I/O.

A command stands first on its line, outside code fences and quotes. Several in one comment are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bot import fences

PREFIX = "/leakcheck"
VERBS = ("run", "fix", "explain", "ignore", "unignore", "pause", "resume", "help")
MOST_COMMANDS = 20
"""More in one comment are not read: nobody writes them by hand."""

_IDENTIFIER = re.compile(r"[0-9a-f]{4,16}\Z")


class Command(msgspec.Struct, frozen=True):
    """One command as written.

    verb      one of VERBS, or empty where it is not understood (`error` then says why)
    ids       fingerprints or prefixes of 4 or more hex digits
    reason    the rest of an `ignore`
    wants_pull_request   `fix --pull-request`
    wants_push   `fix --push`: commit to a fork, too, where its author lets maintainers do that
    """

    verb: str
    ids: tuple[str, ...] = ()
    reason: str = ""
    wants_pull_request: bool = False
    wants_push: bool = False
    error: str = ""


def parse(body: str) -> tuple[Command, ...]:
    """The commands of a comment, in order."""
    return tuple(_command(line) for line in _lines(body))[:MOST_COMMANDS]


def _lines(body: str) -> Sequence[str]:
    """The lines that begin with the prefix, outside code and quotes."""
    return [line.strip() for line in fences.outside(body) if line.split(maxsplit=1)[:1] == [PREFIX]]


def _command(line: str) -> Command:
    words = line.split()[1:]
    verb, rest = (words[0].lower(), words[1:]) if words else ("run", [])
    match verb:
        case "run" | "pause" | "resume" | "help":
            if rest:
                return Command("", error=f"`{verb}` takes no argument")
            return Command(verb)
        case "fix":
            return _fix(rest)
        case "explain" | "unignore":
            if len(rest) != 1 or not _IDENTIFIER.match(rest[0].lower()):
                return Command("", error=f"`{verb}` takes one ID: the hex digits that a finding shows, four or more")
            return Command(verb, (rest[0].lower(),))
        case "ignore":
            if not rest or not _IDENTIFIER.match(rest[0].lower()):
                return Command("", error="`ignore` takes an ID and a reason: `/leakcheck ignore 3f2a closed by the pool`")
            return Command(verb, (rest[0].lower(),), " ".join(rest[1:]))
        case _:
            return Command("", error="unknown command; `/leakcheck help` lists them")


def _fix(words: Sequence[str]) -> Command:
    ids = []
    options = {"--pull-request": False, "--push": False}
    for word in words:
        if word in options:
            options[word] = True
        elif _IDENTIFIER.match(word.lower()):
            ids.append(word.lower())
        else:
            return Command("", error="`fix` takes IDs (four or more hex digits), `--push` and `--pull-request`")
    if options["--pull-request"] and (ids or options["--push"]):
        return Command("", error="`fix --pull-request` stands alone: it carries all safe fixes")
    return Command("fix", tuple(ids), wants_pull_request=options["--pull-request"], wants_push=options["--push"])


def resolve(prefix: str, fingerprints: Sequence[str]) -> str | tuple[str, ...]:
    """The one fingerprint that a prefix means, or the candidates (none, or several, sorted)."""
    candidates = tuple(sorted({each for each in fingerprints if each.startswith(prefix)}))
    return candidates[0] if len(candidates) == 1 else candidates
