"""Fixers for C, in the order in which they are asked."""

from __future__ import annotations

from fixers.c import cleanup, consumed, held_locks, leakfix, overwritten, own_guard, row_releases, unnamed

FIXERS = (cleanup.propose, consumed.propose, unnamed.propose, row_releases.propose, leakfix.propose, unnamed.propose_beside_a_member, own_guard.propose, overwritten.propose)

LOCKS = (held_locks.propose,)
"""What is asked for locks, instead."""
