"""What a call gives back may be what it was given, a place inside of it, or what has become of it."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

USE = b"""#include <stdlib.h>
#include <string.h>
void skip(char **at) { while (**at == ' ') (*at)++; }
%s
int work(int n)
{
    char *text = malloc(10);
    if (!text)
        return -1;
    strcpy(text, "  a");
    text = same(text);
    return n;
}
"""
LIST = b"""#include <glib.h>
int work(GList *others, int n)
{
    GList *first = g_list_copy(others);
    GList *second = %s;
    n += g_list_length(second);
    return n;
}
"""


@pytest.mark.parametrize("same", [
    b"char *same(char *text) { char *end = text; while (*end) end++; *end = 0; return text; }",
    b"char *same(char *text) { char *other = text; other[0] = 1; return strcpy(other, \"b\"); }",
])  # fmt: skip
def test_what_is_given_back_is_released_there(same: bytes) -> None:
    assert b"free(text);\n    return n;" in mended("a.c", USE % same)


@pytest.mark.parametrize("other", [
    b"char *same(char *text) { char *at = text; skip(&at); return at; }",
    b"char *same(char *text) { skip(&text); return text; }",
    b"char *same(char *text) { return text + 1; }",
    b"char *same(char *text) { while (*text == ' ') text++; return text; }",
    b"char *same(char *text) { char *at = text, **place = &at; *place = *place + 1; return at; }",
    b"#define NEXT(it) (it)++\nchar *same(char *text) { char *at = text; NEXT(at); return at; }",
    b"char *same(char *text) { return strchr(text, 'a'); }",
])  # fmt: skip
def test_a_place_inside_is_never_released(other: bytes) -> None:
    assert b"free(" not in mended("a.c", USE % other)


@pytest.mark.parametrize("moved", [b"g_list_reverse(first)", b"g_list_prepend(first, others)", b"g_list_sort(first, compare)"])
def test_a_list_is_released_from_its_new_head(moved: bytes) -> None:
    text = mended("a.c", LIST % moved)
    assert b"g_list_free(first)" not in text
    assert b"g_list_free(second);" in text


def test_a_string_is_released_where_it_has_moved_to() -> None:
    own = b"#include \"sds.h\"\nsds more(sds text) { return sdscat(text, \"a\"); }\n"
    use = b"int work(int n)\n{\n    sds first = sdsnew(\"a\");\n    sds second = more(first);\n    if (n)\n        return 1;\n    sdsfree(second);\n    return n;\n}\n"
    text = mended("a.c", own + use)
    assert b"sdsfree(first)" not in text
    assert text.count(b"sdsfree(second);") == 2
