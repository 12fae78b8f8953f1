"""Whether a patch leaves a block with nothing in it, where another form would be plainer: what is opened and not used is closed at once.

Goes by the bytes between braces: a block that holds a comment holds something. Below a header of several, each made of the one before, nothing
plainer is there: what opens the last may fail, and the first is open then.
"""

from __future__ import annotations

import re

_EMPTY = re.compile(rb"\{\s*\}")

_CHAIN = re.compile(rb"\btry \(\w[^;{}]* (\w+) = [^;{}]*;\s*\w[^;{}]* = new [^;{}]*\(\1\b[^;{}]*\)\s*\{\s*\}")
"""An empty block below a resource and what wraps it."""


def holds_nothing(before: bytes, after: bytes) -> bool:
    """Whether a patch leaves more empty blocks than there were."""
    empty, chained = (len(_EMPTY.findall(after)) - len(_EMPTY.findall(before)), len(_CHAIN.findall(after)) - len(_CHAIN.findall(before)))
    return empty > max(chained, 0)
