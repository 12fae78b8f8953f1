"""Variables of C that are, or point to, what may be a union: two of its members may be one place.

Doubts too much where nobody knows the type.
"""

from __future__ import annotations

from analyzers import Program


def unions(program: Program, types: dict[str, str], path: str) -> frozenset[str]:
    """Variables that are, or point to, a union or something of which nobody knows that it is none."""
    if not path.endswith((".c", ".h")):
        return frozenset()
    return frozenset(name for name, written in types.items() if _may_be_union(program, path, written, 3))


def _may_be_union(program: Program, path: str, written: str, depth: int) -> bool:
    words = [word for word in written.replace("*", " ").split() if word not in ("const", "volatile")]
    if not words or words[0] == "struct" or not depth:
        return False
    if words[0] == "union":
        return True
    found = program.c_type(path, words[0])
    if found is None:
        return False
    if found.kind == "typedef":
        return any(_may_be_union(program, path, each, depth - 1) for each in found.supertypes)
    return found.kind == "union"
