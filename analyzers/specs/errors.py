"""The one error of the specs: what is wrong with which entry of which file, in a line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SpecError(Exception):
    """A spec file that cannot be used. Its text is one line: file, entry, what, nearest key."""

    def __init__(self, path: str, entry: str, text: str) -> None:
        where = f"{path}: {entry}" if entry else path
        super().__init__(f"{where}: {' '.join(text.split())}")
        self.path = path
        self.entry = entry


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    """«unknown key `acqire`, did you mean `acquire`?»"""
    near = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.5)
    hint = f", did you mean `{near[0]}`?" if near else ""
    return f"unknown {kind} `{word}`{hint}"
