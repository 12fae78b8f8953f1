"""Hidden marks in our own comments: HTML comments, each on a line of its own, outside code.

Text of strangers never begins a line outside code with `<!--` (`reporters.markup`), so none of it passes for a mark.
"""

from __future__ import annotations

from bot import fences

PREFIX = "<!-- leakmend:"


def marks(body: str) -> list[str]:
    """The marks of a body, in order."""
    lines = (line.strip() for line in fences.outside(body) if line.startswith(PREFIX))
    return [line for line in lines if line.endswith("-->")]


def bears(body: str, mark: str) -> bool:
    """Whether one of the marks begins like this."""
    return any(each.startswith(mark) for each in marks(body))


def tail(body: str) -> str:
    """The marks that a body ends with, as they stand there."""
    kept: list[str] = []
    for line in reversed(body.rstrip().split("\n")):
        if not line.startswith(PREFIX):
            break
        kept.insert(0, line)
    return "".join(f"\n{line}" for line in kept) + "\n" if kept else ""
