"""Text of strangers inside Markdown: code spans, fences and links that nothing in the text can break out of.

Neutralises mentions, issue references, autolinks, HTML and Markdown's own marks; code spans stay code spans.
"""

from __future__ import annotations

import re
from urllib.parse import quote

_SPAN = re.compile(r"`([^`\n]+)`")
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]()#!|~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})
_BREAK = "\u200b"
"""A zero-width space: what makes `@name`, `#1` and `://` no longer mean anything to GitHub."""


def prose(text: str) -> str:
    """A sentence with code spans, safe to stand in a comment on one line."""
    flat = " ".join(text.split())
    parts: list[str] = []
    position = 0
    for match in _SPAN.finditer(flat):
        parts += _plain(flat[position : match.start()]), code(match[1])
        position = match.end()
    parts.append(_plain(flat[position:]))
    return "".join(parts)


def _plain(text: str) -> str:
    broken = text.replace("@", f"@{_BREAK}").replace("://", f":{_BREAK}//").replace("www.", f"www{_BREAK}.")
    return broken.translate(_MARKS).replace("\\#", f"\\#{_BREAK}").replace("GH-", f"GH{_BREAK}-")


def message(text: str) -> str:
    """Text of strangers on one line of a commit message, where GitHub knows mentions and issues, too."""
    return " ".join(text.split()).replace("@", f"@{_BREAK}").replace("#", f"#{_BREAK}")


def code(text: str) -> str:
    """A code span around any text: with more backticks than it has in a row."""
    flat = " ".join(text.split()) or " "
    ticks = "`" * (_longest_run(flat) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fence(text: str, language: str) -> str:
    """A fenced block around any text, without a newline at its end."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    body = text.replace("\r\n", "\n").replace("\r", "\n")
    ending = "" if body.endswith("\n") or not body else "\n"
    return f"{ticks}{language}\n{body}{ending}{ticks}"


def link(path: str, line: int, permalink: str) -> str:
    """`path:line`, as a link where there is something to link to."""
    text = code(f"{path}:{line}")
    return f"[{text}]({permalink}{quote(path, safe='/-._~')}#L{line})" if permalink else text


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
