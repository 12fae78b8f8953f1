"""Where a descriptor turns out to be the number that the caller asked for, a patch leaves it open (C)."""

from __future__ import annotations

from fixers.edits import apply
from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import answers

TEXT = """#include <fcntl.h>
#include <unistd.h>
int nothing_at(int number, int mode) {
    int opened = open("/dev/null", mode);
    if (opened < 0)
        return -1;
    if (opened == number)
        return number;
    if (dup2(opened, number) < 0)
        return -1;
    close(opened);
    return number;
}
"""


def test_a_descriptor_that_is_the_one_that_was_wanted_stays_open() -> None:
    (answer,) = answers("x.c", TEXT.encode())
    assert isinstance(answer, Fix)
    assert answer.applicability is Applicability.SAFE
    text = apply(TEXT.encode(), answer.edits).decode()
    assert "    if (opened == number)\n        return number;\n" in text
    assert text.count("close(opened);") == 2


def test_an_answer_that_is_asked_later_is_the_same() -> None:
    text = TEXT.replace("    if (opened == number)\n", "    int same = opened == number;\n    if (same)\n")
    (answer,) = answers("x.c", text.encode())
    assert isinstance(answer, Fix)
    after = apply(text.encode(), answer.edits).decode()
    assert "    if (same)\n        return number;\n" in after
    assert after.count("close(opened);") == 2
