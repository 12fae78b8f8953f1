"""A descriptor of which `dup2` makes a standard one may be that one itself: it is closed where it is not (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = "#include <fcntl.h>\n#include <unistd.h>\n\n"


def _after(body: str) -> str:
    text = f"{HEAD}int redirect(const char *path, int to)\n{{\n    int fd = open(path, O_RDWR);\n    if (fd < 0)\n        return -1;\n{body}    return 0;\n}}\n"
    return mended("a.c", text.encode()).decode()


def test_behind_a_copy_only_what_is_no_standard_descriptor_is_closed() -> None:
    assert "    if (fd > 2)\n        close(fd);\n    return 0;" in _after("    dup2(fd, 0);\n    dup2(fd, 1);\n")


def test_the_function_s_own_names_are_used() -> None:
    assert "    if (fd > STDERR_FILENO)\n        close(fd);\n" in _after("    dup2(fd, STDERR_FILENO);\n")
    assert "    if (fd > 2)\n        close(fd);\n" in _after("    dup2(fd, STDIN_FILENO);\n")


@pytest.mark.parametrize("test", ["dup2(fd, 1) < 0", "dup2(fd, 1) == -1"])
def test_where_the_copy_has_failed_nothing_is_asked(test: str) -> None:
    after = _after(f"    if ({test})\n        return -1;\n")
    assert "        close(fd);\n        return -1;" in after
    assert "    if (fd > 2)\n        close(fd);\n    return 0;" in after


def test_where_a_test_does_not_tell_it_is_asked() -> None:
    assert _after("    if (dup2(fd, 1) != 1)\n        return -1;\n").count("if (fd > 2)") == 2


def test_other_copies_ask_nothing() -> None:
    assert "    close(fd);\n    return 0;" in _after("    dup2(fd, to);\n")
