"""Both ends of a pipe, or of a pair of sockets, are closed where each is lost."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = "#include <string.h>\n#include <unistd.h>\n#include <sys/socket.h>\nstatic int kept;\nint out[2];\nstatic void both(int *of) { close(of[0]); close(of[1]); }\n"


def fixed(body: str) -> list[str]:
    """The lines of a function after its safe fixes."""
    after = mended("x.c", f"{HEAD}\nint f(int m)\n{{\n{body}}}\n".encode()).decode()
    return [line.strip() for line in after[after.index("int f(int m") :].splitlines()]


@pytest.mark.parametrize(
    "made", ["pipe(p) < 0", "pipe(p) != 0", "pipe(p) == -1", "pipe(p)", "socketpair(AF_UNIX, SOCK_STREAM, 0, p) == -1"]
)
def test_each_end_is_closed_where_it_is_lost(made: str) -> None:
    lines = fixed(
        f"    int p[2];\n    if ({made})\n        return -1;\n    if (m == 1)\n        return 1;\n    if (m == 2) {{\n        close(p[0]);\n"
        "        return 2;\n    }\n    close(p[1]);\n    if (m == 3)\n        return 3;\n    close(p[0]);\n    return 0;\n"
    )
    ends = {n: lines[lines.index(f"return {n};") - 2 : lines.index(f"return {n};")] for n in (1, 2, 3)}
    assert ends[1] == ["close(p[0]);", "close(p[1]);"]
    assert ends[2] == ["close(p[0]);", "close(p[1]);"]
    assert ends[3] == ["if (m == 3) {", "close(p[0]);"]


def test_two_pairs_are_told_apart() -> None:
    lines = fixed(
        "    int in[2], out[2];\n    if (pipe(in) < 0)\n        return -1;\n    if (pipe(out) < 0)\n        return -2;\n"
        "    close(in[0]);\n    close(out[1]);\n    close(in[1]);\n    close(out[0]);\n    return 0;\n"
    )
    assert lines[lines.index("return -2;") - 2 : lines.index("return -2;")] == ["close(in[0]);", "close(in[1]);"]


@pytest.mark.parametrize(
    "use",
    ["kept = p[1];", "both(p);", "p[0] = p[1];", "int t = p[0]; p[0] = p[1]; p[1] = t; close(p[0]);", "close(p[m - 1]);"],
    ids=["kept", "closed by a helper", "overwritten", "swapped", "counted"],
)
def test_an_end_that_may_be_another_is_left_alone(use: str) -> None:
    lines = fixed(
        f"    int p[2];\n    if (pipe(p) < 0)\n        return -1;\n    if (m == 1) {{\n        {use}\n        return 1;\n    }}\n    both(p);\n"
        "    return 0;\n"
    )
    before = lines[lines.index(use) + 1 : lines.index("return 1;")]
    assert before in ([], ["close(p[0]);"]) if use.startswith("kept") else before == []


def test_what_is_copied_as_bytes_is_kept_whole() -> None:
    lines = fixed(
        "    int p[2];\n    if (pipe(p) < 0)\n        return -1;\n    if (m == 1)\n        return 1;\n    memcpy(out, p, sizeof p);\n    return 0;\n"
    )
    assert lines[lines.index("return 1;") - 2 : lines.index("return 1;")] == ["close(p[0]);", "close(p[1]);"]
    assert lines[-3:] == ["memcpy(out, p, sizeof p);", "return 0;", "}"]


def test_the_end_that_is_left_is_closed() -> None:
    lines = fixed(
        "    int p[2];\n    if (pipe(p) < 0)\n        return -1;\n    if (write(p[1], \"x\", 1) < 0) {\n        close(p[0]);\n        return 1;\n    }\n"
        "    close(p[0]);\n    close(p[1]);\n    return 0;\n"
    )
    assert lines[lines.index("return 1;") - 2 : lines.index("return 1;")] == ["close(p[0]);", "close(p[1]);"]
