"""Writes blanks inside of the parentheses of what a patch asks, opens and catches, where the file has them in nearly all of its statements;
one of few statements is judged by its calls and declarations, too.

Leaves the arguments of calls as they are, and parentheses that a patch does not write whole.
"""

from __future__ import annotations

import functools
import re

_STATEMENT = re.compile(rb"\b(?:if|for|while|catch|switch) ?\(( ?)[^ )\r\n]")
_ANY = re.compile(rb"\w\(( ?)[^ )\r\n]")
_OPENING = re.compile(r"(?:\b(?:try|catch|if) |^ )\((?=[^ )\r\n])")
_TEXT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'")

_FEW = 3
_MOST = 9
"""So many times as many statements have such blanks as have none."""


@functools.lru_cache(4)
def is_padded(data: bytes) -> bool:
    """Whether a file has such blanks."""
    found = _STATEMENT.findall(data)
    if len(found) < _FEW:
        found = _ANY.findall(data)
    count = sum(bool(each) for each in found)
    return count >= _FEW and count > _MOST * (len(found) - count)


def padded(words: str) -> str:
    """A text with blanks inside of the parentheses of its statements; those that do not end in it stay."""
    for each in reversed(list(_OPENING.finditer(words))):
        end = _closing(words, each.end())
        if end > each.end() and words[end - 1] not in " \n":
            words = f"{words[: each.end()]} {words[each.end() : end]} {words[end:]}"
    return words


def _closing(words: str, start: int) -> int:
    """Where the parenthesis ends that begins before an offset; -1 where it does not end."""
    plain = _TEXT.sub(lambda found: "x" * len(found[0]), words)
    depth = 1
    for at in range(start, len(plain)):
        depth += (plain[at] == "(") - (plain[at] == ")")
        if not depth:
            return at
    return -1
