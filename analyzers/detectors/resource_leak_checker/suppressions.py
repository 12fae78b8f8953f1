"""What `@SuppressWarnings` silences: keys of the checker, its name, or the names of its parts."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.detectors.resource_leak_checker import vocabulary

_CHECKERS = ("all", "allcheckers", "resourceleak", "objectconstruction", "mustcall", "calledmethods", "builder", "resource")


def is_suppressed(detail: str, attributes: Iterable[str]) -> bool:
    """Whether attributes of a declaration silence a key."""
    for annotation in vocabulary.read(each for each in attributes if each.startswith("SuppressWarnings")):
        for text in annotation.strings():
            _, mark, key = text.partition(":")
            word = key if mark else text
            if (not mark and text in _CHECKERS) or detail == word or detail.startswith(word + "."):
                return True
    return False
