"""Fixers for Java, in the order in which they are asked."""

from __future__ import annotations

from fixers.java import (
    apart,
    close_in_finally,
    held_locks,
    insert_close,
    openings,
    owned,
    separated,
    shut_down,
    try_with_resources,
    uncommented,
    unnamed,
    widen_finally,
    widen_try,
    with_maker,
    wrapped_behind,
)

FIXERS = (
    owned.propose, uncommented.propose, widen_try.propose, widen_finally.propose_for_long, with_maker.propose, apart.propose, try_with_resources.propose, wrapped_behind.propose, openings.propose, unnamed.propose, separated.propose, shut_down.propose, widen_finally.propose, close_in_finally.propose,
    insert_close.propose,
)

LOCKS = (held_locks.propose,)
"""What is asked for locks, instead."""
