"""Room for deep recursion: chains of calls in the analysed code are followed by recursion.

One analysis of a process at a time has it: the limit on frames belongs to the whole process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

FRAMES = 400_000
"""Python frames that a chain may take."""

STACK_BYTES = 512 * 1024 * 1024
"""Stack that is reserved, not used, for them."""

FRAME_SLOTS = 8 * 1024 * 1024
"""Words for the variables of frames that are reserved, not used, in one piece. Python takes small pieces from the system,
and gives the last one back as soon as it is empty: a loop of calls that begins at the end of a piece does so at each call."""

SHALLOW = 1500
"""Frames for work that must fail alike wherever it is done."""

_NAME = "leakmend-deep"
_TURN = threading.Lock()

T = TypeVar("T")


def deeply(work: Callable[[], T]) -> T:
    """The result of `work`, run with room for `FRAMES` frames; its exception is raised here."""
    if threading.current_thread().name == _NAME:
        return work()
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(_in_one_piece(work))
        except BaseException as error:
            failed.append(error)

    with _TURN:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(FRAMES)
        before = threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=run, name=_NAME)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(before)
            sys.setrecursionlimit(limit)
    if failed:
        raise failed[0]
    return done[0]


def _in_one_piece(work: Callable[[], T]) -> T:
    """The result of `work`, run with room for the frames of its calls in one piece.

    A frame that does not fit into the last piece gets one of its own, of a power of two and with room to spare: one that is
    slightly more than half of it leaves the other half to its calls.
    """
    code = _call.__code__.replace(co_stacksize=FRAME_SLOTS)
    result: T = FunctionType(code, {})(work)
    return result


def _call(work: Callable[[], T]) -> T:
    return work()


def shallowly(work: Callable[[], T]) -> T:
    """The result of `work`, run with `SHALLOW` frames from here, however deep that is."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_depth() + SHALLOW)
    try:
        return work()
    finally:
        sys.setrecursionlimit(limit)


def _depth() -> int:
    """How many frames there are. Looked for by halves: to step from frame to frame makes an object of each."""
    least, beyond = 0, 1
    while _has_frame(beyond):
        least, beyond = beyond, 2 * beyond
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if _has_frame(middle):
            least = middle
        else:
            beyond = middle
    return least


def _has_frame(number: int) -> bool:
    try:
        sys._getframe(number)
    except ValueError:
        return False
    return True
