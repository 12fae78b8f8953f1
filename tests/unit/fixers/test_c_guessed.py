"""Patches for what only a guess says to be acquired: points for statements stand between a call and the test of its result."""

from __future__ import annotations

from tests.unit.fixers.test_proofs import verdict


def test_a_result_that_is_tested_behind_something_small_is_found_again() -> None:
    text = (
        "int read_whole(char **, void *); void done(void *); int f(void *file, int m) { char *text = 0; int error = read_whole(&text, file);"
        " if (m) done(file); if (error) return error; if (text[0] == 'x') return 2; free(text); return 0; }"
    )
    assert verdict(text) in ("safe", "unsafe")
