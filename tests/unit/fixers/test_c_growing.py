"""A block that a callee makes larger stays where it is when that fails: it is released where the caller gives up (C)."""

from __future__ import annotations

from fixers import Fix
from tests.unit.fixers.patching import answers

JOIN = b"""\
#include <stdlib.h>
#include <string.h>
struct buffer { char *data; size_t size, room; };
static int buffer_put(struct buffer *b, const char *text)
{
    size_t more = strlen(text);
    if (b->size + more + 1 > b->room) {
        size_t room = (b->size + more + 1) * 2;
        char *data = realloc(b->data, room);
        if (!data)
            return -1;
        b->data = data;
        b->room = room;
    }
    memcpy(b->data + b->size, text, more + 1);
    b->size += more;
    return 0;
}
char *join(char **words, int n)
{
    struct buffer b = { 0 };
    for (int i = 0; i < n; i++)
        if (buffer_put(&b, words[i]) < 0)
            return NULL;
    return b.data;
}
"""


def test_what_could_not_grow_is_released_where_it_lies() -> None:
    (answer,) = answers("a.c", JOIN)
    assert isinstance(answer, Fix)
    assert "free(b.data);" in "".join(edit.text for edit in answer.edits)
