"""Whether a function that a patch calls is declared above (C): one that the same file defines further down may not be.

Calls of what nothing declares compile nowhere today, and never did where the function answers nothing. A header that is not there
may hold the declaration: then the patch is let be, but for functions that are `static`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers import Program
from fixers.c.headers import reachable
from fixers.fix import Edit

_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)


def undeclared(program: Program, path: str, start: int, edits: Sequence[Edit]) -> str:
    """The first function that edits in a procedure call and nothing declares above it; empty where there is none."""
    called = dict.fromkeys(name for each in edits for name in _CALL.findall(each.text))
    return next((name for name in called if _is_below(program, path, start, name)), "")


def _is_below(program: Program, path: str, start: int, name: str) -> bool:
    own = [each for each in program.functions(path, name) if each.path == path]
    if not own or any(program.span(each).start <= start for each in own):
        return False
    word = re.compile(rb"\b" + name.encode() + rb"\s*(?:\(|\w+\s*\(\()")  # a member or a text of that name declares nothing
    if word.search(_COMMENT.sub(b" ", program.source(path)[:start])):
        return False
    found = [program.procedure(each) for each in own]
    if any(each is not None and "static" in each.attributes for each in found):
        return True
    headers = list(reachable(program, path))
    if any(word.search(program.source(each)) for each in headers):
        return False
    known = {each.rpartition("/")[2] for each in headers}
    own_headers = re.findall(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', program.source(path), re.MULTILINE)
    return all(each.decode("utf-8", "replace").rpartition("/")[2] in known for each in own_headers)
