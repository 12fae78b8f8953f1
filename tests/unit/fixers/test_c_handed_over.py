"""What a function without source gets and gives another for, and what it only works on (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

HEAD = "#include <stdlib.h>\n#include <string.h>\ntypedef char *text;\nint known(int n);\n"

GROWING = """int f(int kind, int n)
{
    text t = text_empty();

    if (kind != 3) {
        known(kind);
        return -1;
    }
    t = %s;
%s    return 0;
}
"""


@pytest.mark.parametrize(("step", "end", "is_safe"), [
    ("text_cat(t, n)", "    text_free(t);\n", True),
    ("text_cat(n, t)", "    text_free(t);\n", True),
    ("text_next(t)", "    text_free(t);\n", False),  # the next one: what came first may be somebody else's
    ("text_cat(t, n)", "    known(n);\n", False),  # nobody shows whose it is
    ("text_cat(t, n)", "    while (n-- > 0)\n        if (known(n) > 3)\n            return -1;\n    text_free(t);\n", True),
    ("text_cat(t, n)", "    if (t != known)\n        text_free(t);\n", False),
])  # fmt: skip
def test_what_replaces_what_was_given(step: str, end: str, is_safe: bool) -> None:
    before = (HEAD + GROWING % (step, end)).encode()
    assert (mended("x.c", before).count(b"text_free(t)") > before.count(b"text_free(t)")) is is_safe


def test_an_older_name_for_what_was_handed_over() -> None:
    """It is the callee's by then: no release through it is safe."""
    body = GROWING % ("text_cat(t, n)", "    text_free(t);\n")
    before = (HEAD + body.replace("    t = ", "    text old = t;\n    t = ").replace("return 0", "return old[0]")).encode()
    after = mended("x.c", before)
    assert b"text_free(old)" not in after


FILLING = """struct buffer {{ char *bytes; int size; }};
int source(void);
int f(const char *name, int n)
{{
    struct buffer b;
    int result;

    buffer_init(&b);
    {call};
    if (source() != n)
        return -1;
    result = known(n);
    buffer_free(&b);
    return result;
}}
"""


@pytest.mark.parametrize(("call", "is_safe"), [
    ("buffer_append_space(&b, 4)", True),
    ("buffer_put_text(&b, name)", True),
    ("buffer_read_and_close(&b, n)", False),
    ("buffer_append_done(&b, n)", False),
    ("buffer_register(&b, n)", False),
    ("other_append_space(&b, 4)", False),
])  # fmt: skip
def test_methods_that_are_named_for_filling(call: str, is_safe: bool) -> None:
    before = (HEAD + FILLING.format(call=call)).encode()
    assert (mended("x.c", before) != before) is is_safe


PASSING = """int mode;
static text make(const char *from)
{{
    if (mode)
        return strdup(from);
    return text_dup(from);
}}
int f(const char *from, int n)
{{
    text t = make(from);

    if (t == NULL)
        return -1;
    if (n > 9)
        return -1;
{end}    return 0;
}}
"""


@pytest.mark.parametrize(("end", "is_safe"), [
    ("    free(t);\n", True),
    ("    if (mode)\n        free(t);\n", False),
    ("    if (t != from)\n        free(t);\n", False),
    ("    known(t[0]);\n", False),
])  # fmt: skip
def test_what_a_function_passes_on_from_somebody_unknown(end: str, is_safe: bool) -> None:
    before = (HEAD + PASSING.format(end=end)).encode()
    after = mended("x.c", before)
    assert (b"free(t);\n        return -1;" in after) is is_safe


def test_what_the_patch_of_another_finding_mends_has_that_patch() -> None:
    text = """int f(int n)
{
    char *buf = malloc(4), *tmp;
    if (buf == NULL)
        return -1;
    while (n-- > 0) {
        tmp = realloc(buf, n + 9);
        if (!tmp)
            free(buf);
        buf = tmp;
        if (!buf)
            return -1;
    }
    known(buf[0]);
    return 0;
}
"""
    found = answers("x.c", (HEAD + text).encode())
    assert len(found) == 2
    assert all(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)
    assert len({each.edits for each in found if isinstance(each, Fix)}) == 1
