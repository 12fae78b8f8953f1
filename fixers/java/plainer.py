"""Whether a patch leaves a block with nothing in it, where another form would be plainer: what is opened and not used is closed at once.

Goes by the bytes between braces: a block that holds a comment holds something.
"""

from __future__ import annotations

import re

_EMPTY = re.compile(rb"\{\s*\}")


def holds_nothing(before: bytes, after: bytes) -> bool:
    """Whether a patch leaves more empty blocks than there were."""
    return len(_EMPTY.findall(after)) > len(_EMPTY.findall(before))
