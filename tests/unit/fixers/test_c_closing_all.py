"""A descriptor is not closed right before a call that closes all of them (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = "#include <unistd.h>\n#include <fcntl.h>\nvoid closefrom(int low); void closeall(int low); void work(void);\n"
OPENED = "int f(int n) { int fd = open(\"/dev/null\", O_RDWR); if (fd == -1) return -1;"


@pytest.mark.parametrize("call", ["closefrom(3)", "closeall(3)", "close_range(3, ~0U, 0)"])
def test_a_call_that_closes_all(call: str) -> None:
    said = verdict(HEAD + f"{OPENED} dup2(fd, 0); {call}; work(); return 0; }}")
    assert said == f"declined: `{call.partition('(')[0]}` closes whatever is open"


@pytest.mark.parametrize("rest", ["if (n) return 1; closefrom(3); return 0; }", "work(); return 0; }"])
def test_ways_around_it(rest: str) -> None:
    assert verdict(HEAD + f"{OPENED} {rest}") == "safe"
