"""Fenced code in Markdown: which lines lie outside of it, and whether a text ends within it. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")


def outside(text: str) -> Iterator[str]:
    """The lines outside fences and indented code, without the fences themselves."""
    for line, fence in _walk(text):
        if not fence and not line.startswith(("    ", "\t")):
            yield line


def left_open(text: str) -> str:
    """What closes the fence that a text ends within; empty where it ends outside."""
    last = ""
    for line, fence in _walk(text):
        last = "" if fence and _closes(line, fence) else fence
    return last


def _walk(text: str) -> Iterator[tuple[str, str]]:
    """Each line with the fence that it belongs to; the lines that open and close one do so, too."""
    fence = ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if fence:
            yield line, fence
            fence = "" if _closes(line, fence) else fence
        else:
            mark = _FENCE.match(line)
            fence = mark[1] if mark else ""
            yield line, fence


def _closes(line: str, fence: str) -> bool:
    mark = _FENCE.match(line)
    return mark is not None and mark[1].startswith(fence) and not line.strip().strip(fence[0])
