"""A descriptor whose number goes on in another one (C): who gets that may use it, so no release of it is safe."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = b"""#include <fcntl.h>
#include <unistd.h>
#include <sys/select.h>

int number(const char *path, int n, struct book *book)
{
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        return 0;
    if (n)
        return n + 1;
    %s
}
"""


@pytest.mark.parametrize("told", [
    b"return fd + 1;",
    b"keep(fd << 2);\n    return 0;",
    b"book->key = fd + 100;\n    return 0;",
    b"n = fd + 1;\n    note(n);\n    return n;",
    b"return (int) ((long) fd + 1);",
    b"unsigned key = fd;\n    book->key = key << 8 | 1;\n    return 0;",
])  # fmt: skip
def test_whose_number_goes_on(told: bytes) -> None:
    assert b"close(" not in mended("a.c", TEXT % told)


@pytest.mark.parametrize("used", [
    b"select(fd + 1, 0, 0, 0, 0);\n    close(fd);\n    return 0;",
    b"n = fd + 1 > 3;\n    close(fd);\n    return 0;",
    b"return fd;",
])  # fmt: skip
def test_whose_number_is_only_looked_at(used: bytes) -> None:
    assert b"close(fd);\n        return n + 1;" in mended("a.c", TEXT % used)
