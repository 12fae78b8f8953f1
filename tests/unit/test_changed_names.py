"""Which words the users of a change would mention."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program
from analyzers.changed_names import changed_names, in_directive
from tests.reach import ReachEngine


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        (b"#define OPEN(x) opened(x)\n", True),
        (b"  #  define OPEN(x) \\\n    opened(x)\n", True),
        (b"#define OPEN(x) \\\r\n  0 + \\\r\n  opened(x)\r\n", True),
        (b"#define A 1\nint f(void) { return opened(1); }\n", False),
        (b"int f(void) { return opened(1); }\n#define A opened\n", True),
        (b"opened", False),
        (b"", False),
    ],
)
def test_whether_a_name_stands_in_a_directive(text: bytes, is_there: bool) -> None:
    assert in_directive(text, "opened") is is_there


def test_macros_count_for_what_their_bodies_mention() -> None:
    header = b"#define OPEN(x) \\\n    opened(x)\n#define AGAIN(x) OPEN(x)\n"
    others = {"h.h": header, "u.c": b'#include "h.h"\nint u(void) { return AGAIN(1); }\n', "A.java": b"class A { void opened() {} }\n"}
    before = Program(MemoryTree({**others, "a.c": b"static int opened(int n) { return n; }\n"}), engine=ReachEngine())
    after = before.beside(MemoryTree({**others, "a.c": b"int opened(int n, int m) { return n; }\n"}))
    names = changed_names(before, after, [("a.c", "a.c")])
    assert {"opened", "OPEN", "AGAIN"} <= set(names)
    assert not after.is_lowered("A.java")
