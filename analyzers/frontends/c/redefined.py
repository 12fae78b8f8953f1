"""Macros of C that one file defines several times: which of the definitions holds in which function.

`#undef` ends a definition, and the next begins (`#define BAIL_OUT(s) …` inside of each function that uses it). Definitions without
an `#undef` between them are alternatives of `#if`, and hold everywhere: which of them does is not decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from analyzers import ir

_UNDEF = "undef"


def with_users(macros: list[ir.Macro], procedures: Sequence[ir.Procedure], source: str) -> list[ir.Macro]:
    """The macros, those of a name that is defined again after an `#undef` each with the procedures that it holds in."""
    counts = Counter(each.name for each in macros)
    if len(counts) == len(macros) or _UNDEF not in source:
        return macros
    ends = _ends(source, {name for name, count in counts.items() if count > 1})
    if not ends:
        return macros
    found = []
    for each in macros:
        until = next((end for end in ends.get(each.name, ()) if end >= each.end), None)
        if until is not None:
            users = tuple(sorted(one.name for one in procedures if each.start < one.end and one.start < until))
            each = msgspec.structs.replace(each, users=users)
        found.append(each)
    return found


def _ends(source: str, names: set[str]) -> dict[str, list[int]]:
    """Where each of some names is made undefined, in ascending order."""
    ends: dict[str, list[int]] = {}
    at = source.find(_UNDEF)
    while at >= 0:
        line = source.rfind("\n", 0, at) + 1
        rest = source[at + len(_UNDEF) : source.find("\n", at) % (len(source) + 1)].split()
        if source[line:at].strip() == "#" and rest and rest[0] in names:
            ends.setdefault(rest[0], []).append(line)
        at = source.find(_UNDEF, at + 1)
    return ends
