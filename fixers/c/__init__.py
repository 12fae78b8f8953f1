"""Fixers for C, in the order in which they are asked."""

from __future__ import annotations

from fixers.c import leakfix

FIXERS = (leakfix.propose,)
