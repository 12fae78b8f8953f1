"""Fixers for Java, in the order in which they are asked."""

from __future__ import annotations

from fixers.java import close_in_finally, insert_close, try_with_resources

FIXERS = (try_with_resources.propose, close_in_finally.propose, insert_close.propose)
