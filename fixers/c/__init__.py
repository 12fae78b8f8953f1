"""Fixers for C, in the order in which they are asked."""

from __future__ import annotations

from fixers.c import cleanup, leakfix, owner, realloc, unnamed

FIXERS = (cleanup.propose, realloc.propose, unnamed.propose, leakfix.propose, owner.propose)
