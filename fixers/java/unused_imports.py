"""The imports that a patch leaves without a use: they go with what used them, as some builds refuse them.

Goes by words: what a comment or a longer name still mentions stays, and so do imports of whole packages and those that share their line.
"""

from __future__ import annotations

import re

import msgspec

from analyzers.source import Span
from fixers import text
from fixers.edits import apply, is_disjoint
from fixers.fix import Edit
from fixers.leak import Candidate, Leak

_IMPORT = re.compile(rb"^import[ \t]+(?:static[ \t]+)?[\w.]+\.(\w+)[ \t]*;[ \t]*(?:\r?\n)", re.MULTILINE)


def without_unused(leak: Leak, proposed: Candidate) -> Candidate:
    """The same candidate, that takes out the imports as well which it alone leaves unused."""
    own = [each for each in proposed.edits if each.span.path == leak.path]
    gone = b" ".join(leak.data[each.span.start : each.span.end] for each in own)
    if proposed.is_part or not gone.strip():
        return proposed
    found = [each for each in _IMPORT.finditer(leak.data) if _mentions(gone, each[1])]
    after = apply(leak.data, own) if found else b""
    unused = [each for each in found if not _mentions(after.replace(each[0], b"", 1), each[1])]
    removals = [Edit(_span(leak, each), "") for each in unused]
    edits = tuple(sorted((*proposed.edits, *removals)))
    return msgspec.structs.replace(proposed, edits=edits) if removals and is_disjoint(edits) else proposed


def _mentions(data: bytes, name: bytes) -> bool:
    return re.search(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])", data) is not None


def _span(leak: Leak, found: re.Match[bytes]) -> Span:
    """The line of an import, with one of the blank lines that it stands between alone."""
    start, end = found.span()
    above = leak.data[text.line_start(leak.data, start - 1) : start] if start else b""
    behind = text.next_line(leak.data, end)
    is_alone = bool(above) and not above.strip() and behind > end and not leak.data[end:behind].strip()
    return Span(leak.path, start, behind if is_alone else end)

