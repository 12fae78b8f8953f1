"""Which words the users of a change would mention."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program
from analyzers.changed_names import ChangedName, changed_names, in_directive
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
    assert {"opened", "OPEN", "AGAIN"} <= {each.name for each in names}
    assert not after.is_lowered("A.java")


def of_java(before: dict[str, str], after: dict[str, str]) -> dict[str, ChangedName]:
    """What a change of A.java changes, by name."""
    base = Program(MemoryTree({path: text.encode() for path, text in before.items()}))
    head = base.beside(MemoryTree({path: text.encode() for path, text in after.items()}))
    return {each.name: each for each in changed_names(base, head, [("A.java", "A.java")])}


def test_private_members_are_meant_in_their_own_file_alone() -> None:
    before = "class A { private int log; private void run() {} void go() {} }"
    found = of_java({"A.java": before}, {"A.java": before.replace("int", "long").replace("run()", "run(int n)").replace("go()", "go(int n)")})
    assert found["log"].path == found["run"].path == "A.java"
    assert found["go"] == ChangedName("go", is_method=True)


def test_static_members_are_meant_beside_their_type_or_one_below_it() -> None:
    others = {"B.java": "class B extends A {}"}
    before = "class A { static int log; static void run() {} }"
    found = of_java({**others, "A.java": before}, {**others, "A.java": before.replace("int", "long").replace("run()", "run(int n)")})
    assert found["log"].beside == found["run"].beside == ("A", "B")
    assert not found["run"].is_override


def test_a_method_of_an_anonymous_class_is_meant_beside_what_stands_above_it() -> None:
    others = {"Task.java": "interface Task extends Job { }", "Job.java": "interface Job { void run(); }"}
    before = "class A { Object go() { return null; } }"
    after = "class A { Object go() { return new Task() { int n; public void run() {} }; } }"
    found = of_java({**others, "A.java": before}, {**others, "A.java": after})
    assert {"Job", "Task"} <= set(found["run"].beside)
    assert found["run"].is_override
    assert found["n"].path == "A.java"


def test_a_method_of_a_type_that_stays_may_be_meant_anywhere() -> None:
    before = "class A implements Runnable { public void run() {} }"
    found = of_java({"A.java": before}, {"A.java": before.replace("run() {", "run() throws RuntimeException {")})
    assert found["run"] == ChangedName("run", is_method=True)
