"""A connection or a lock of C beside another descriptor that is given back: it may be needed as long as that one is, so closing it is no safe patch."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = b"""#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

int call(const struct sockaddr *to, socklen_t size, int door, const char *path)
{
    int line = %s;

    if (line < 0)
        return -1;
    if (%s)
        return -1;
    %s
}
"""
SOCKET = b"socket(AF_INET, SOCK_STREAM, 0)"
SEND = b'send(line, "go", 2, 0) != 2'
WRITE = b'connect(line, to, size) < 0 || write(line, "go", 2) != 2'


@pytest.mark.parametrize(("made", "asked", "given"), [
    (SOCKET, SEND, b"return accept(door, 0, 0);"),
    (SOCKET, SEND, b"int other = accept(door, 0, 0);\n    if (other < 0)\n        return -1;\n    return other;"),
    (SOCKET, WRITE, b"return open(path, O_RDONLY);"),
    (b"open(path, O_RDWR)", b"flock(line, LOCK_EX) != 0", b"return open(path, O_WRONLY);"),
])  # fmt: skip
def test_what_another_needs_open(made: bytes, asked: bytes, given: bytes) -> None:
    assert mended("a.c", TEXT % (made, asked, given)) == TEXT % (made, asked, given)


@pytest.mark.parametrize(("made", "asked", "given"), [
    (SOCKET, SEND, b"return size > 3;"),
    (SOCKET, SEND, b"return door;"),
    (b"open(path, O_RDWR)", b'write(line, "go", 2) != 2', b"return open(path, O_RDONLY);"),
    (b"open(path, O_RDWR)", b"lseek(line, 0, SEEK_END) < 0", b"return open(path, O_RDONLY);"),
])  # fmt: skip
def test_what_nothing_needs(made: bytes, asked: bytes, given: bytes) -> None:
    assert b"close(line);\n        return -1;" in mended("a.c", TEXT % (made, asked, given))
