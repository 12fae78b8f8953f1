"""Pairs of descriptors: what `pipe` and `socketpair` leave in an array of two is acquired twice, and released twice.

A report is about both; a fix has to end each of them where it is lost, and that need not be the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from analyzers import ir
from analyzers.summaries import Effects, Transfer

FIRST, SECOND = "*", "[1]"
"""The fields of an array in which the two lie."""


def split(effects: Effects) -> Effects:
    """Effects in which a pair that the C library makes is two acquisitions."""
    if not any(_is_pair(each) for each in effects.transfers):
        return effects
    parts = (part for each in effects.transfers for part in (_parts(each) if _is_pair(each) else (each,)))
    return msgspec.structs.replace(effects, transfers=tuple(parts))


def is_pair(effects: Iterable[Effects]) -> bool:
    """Whether a call makes a pair."""
    return any(_is_pair(each) for one in effects for each in one.transfers)


def element_of(index: str) -> str:
    """The field of an element that is named by a number; empty for any other."""
    digits = index[1:]
    return "" if index[:1] != "=" or not digits.isdigit() else f"[{int(digits)}]" if int(digits) else FIRST


def counted(nodes: Iterable[ir.Instruction]) -> frozenset[str]:
    """The arrays of which elements are named by anything but numbers."""
    return frozenset(
        each.base for each in nodes if isinstance(each, ir.LoadElement | ir.StoreElement) and not element_of(each.index)
    )


def _is_pair(transfer: Transfer) -> bool:
    is_library = not transfer.entry and transfer.site is None and transfer.resource == "descriptor"
    return is_library and all(len(each.paths) == 1 and each.paths[0][1:] == ("[]",) for each in transfer.outcomes)


def _parts(transfer: Transfer) -> Iterator[Transfer]:
    for field in (FIRST, SECOND):
        outcomes = (msgspec.structs.replace(each, paths=((each.paths[0][0], field),)) for each in transfer.outcomes)
        yield msgspec.structs.replace(transfer, outcomes=tuple(outcomes))
