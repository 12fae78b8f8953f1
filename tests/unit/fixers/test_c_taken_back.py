"""What a callee without source may have kept until another call took it back is not released before that (C)."""

from __future__ import annotations

import pytest

from analyzers import analyze
from fixers import Fix, fix
from tests.unit.fixers.patching import mended, program

SOURCE = """#include <stdlib.h>
int f(int n, void *h)
{
    char *p = malloc(64);
    if (!p)
        return -1;
    p[0] = 0;
    %s;
    if (n == 1)
        return -2;
    %s;
    free(p);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("done", "undone", "is_lent"),
    [
        ("hook_on(h, p)", "hook_off(h, p)", False),
        ("timer_arm(p)", "timer_disarm(p)", False),
        ("map_it(p)", "unmap_it(p)", False),
        ("begin(h, p)", "finish(h)", False),
        ("if (announce(h, p) < 0) { free(p); return -3; }", "withdraw(h)", False),
        ("sqlite3_trace(h, 0, p)", "sqlite3_trace(h, 0, 0)", False),
        ("watch(n, p)", "unwatch(n)", False),
        ("compute(h, p)", "count(n)", True),
        ("compute(p)", "summarise(p)", True),
        ("compute(n, p)", "compare(n)", True),
    ],
)  # fmt: skip
def test_what_is_taken_back_later_was_kept(done: str, undone: str, is_lent: bool) -> None:
    text = mended("x.c", (SOURCE % (done, undone)).encode()).decode()
    assert (text.count("free(p);") - done.count("free(p);") == 2) is is_lent


def test_a_release_right_behind_the_call_shows_that_nothing_is_kept() -> None:
    text = (SOURCE % ("hook_on(h, p)", "if (n == 2) { free(p); return 2; } hook_off(h, p)")).encode()
    subject = program("x.c", text)
    (found,) = analyze(subject).findings
    answer = fix(found, subject)
    assert isinstance(answer, Fix) and answer.applicability.name == "SAFE"
