"""What a function without source puts into a collection, by its name, is released on the ways that come before, and on no others."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """#include <stdlib.h>
#include <string.h>
#include "list.h"
struct server {{ struct list entry; char *name; int n; }};
struct all {{ struct list servers; int count; }};
int parse(struct all *all, const char *name, int k)
{{
    struct server *s;
    int err = 0;

    if ((s = calloc(1, sizeof(*s))) == NULL)
        return -1;
    if (k & 4) {{
        err = 2;
        goto out;
    }}
    if ((s->name = strdup(name)) == NULL) {{
        err = 1;
        goto out;
    }}
    s->n = k;
    {call};
    all->count++;
out:
    return err;
}}
"""


@pytest.mark.parametrize("call", [
    "LIST_APPEND(&all->servers, &s->entry)", "list_add(&s->entry, &all->servers)", "servers_insert(all, s)", "list_push(&all->servers, 3, s)",
])
def test_what_is_put_into_a_list_stays_there(call: str) -> None:
    after = mended("x.c", TEXT.format(call=call).encode()).decode()
    assert after.count("    free(s);\n        goto out;") == 2 and after.count("free(") == 2


@pytest.mark.parametrize("call", ["digest_add(all, s, sizeof(*s))", "servers_count(all, s)", "list_append(s, 1)"])
def test_what_may_be_copied_or_only_looked_at_stays_in_doubt(call: str) -> None:
    text = TEXT.format(call=call).encode()
    assert mended("x.c", text) == text
