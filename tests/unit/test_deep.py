"""Deep recursion: room for it, and no price for standing at an unlucky depth."""

from __future__ import annotations

import resource
import sys

from analyzers.deep import SHALLOW, deeply, shallowly

CALLS = 200


def _leaf(value: int) -> int:
    return value + 1


def _at_depth(depth: int) -> int:
    """Calls in a loop, at every depth down to this one."""
    total = 0
    for value in range(CALLS):
        total += _leaf(value)
    return total + _at_depth(depth - 1) if depth else total


def test_calls_cost_the_same_at_every_depth() -> None:
    def faults() -> int:
        begun = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        _at_depth(2000)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - begun

    deeply(faults)
    assert deeply(faults) < 10 * CALLS


def test_an_error_deep_down_is_raised_outside() -> None:
    def fall(depth: int) -> int:
        return fall(depth - 1) + 1 if depth else 1 // depth

    try:
        deeply(lambda: fall(20_000))
    except ZeroDivisionError:
        assert sys.getrecursionlimit() < 20_000
    else:
        raise AssertionError


def test_shallow_work_fails_alike_at_every_depth() -> None:
    def frames() -> int:
        try:
            return 1 + frames()
        except RecursionError:
            return 1

    def below(depth: int) -> int:
        return below(depth - 1) if depth else shallowly(frames)

    found = [deeply(lambda depth=depth: below(depth)) for depth in (0, 1, 77, 5_000)]  # type: ignore[misc]
    assert len(set(found)) == 1
    assert abs(found[0] - SHALLOW) < 10
