"""What lies deeper in a structure than summaries say goes with the structure: it is not released beside it (C)."""

from __future__ import annotations

import pathlib

from tests.unit.fixers.patching import mended

FIXTURE = pathlib.Path(__file__).parents[2] / "fixtures/c/tracker/deep_names.c"


def test_what_a_release_may_reach_is_not_released_before_it() -> None:
    text = FIXTURE.read_bytes()
    assert b"free(column->name)" not in mended("a.c", text)
