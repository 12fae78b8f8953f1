"""Path patterns of the config: `*` within one name, `**` over any number of folders, `?`, `[abc]`."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether a `/`-separated path fits one of the patterns, or lies in a folder that does."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern without a `/` before its end fits at any depth, as in .gitignore."""
    body = pattern.strip("/")
    if "/" not in body and body != "**":
        body = f"**/{body}"
    parts = []
    position = 0
    while position < len(body):
        if body.startswith("**/", position):
            parts.append("(?:[^/]+/)*")
            position += 3
        elif body.startswith("**", position):
            parts.append(".*")
            position += 2
        elif body[position] == "[" and "]" in body[position + 2 :]:
            end = body.index("]", position + 2)
            inner = body[position + 1 : end].replace("\\", "\\\\")
            parts.append(f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]")
            position = end + 1
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(body[position], re.escape(body[position])))
            position += 1
    try:
        return re.compile("".join(parts) + "(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))
