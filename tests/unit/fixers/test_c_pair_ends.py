"""An end of a pipe is not closed for the sake of which nothing is done with it (C): who has the other end would be told of the end."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = "#include <unistd.h>\n#include <sys/ioctl.h>\nstruct q { int in; };\n"
TERMINAL = "#include <pty.h>\n#include <termios.h>\n"
REASON = "is handed on, and who has it would be told that it is all over"


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { int ends[2], fd; if (pipe(ends) == -1) return -1; fd = ends[0]; if (ioctl(fd, 3, 4) == -1) _exit(1); return fd; }",
        "int f(struct q *q) { int ends[2]; if (pipe(ends) == -1) return -1; q->in = ends[0]; return 0; }",
    ],
    ids=["returned", "kept"],
)
def test_an_end_that_is_only_there(text: str) -> None:
    assert verdict(HEAD + text).endswith(REASON)


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { int ends[2]; if (pipe(ends) == -1) return -1; if (fork() == 0) { dup2(ends[1], 1); _exit(1); } return ends[0]; }",
        "int f(int n) { int ends[2]; if (pipe(ends) == -1) return -1; if (n) return ends[0]; close(ends[1]); return ends[0]; }",
    ],
    ids=["a child has it", "closed elsewhere"],
)
def test_an_end_that_is_used(text: str) -> None:
    assert verdict(HEAD + text) == "safe"


@pytest.mark.parametrize("side", ["own", "shown"])
def test_a_terminal_that_others_open_by_its_name(side: str) -> None:
    text = "int f(struct q *q, char *name) { int own, shown; if (openpty(&own, &shown, name, 0, 0) < 0) return -1; tcflush(SIDE, 2); q->in = own; return 0; }"
    assert verdict(TERMINAL + HEAD + text.replace("SIDE", side)).endswith(REASON)


def test_a_terminal_that_a_child_has() -> None:
    text = """int f(struct q *q) { int own, shown; if (openpty(&own, &shown, 0, 0, 0) < 0) return -1;
    if (fork() == 0) { dup2(shown, 0); _exit(1); } q->in = own; return 0; }"""
    assert verdict(TERMINAL + HEAD + text) == "safe"
