"""When garbage is collected: young objects only, now and then. What a run keeps is kept to its end, and looking through all of it
again and again costs more than what it holds."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

OBJECTS_PER_COLLECTION = 300_000
"""How many new objects there may be before those left behind are collected: while they are young, since all else here is old."""


@contextlib.contextmanager
def young_only() -> Iterator[None]:
    """No collections but those that are asked for, and none of what is there already. Inside of another one it changes
    nothing: what is garbage by then would be kept for good."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def young_to_the_end() -> None:
    """The same for the rest of a process that ends when it has said what it was asked for: also while that is written, and never undone."""
    gc.disable()
    gc.freeze()


def collect() -> None:
    """Collect what is young, where there is much of it."""
    if gc.get_count()[0] > OBJECTS_PER_COLLECTION:
        gc.collect(0)
