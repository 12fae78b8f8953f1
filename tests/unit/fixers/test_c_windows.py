"""Releases of Windows that are told again what the acquisition was passed."""

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
