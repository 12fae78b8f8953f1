"""A loop that a `goto` closes is walked a few turns, as any loop is, and not until the walk is cut off (C)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

RETRY = b"""\
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int first_byte(const char *path)
{
    int fd;
    char c;
again:
    fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    if (read(fd, &c, 1) < 0 && errno == EINTR)
        goto again;
    close(fd);
    return c;
}
"""


def test_what_a_retry_loses_is_closed_before_it_tries_anew() -> None:
    assert b"{\n        close(fd);\n        goto again;\n    }" in mended("a.c", RETRY)
