"""What a test of `errno` decides is a path like any other; what a flag decides may go with ownership."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
extern int quiet;
int f(const char *name)
{
    char *path = strdup(name);
    if (path == NULL)
        return 1;
    if (mkdir(path, 0700) != 0 && %s)
        return -1;
    free(path);
    return 0;
}
"""


@pytest.mark.parametrize(("condition", "is_safe"), [("errno != EEXIST", True), ("quiet", False)])
def test_only_a_flag_leaves_doubt_about_a_leak(condition: str, is_safe: bool) -> None:
    before = (TEXT % condition).encode()
    assert (mended("x.c", before) != before) is is_safe
