"""Fixers for Java, in the order in which they are asked."""

from __future__ import annotations

from fixers.java import try_with_resources

FIXERS = (try_with_resources.propose,)
