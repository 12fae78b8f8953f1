"""Releases that take more than what is released: what the acquisition was passed, or what nobody knows."""

from __future__ import annotations

import pytest

from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

HEAP = """int first(SIZE_T length)
{
    char *text = HeapAlloc(%s, 0, length);
    if (!text)
        return -1;
    if (length < 4)
        return -2;
    HeapFree(%s, 0, text);
    return 0;
}
"""


def test_memory_goes_back_to_the_heap_that_it_came_from() -> None:
    text = HEAP % ("GetProcessHeap()", "GetProcessHeap()")
    assert "        HeapFree(GetProcessHeap(), 0, text);\n        return -2;" in mended("a.c", text.encode()).decode()


@pytest.mark.parametrize("heap", ["next_heap()", "heaps[used++]"])
def test_another_heap_is_not_asked_for(heap: str) -> None:
    found = answers("a.c", (HEAP % (heap, heap)).encode())
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


PICTURE = """int describe(FILE *input)
{
    png_structp reader = png_create_read_struct("1.6", NULL, NULL, NULL);
    if (!reader)
        return -1;
    png_init_io(reader, input);
    return 0;
}
"""


def test_a_release_that_takes_more_than_its_object_is_not_written_without_it() -> None:
    assert b"png_destroy_read_struct" not in mended("a.c", PICTURE.encode())
