"""The one error that ends a run: exit status 2 and one line that says what to mend."""

from __future__ import annotations


class CannotRun(Exception):
    """leakmend cannot do what it was asked. The message is one line: what is wrong, and how to mend it."""
