"""Nothing is set yet in what an allocator of the program gives that is told only a size (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

MADE = """#include <stdlib.h>
struct box {{ void *pool; int count; }};
static void *{make}(void *arena, size_t size) {{ return {given}; }}
static void box_delete(struct box *box) {{
    if (box->pool != NULL)
        free(box->pool);
    free(box);
}}
static int begin(void) {{ return rand() > 3; }}
struct box *f(void *arena, int wanted) {{
    struct box *box = {make}(arena, sizeof *box);
    if (box == NULL)
        return NULL;
    if (!begin())
        return NULL;
    box->pool = malloc(3);
    if (wanted < 3) {{
        box_delete(box);
        return NULL;
    }}
    return box;
}}
"""


@pytest.mark.parametrize("make", ["arena_alloc", "box_malloc"])
def test_a_destructor_is_not_called_on_what_is_not_set(make: str) -> None:
    assert verdict(MADE.format(make=make, given="malloc(size)")) != "safe"


def test_what_is_zeroed_by_its_name() -> None:
    assert verdict(MADE.format(make="box_zalloc", given="calloc(1, size)")) == "safe"
