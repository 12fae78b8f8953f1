"""Slices of GLib: what ends them asks for their size, and `g_free` is another function than that."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended


@pytest.mark.parametrize("made", ["g_slice_new0(Note)", "g_slice_new(Note)", "g_slice_alloc(sizeof(Note))", "g_slice_dup(Note, given)"])
def test_a_slice_is_not_freed_as_memory(made: str) -> None:
    before = f"""#include <glib.h>
typedef struct {{ int kind; }} Note;
int f(int n, Note *given)
{{
    Note *note = {made};

    if (n)
        return 1;
    g_slice_free(Note, note);
    return 0;
}}
"""
    after = mended("x.c", before.encode()).decode()
    assert "g_free" not in after
    assert after.count("g_slice_free(Note, note)") == 2
