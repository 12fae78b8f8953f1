"""A variable that a function fills on some ways only is not released on the others, though the caller releases it elsewhere (C)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = """\
#include <stddef.h>
void own_free(void *);
void *own_malloc(size_t);
void complain(const char *);
long number_in(const char *, size_t);
size_t turned(char *str, size_t len, char **out, int kind);
#include <stdlib.h>
void *own_malloc(size_t size)
{
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}
void own_free(void *q)
{
    if (q)
        free(q);
}
static size_t wide(unsigned char *str, size_t len, char *out)
{
    size_t n = 0;
    int expect = 0;
    while (len--) {
        unsigned char c = *str++;
        if (c > 127)
            return -1;
        if (out)
            out[n] = c;
        n += 2;
    }
    return expect ? (size_t)-1 : n << 1;
}
typedef size_t (*turn_func)(unsigned char *, size_t, char *);

size_t turned(char *str, size_t len, char **out, int kind)
{
    static const turn_func turns[] = { wide, wide };
    turn_func turn = turns[kind];
    size_t outlen;
    unsigned char *s = (unsigned char *)str;
    char *buf;

    outlen = turn(s, len, NULL);
    if (outlen == (size_t)-1)
        return -1;

    *out = buf = own_malloc(outlen + 1);
    buf[outlen] = '\\0';
    return turn(s, len, buf);
}
long evaluated(char *text, int type)
{
    char *string;
    size_t string_len;
    long val;

    string_len = turned(text, 3, &string, type);
    if (string_len == (size_t)-1) {
        complain("invalid input string");
        return 0;
    }
    val = number_in(string, string_len);
    own_free(string);
    return val;
}
"""


def test_what_may_never_have_been_set_is_not_released() -> None:
    assert mended("a.c", TEXT.encode()) == TEXT.encode()
