"""How long a text is that a call makes goes on without the text, and a descriptor does not go on without its number (C)."""

from __future__ import annotations

from tests.unit.fixers.test_proofs import verdict

TEXT = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct out { char *data; int size; };
int f(struct out *out, const char *name) {
    char *text;
    int size = asprintf(&text, "%s;", name);
    if (size < 0) return -1;
    char *more = realloc(out->data, out->size + size);
    if (!more) return -1;
    memcpy(more + out->size, text, size);
    free(text);
    out->data = more;
    out->size += size;
    return 0;
}
"""

NUMBER = """#include <unistd.h>
struct out { int key; };
int f(struct out *out, int given) {
    int fd = dup(given);
    if (fd < 0) return -1;
    if (given > 7) return -1;
    out->key = fd + 1;
    close(fd);
    return 0;
}
"""


def test_the_size_of_a_text_is_no_handle() -> None:
    assert verdict(TEXT) == "safe"


def test_a_number_that_has_a_descriptor_in_it_goes_on() -> None:
    assert verdict(NUMBER) != "safe"
