"""Declarations of C that say a function never returns: by an attribute, or by a macro that stands for one (`NOT_BACK void usage(void);`).

A macro counts where one of its definitions holds such an attribute: where the others are empty the compiler knows none. Misses macros
of other macros.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.frontends.c.words import QUALIFIERS

_SAYING = "noreturn"
_WELL_KNOWN = frozenset((_SAYING, "dead", "dead2"))
"""Attributes, and macros that systems define for them, without underscores and in small letters."""


def is_endless(declared: ir.MethodDeclaration, macro: Callable[[str], tuple[ir.Macro, ...]]) -> bool:
    """Whether a declaration says that its function never returns; `macro` looks a definition up as its users see it."""
    words = [each for each in declared.attributes if each not in QUALIFIERS or each == _SAYING]
    return any(each.strip("_").lower() in _WELL_KNOWN for each in words) or any(
        _SAYING in definition.body for each in words if each.isidentifier() for definition in macro(each)
    )
