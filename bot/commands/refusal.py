"""A command that is not carried out, and the finding that an ID means."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.parser import resolve


class Refused(Exception):
    """A command is not carried out. The message is one line for the person who gave it."""


def one_of(prefix: str, known: Sequence[str]) -> str:
    """The one finding that an ID means; Refused with the candidates where it is not one."""
    found = resolve(prefix, known)
    if isinstance(found, str):
        return found
    if found:
        raise Refused(f"`{prefix}` is ambiguous: it may be " + ", ".join(f"`{name}`" for name in found))
    raise Refused(f"no finding of this pull request is called `{prefix}`")
