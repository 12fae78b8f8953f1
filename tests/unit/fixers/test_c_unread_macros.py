"""No patch where a macro without parameters could not be read (C)."""

from __future__ import annotations

import pathlib

from tests.unit.fixers.patching import mended

UNREAD = pathlib.Path(__file__).parents[2] / "fixtures" / "c" / "tracker" / "unread_macros.c"


def test_only_what_macros_that_were_read_leave_is_released() -> None:
    text = mended("a.c", UNREAD.read_bytes()).decode()
    before, after = text.split("int another_thing_bad")
    assert "    free(p);\n" not in before
    assert after.count("        free(p);\n") == 2
