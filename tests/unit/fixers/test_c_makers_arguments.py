"""A release that takes what the acquisition was passed is not written where a function of the program was passed something else."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.fix import Fix

TEXT = """#include <sys/mman.h>
static void *view_of(size_t size, int fd) { return mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0); }
int first_of(int fd, size_t size)
{
    char *view = %s;
    if (view == MAP_FAILED)
        return -1;
    if (size == 4)
        return 1;
    return 0;
}
"""


def edits(made: str) -> str:
    program = load(MemoryTree({"view.c": (TEXT % made).encode()}), specs.load(("c",)))
    (leak,) = [each for each in analyze(program).findings if each.procedure.endswith("first_of")]
    found = fix(leak, program)
    return "".join(edit.text for edit in found.edits) if isinstance(found, Fix) else ""


def test_its_arguments_stand_in_another_order() -> None:
    assert "munmap" not in edits("view_of(size, fd)")


def test_the_call_itself_says_them() -> None:
    assert "munmap(view, size)" in edits("mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0)")
