"""Fixers for C, in the order in which they are asked."""

from __future__ import annotations

from fixers.c import cleanup, consumed, leakfix, unnamed

FIXERS = (cleanup.propose, consumed.propose, unnamed.propose, leakfix.propose)
