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


SET = """#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
extern void tell(const char *text);
int f(const char *name, int n)
{
    int file = open(name, O_RDONLY), saved;
    if (file < 0)
        return -1;
    if (n < 0) {
        saved = errno;
        tell(name);
        errno = %s;
        return -1;
    }
    close(file);
    return 0;
}
"""


@pytest.mark.parametrize("number", ["EINVAL", "saved"])
def test_what_a_caller_is_to_read_is_set_behind_the_release(number: str) -> None:
    after = mended("x.c", (SET % number).encode()).decode()
    assert f"close(file);\n        errno = {number};\n        return -1;\n" in after


def test_what_calls_follow_matters_no_more() -> None:
    before = (SET % "0").replace("errno = 0;\n", "errno = 0;\n        tell(name);\n")
    assert "tell(name);\n        close(file);\n        return -1;\n" in mended("x.c", before.encode()).decode()
