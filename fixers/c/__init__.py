"""Fixers for C, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fixers.leak import Candidate, Leak, Refusal

FIXERS: tuple[Callable[[Leak], Iterator[Candidate | Refusal]], ...] = ()
