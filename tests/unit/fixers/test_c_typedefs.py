"""What a typedef hides is the same object still: its own releaser is called, and not `free`."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """#include <stdlib.h>
#include <string.h>
typedef struct crate_s {{ char *label; int weight; }} {name};
static {type} crate_new(const char *label)
{{
    {type} made = calloc(1, sizeof(*made));
    if (made == NULL)
        return NULL;
    made->label = strdup(label);
    made->weight = 1;
    return made;
}}
void crate_destroy({type} crate)
{{
    if (crate == NULL)
        return;
    free(crate->label);
    free(crate);
}}
int load(const char *label, int limit)
{{
    {type} crate = crate_new(label);
    int weight;
    if (crate == NULL)
        return -1;
    weight = crate->weight;
    if (weight > limit)
        return -2;
    crate->weight = 0;
    return weight;
}}
"""


@pytest.mark.parametrize(("name", "written"), [("crate_t", "crate_t *"), ("*crate_t", "crate_t")])
def test_the_releaser_of_a_type_with_another_name_is_called(name: str, written: str) -> None:
    after = mended("crates.c", TEXT.format(name=name, type=written).encode()).decode().partition("int load")[2]
    assert "crate_destroy(crate);" in after
    assert "free(" not in after
