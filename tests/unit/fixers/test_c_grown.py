"""A member that grows is one block on every way only where nothing else is ever put into it (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdlib.h>
#include <string.h>
struct buf { char *p; size_t len, cap; };
extern int lookup(void);
static char small[4];
"""

USE = """int f(const char *s)
{{
    struct buf b = {{0}};
    for (; *s; s++) {{
        {call}
        if (*s == 'x')
            return 1;
    }}
    {end}
    return 0;
}}
"""

GROW = """static int add(struct buf *b, int c)
{
%s    if (b->len == b->cap) {
        char *n = realloc(b->p, b->cap + 4);
        if (!n)
            return -1;
        b->p = n;
        b->cap += 4;
    }
    b->p[b->len++] = (char)c;
    return 0;
}
"""

STATIC = """static int add(struct buf *b, int c)
{
    if (!b->p) {
        b->p = small;
        b->cap = 4;
    }
    if (b->len == b->cap) {
        char *n = malloc(b->cap * 2);
        if (!n)
            return -1;
        memcpy(n, b->p, b->len);
        if (b->p != small)
            free(b->p);
        b->p = n;
        b->cap *= 2;
    }
    b->p[b->len++] = (char)c;
    return 0;
}
"""

EITHER = """static int add(struct buf *b, int c)
{
    if (lookup())
        b->p = small;
    else
        b->p = malloc(4 + c);
    return b->p ? 0 : -1;
}
"""

SIZED = """static int add(struct buf *b, int c)
{
    if (c < 16) {
        b->p = small;
        return 0;
    }
    b->p = malloc(c);
    return b->p ? 0 : -1;
}
"""


def _safe(text: str) -> bool:
    return any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in answers("x.c", text.encode()))


CHECKED = "if (add(&b, *s) < 0)\n            return -1;"


@pytest.mark.parametrize(("callee", "end", "is_safe"), [
    (GROW % "", "free(b.p);", True),
    (GROW % "    if (b->p == NULL && c == '#') {\n        b->p = small;\n        return 0;\n    }\n", "free(b.p);", False),
    (STATIC, "if (b.p != small)\n        free(b.p);", False),
    (EITHER, "if (b.p != small)\n        free(b.p);", False),
    (SIZED, "if (b.p != small)\n        free(b.p);", False),
])  # fmt: skip
def test_a_member_that_grows_holds_nothing_else(callee: str, end: str, is_safe: bool) -> None:
    assert _safe(HEAD + callee + USE.format(call=CHECKED, end=end)) is is_safe


def test_zeros_are_gone_behind_a_call_that_may_put_something_there() -> None:
    text = f"""{HEAD}{SIZED}int f(int n, const char *s)
{{
    struct buf b = {{0}};
    if (add(&b, n) < 0)
        return -1;
    strcpy(b.p, s);
    if (*s == 'x')
        return 1;
    if (n >= 16)
        free(b.p);
    return 0;
}}
"""
    assert not _safe(text)
