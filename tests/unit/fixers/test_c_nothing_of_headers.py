"""What stands for «nothing» is declared where the release is (C): `MAP_FAILED` beside `munmap`."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

MAPPED = """#include <sys/mman.h>
int first_of(int fd, unsigned long n)
{
    char *all = mmap(0, n, PROT_READ, MAP_SHARED, fd, 0);
    int sum;

    if (n > 20)
        return -1;
    sum = all[0] + all[1];
    munmap(all, n);
    return sum;
}
"""


def test_the_header_of_the_release_is_enough() -> None:
    (found,) = answers("a.c", MAPPED.encode())
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
    assert "if (all != MAP_FAILED)\n            munmap(all, n);\n        return -1;" in apply(MAPPED.encode(), found.edits).decode()


def test_what_was_read_through_is_there() -> None:
    text = MAPPED.replace("n > 20", "all[0] == 'a'")
    (found,) = answers("a.c", text.encode())
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
    assert "MAP_FAILED" not in apply(text.encode(), found.edits).decode()
