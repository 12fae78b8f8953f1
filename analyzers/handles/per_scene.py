"""What is found once for a Scene, for as long as that lives: a procedure is asked for it once per loss, and one of thousands of nodes has many."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TypeVar

from analyzers.handles.scene import Scene

Found = TypeVar("Found")


def per_scene(find: Callable[[Scene], Found]) -> Callable[[Scene], Found]:
    """Keeps what a function finds. That must not name the Scene, which would never go then."""
    known: weakref.WeakKeyDictionary[Scene, Found] = weakref.WeakKeyDictionary()

    @functools.wraps(find)
    def found(scene: Scene) -> Found:
        if scene not in known:
            known[scene] = find(scene)
        return known[scene]

    return found
