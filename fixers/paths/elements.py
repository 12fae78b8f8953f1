"""Names of the cells of arrays (C): `*` is the first element, `[2]` and `[#5]` (of a symbol) are others, `[]` is any.

Two constants name two places, a symbol names one; any other two may be one place.
"""

from __future__ import annotations

import functools

_FIELDS = 4096
"""Fields, and pairs of them, that are kept with what is said of them."""

ELEMENT = "[]"


def is_element(field: str) -> bool:
    """Whether a field lies in an element beyond the first, and it is known which."""
    return "[" in field and field[:2] != ELEMENT


def advanced(name: str, field: str) -> str:
    """The field of an element that is counted from another element, or from a member that is an array."""
    before, _, last = name.rpartition(".")
    head, _, rest = field.partition(".")
    if last[:1] != "[":
        return f"{name}.{field}"
    first, second = _count(last), _count(head)
    if first is None or second is None:
        moved = ELEMENT
    else:
        moved = f"[{first + second}]" if first + second else ""
    return ".".join(each for each in (before, moved, rest) if each) or "*"


def _count(name: str) -> int | None:
    digits = name[1:-1]
    return int(digits) if digits.removeprefix("-").isdigit() else None


@functools.lru_cache(_FIELDS)
def may_be_one(field: str, other: str) -> bool:
    """Whether two different fields of one base may be the same place: by elements that may be one."""
    if field == other:
        return False
    left, right = _levels(field), _levels(other)
    return len(left) == len(right) and all(
        name == named and (index == indexed or not (index.removeprefix("-").isdigit() and indexed.removeprefix("-").isdigit()))
        for (name, index), (named, indexed) in zip(left, right, strict=True)
    )


@functools.lru_cache(_FIELDS)
def _levels(field: str) -> tuple[tuple[str, str], ...]:
    """The members on the way to a field, each with the index behind it."""
    found = [("", "0")]
    for each in field.split(".") if field != "*" else ():
        if each[:1] == "[":
            found[-1] = (found[-1][0], each[1:-1] or "?")
        else:
            found.append((each, "0"))
    return tuple(found)
